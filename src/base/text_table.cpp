#include "base/text_table.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"

namespace trex {
namespace {

constexpr size_t kGap = 2;
constexpr size_t kIndent = 6;  // of a row's further lines

std::string padded(const std::string& text, size_t width, bool to_the_right) {
  const std::string space(width - std::min(width, columns_of(text)), ' ');
  return to_the_right ? space + text : text + space;
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

size_t columns_of(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

void TextTable::drop(const std::string& header) {
  const auto column = std::find_if(columns_.begin(), columns_.end(),
                                   [&](const Column& c) { return c.header == header; });
  if (column == columns_.end()) return;
  const auto index = column - columns_.begin();
  columns_.erase(column);
  for (std::vector<std::string>& row : rows_) row.erase(row.begin() + index);
}

std::vector<std::string> TextTable::header() const {
  std::vector<std::string> header;
  for (const Column& column : columns_) header.push_back(column.header);
  return header;
}

std::vector<size_t> TextTable::widths() const {
  std::vector<size_t> widths;
  for (size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(columns_of(columns_[c].header));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], columns_of(row[c]));
  }
  return widths;
}

size_t TextTable::width() const {
  size_t total = 0;
  for (const size_t width : widths()) total += width + kGap;
  return total - std::min(total, kGap);
}

std::string TextTable::text(size_t width) const {
  const std::vector<size_t> widths = this->widths();
  // The first column of each line.
  std::vector<size_t> starts{0};
  size_t used = 0;
  for (size_t c = 0; c < widths.size(); ++c) {
    if (width > 0 && c > starts.back() && used + widths[c] > width)
      starts.push_back(c), used = kIndent;
    used += widths[c] + kGap;
  }
  starts.push_back(widths.size());
  std::string text;
  const auto add_row = [&](auto cell) {
    for (size_t part = 0; part + 1 < starts.size(); ++part) {
      std::string line(part == 0 ? 0 : kIndent, ' ');
      for (size_t c = starts[part]; c < starts[part + 1]; ++c) {
        line += (c > starts[part] ? std::string(kGap, ' ') : "") +
                padded(cell(c), widths[c], columns_[c].is_number);
      }
      text += without_trailing_spaces(line) + "\n";
    }
  };
  add_row([&](size_t c) { return columns_[c].header; });
  for (const auto& row : rows_) add_row([&](size_t c) { return row[c]; });
  return text;
}

size_t columns_of_stdout() {
  winsize size{};
  return ::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0
             ? size.ws_col
             : 0;
}

std::string wrapped(const std::string& text, size_t width, size_t indent) {
  const size_t leading = text.find_first_not_of(' ');
  if (width == 0 || leading == std::string::npos) return text;
  std::string result(leading, ' ');
  size_t used = leading;
  bool is_first = true;
  for (const std::string& word : split(std::string_view(text).substr(leading), ' ')) {
    if (!is_first && used + 1 + columns_of(word) > width) {
      result += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (!is_first) {
      result += ' ', ++used;
    }
    result += word;
    used += columns_of(word);
    is_first = false;
  }
  return result;
}

}  // namespace trex
