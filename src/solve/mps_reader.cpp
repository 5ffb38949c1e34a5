#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "base/text.h"
#include "solve/mps.h"

namespace trex::solve {
namespace {

enum class Layout { Free, Fixed };

// The fields of a data line. In fixed format they begin at columns 2, 5, 15, 25, 40 and 50.
std::vector<std::string> fields_of(std::string_view line, Layout layout) {
  std::vector<std::string> fields;
  if (layout == Layout::Free) {
    size_t at = 0;
    while ((at = line.find_first_not_of(" \t\r", at)) != std::string_view::npos) {
      const size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
      fields.emplace_back(line.substr(at, end - at));
      at = end;
    }
    return fields;
  }
  constexpr std::pair<size_t, size_t> kPlaces[] = {{1, 2},   {4, 8},  {14, 8},
                                                   {24, 12}, {39, 8}, {49, 12}};
  size_t end = 0;
  for (const auto& [start, length] : kPlaces) {
    // Text between the places means that the line is not in fixed format.
    if (end < line.size() && !trimmed(line.substr(end, start - end)).empty()) return {};
    end = start + length;
    if (start >= line.size()) break;
    const std::string_view field = trimmed(line.substr(start, length));
    if (!field.empty()) fields.emplace_back(field);
  }
  return fields;
}

struct RowKind {
  char type;
  int64_t index;  // -1 for the objective
};

struct ColumnState {
  bool marked_integer = false, bounded = false, lower_given = false;
};

class MpsParser {
 public:
  MpsParser(std::string_view text, const std::string& file, Layout layout)
      : text_(text), file_(file), layout_(layout) {}

  Model parse() {
    while (next_line()) {
      if (line_.front() == ' ' || line_.front() == '\t') {
        data_line();
      } else if (!section_line()) {
        break;
      }
    }
    if (section_ != "ENDATA") refuse("section", "ENDATA at the end", "the end of the file");
    if (!objective_) refuse("ROWS", "an objective (a row of type N)", "none");
    finish();
    validate(model_, file_);
    return std::move(model_);
  }

 private:
  [[noreturn]] void refuse(std::string field, std::string expected, std::string got,
                           std::string hint = {}) const {
    throw input_error(fmt::format("{}:{}", file_, number_), std::move(field), std::move(expected),
                      std::move(got), std::move(hint));
  }

  // The next line that is neither blank nor a comment.
  bool next_line() {
    while (at_ < text_.size()) {
      const size_t end = std::min(text_.find('\n', at_), text_.size());
      line_ = text_.substr(at_, end - at_);
      at_ = end + 1;
      ++number_;
      if (!trimmed(line_).empty() && line_.front() != '*') return true;
    }
    return false;
  }

  // False at ENDATA.
  bool section_line() {
    const auto words = fields_of(line_, Layout::Free);
    static const std::vector<std::string> kSections = {"NAME",     "OBJSENSE", "ROWS",   "COLUMNS",
                                                       "RHS",      "RANGES",   "BOUNDS", "QUADOBJ",
                                                       "QSECTION", "QMATRIX",  "ENDATA"};
    if (std::find(kSections.begin(), kSections.end(), words[0]) == kSections.end()) {
      refuse("section", "a known section", in_quotes(words[0]), did_you_mean(words[0], kSections));
    }
    section_ = words[0];
    if (section_ == "NAME" && words.size() > 1) model_.name = words[1];
    if (section_ == "OBJSENSE" && words.size() > 1) take_sense(words[1]);
    return section_ != "ENDATA";
  }

  void data_line() {
    if (section_ == "OBJSENSE") return take_sense(std::string(trimmed(line_)));
    fields_ = fields_of(line_, layout_);
    if (fields_.empty()) refuse(section_, "fields", "none");
    if (section_ == "ROWS") return take_row();
    if (section_ == "COLUMNS") return take_column();
    if (section_ == "RHS" || section_ == "RANGES") return take_right_side();
    if (section_ == "BOUNDS") return take_bound();
    if (section_ == "QUADOBJ" || section_ == "QSECTION" || section_ == "QMATRIX")
      return take_quadratic();
    refuse("section", "a section before this line", section_.empty() ? "none" : section_);
  }

  double number(size_t field) const {
    const auto value = parse_real(fields_[field]);
    if (!value || std::isnan(*value))
      refuse(fmt::format("{}: field {}", section_, field + 1), "a number",
             in_quotes(fields_[field]));
    return *value;
  }

  const RowKind& row(const std::string& name) const {
    const auto found = rows_.find(name);
    if (found == rows_.end()) refuse(section_, "a row that ROWS lists", in_quotes(name));
    return found->second;
  }

  std::optional<size_t> find_column(const std::string& name) const {
    const auto found = columns_.find(name);
    if (found == columns_.end()) return {};
    return found->second;
  }

  size_t column(const std::string& name) const {
    const auto found = find_column(name);
    if (!found) refuse(section_, "a column that COLUMNS lists", in_quotes(name));
    return *found;
  }

  void take_sense(const std::string& word) {
    const std::string sense = lower_case(word);
    if (sense == "max" || sense == "maximize" || sense == "maximise") {
      model_.sense = Sense::Maximize;
    } else if (sense != "min" && sense != "minimize" && sense != "minimise") {
      refuse("OBJSENSE", "MIN or MAX", in_quotes(word));
    }
  }

  void take_row() {
    if (fields_.size() != 2)
      refuse("ROWS", "a type and a name", fmt::format("{} fields", fields_.size()));
    const std::string& type = fields_[0];
    if (type.size() != 1 || std::string("NLGEnlge").find(type[0]) == std::string::npos) {
      refuse("ROWS", "a type N, L, G or E", in_quotes(type));
    }
    const char kind = static_cast<char>(std::toupper(type[0]));
    const bool is_objective = kind == 'N' && !objective_;
    const int64_t index = is_objective ? -1 : static_cast<int64_t>(model_.rows.size());
    if (!rows_.emplace(fields_[1], RowKind{kind, index}).second)
      refuse("ROWS", "a name of its own", in_quotes(fields_[1]));
    if (is_objective) {
      objective_ = fields_[1];
      return;
    }
    model_.rows.push_back({fields_[1], -kInfinity, kInfinity});
    types_.push_back(kind);
    right_.push_back(0);
    ranges_.emplace_back();
  }

  void take_column() {
    if (fields_.size() >= 3 && (fields_[1] == "'MARKER'" || fields_[1] == "MARKER")) {
      const std::string& mark = fields_.back();
      if (mark == "'INTORG'" || mark == "INTORG") {
        integers_ = true;
      } else if (mark == "'INTEND'" || mark == "INTEND") {
        integers_ = false;
      } else {
        refuse("COLUMNS: MARKER", "'INTORG' or 'INTEND'", in_quotes(mark));
      }
      return;
    }
    if (fields_.size() < 3 || fields_.size() % 2 == 0) {
      refuse("COLUMNS", "a column and pairs of row and number",
             fmt::format("{} fields", fields_.size()));
    }
    const auto [found, added] = columns_.emplace(fields_[0], model_.columns.size());
    if (added) {
      model_.columns.push_back(
          {.name = fields_[0], .domain = integers_ ? Domain::Integer : Domain::Continuous});
      states_.push_back({.marked_integer = integers_});
    }
    for (size_t i = 1; i < fields_.size(); i += 2) {
      const RowKind& kind = row(fields_[i]);
      const double value = number(i + 1);
      if (kind.index < 0) {
        model_.columns[found->second].objective += value;
      } else {
        model_.matrix.push_back({kind.index, static_cast<int64_t>(found->second), value});
      }
    }
  }

  // RHS and RANGES: an optional set name, then pairs of row and number.
  void take_right_side() {
    const size_t first = fields_.size() % 2;
    if (fields_.size() < first + 2)
      refuse(section_, "pairs of row and number", fmt::format("{} fields", fields_.size()));
    for (size_t i = first; i + 1 < fields_.size(); i += 2) {
      const RowKind& kind = row(fields_[i]);
      const double value = number(i + 1);
      if (section_ == "RANGES") {
        if (kind.type == 'N') refuse("RANGES", "a row of type L, G or E", in_quotes(fields_[i]));
        ranges_[static_cast<size_t>(kind.index)] = value;
      } else if (kind.index < 0) {
        model_.offset = -value;
      } else {
        right_[static_cast<size_t>(kind.index)] = value;
      }
    }
  }

  void take_bound() {
    static const std::vector<std::string> kWithValue = {"UP", "LO", "FX", "LI", "UI"};
    static const std::vector<std::string> kWithoutValue = {"FR", "MI", "PL", "BV"};
    const std::string type = fields_[0];
    const bool needs_value =
        std::find(kWithValue.begin(), kWithValue.end(), type) != kWithValue.end();
    if (!needs_value &&
        std::find(kWithoutValue.begin(), kWithoutValue.end(), type) == kWithoutValue.end()) {
      refuse("BOUNDS", "a type UP, LO, FX, FR, MI, PL, BV, LI or UI", in_quotes(type));
    }
    // TYPE [SET] COLUMN [NUMBER]: without a set the column is the second field.
    const size_t expected = needs_value ? 4 : 3;
    size_t place = fields_.size() >= expected ? 2 : 1;
    if (!needs_value && fields_.size() == 3 && !find_column(fields_[2]) && find_column(fields_[1]))
      place = 1;
    if (fields_.size() + 1 < expected || fields_.size() > 4) {
      refuse("BOUNDS", needs_value ? "type, set, column and number" : "type, set and column",
             fmt::format("{} fields", fields_.size()));
    }
    const size_t index = column(fields_[place]);
    set_bound(type, model_.columns[index], states_[index], needs_value ? number(place + 1) : 0);
  }

  static void set_bound(const std::string& type, Column& column, ColumnState& state, double value) {
    state.bounded = true;
    if (type == "UI" || type == "LI") column.domain = Domain::Integer;
    if (type == "UP" || type == "UI") {
      column.upper = value;
      if (value < 0 && !state.lower_given && column.lower == 0) column.lower = -kInfinity;
    } else if (type == "LO" || type == "LI") {
      column.lower = value, state.lower_given = true;
    } else if (type == "FX") {
      column.lower = column.upper = value, state.lower_given = true;
    } else if (type == "FR") {
      column.lower = -kInfinity, column.upper = kInfinity;
    } else if (type == "MI") {
      column.lower = -kInfinity;
    } else if (type == "PL") {
      column.upper = kInfinity;
    } else {
      column.lower = 0, column.upper = 1, column.domain = Domain::Binary;
    }
  }

  void take_quadratic() {
    if (fields_.size() != 3)
      refuse(section_, "two columns and a number", fmt::format("{} fields", fields_.size()));
    const size_t a = column(fields_[0]), b = column(fields_[1]);
    const double value = number(2);
    const auto pair = std::pair(std::max(a, b), std::min(a, b));
    const auto [found, added] = quadratic_.emplace(pair, value);
    if (added) return;
    if (section_ != "QMATRIX")
      refuse(section_, "each pair at most once",
             fmt::format("{} and {} twice", in_quotes(fields_[0]), in_quotes(fields_[1])));
    if (found->second != value)
      refuse(section_, "a symmetric matrix",
             fmt::format("{} and {}", shortest(found->second), shortest(value)));
  }

  void finish() {
    for (size_t i = 0; i < model_.rows.size(); ++i) {
      Row& target = model_.rows[i];
      const double right = right_[i];
      if (types_[i] == 'E' || types_[i] == 'G') target.lower = right;
      if (types_[i] == 'E' || types_[i] == 'L') target.upper = right;
      if (!ranges_[i]) continue;
      const double range = *ranges_[i];
      if (types_[i] == 'G' || (types_[i] == 'E' && range >= 0))
        target.upper = right + std::abs(range);
      if (types_[i] == 'L' || (types_[i] == 'E' && range < 0))
        target.lower = right - std::abs(range);
    }
    for (size_t j = 0; j < model_.columns.size(); ++j) {
      if (states_[j].marked_integer && !states_[j].bounded) {
        model_.columns[j].domain = Domain::Binary, model_.columns[j].upper = 1;
      }
    }
    for (const auto& [pair, value] : quadratic_) {
      model_.quadratic.push_back(
          {static_cast<int64_t>(pair.first), static_cast<int64_t>(pair.second), value});
    }
  }

  std::string_view text_, line_;
  const std::string& file_;
  const Layout layout_;
  size_t at_ = 0;
  int64_t number_ = 0;
  std::string section_;
  std::vector<std::string> fields_;
  Model model_;
  std::optional<std::string> objective_;
  bool integers_ = false;
  std::unordered_map<std::string, RowKind> rows_;
  std::unordered_map<std::string, size_t> columns_;
  std::vector<ColumnState> states_;
  std::vector<char> types_;
  std::vector<double> right_;
  std::vector<std::optional<double>> ranges_;
  std::map<std::pair<size_t, size_t>, double> quadratic_;
};

}  // namespace

Model parse_mps(std::string_view text, const std::string& where) {
  try {
    return MpsParser(text, where, Layout::Free).parse();
  } catch (const Error& free_error) {
    // Names with blanks need fixed format. If that fails too, the first error is the useful one.
    try {
      return MpsParser(text, where, Layout::Fixed).parse();
    } catch (const Error&) {
      throw free_error;
    }
  }
}

Model read_mps(const Path& path) { return parse_mps(read_file(path), path.filename().string()); }

}  // namespace trex::solve
