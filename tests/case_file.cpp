#include "case_file.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace trex::cases {
namespace {

constexpr std::string_view kAny = "{any}";

std::string with_names(std::string text, const std::map<std::string, std::string>& names) {
  for (const auto& [name, meaning] : names) {
    const std::string word = "{" + name + "}";
    for (size_t at = text.find(word); at != std::string::npos;
         at = text.find(word, at + meaning.size())) {
      text.replace(at, word.size(), meaning);
    }
  }
  return text;
}

// What stands behind the keyword and one space; nothing when the line has another keyword.
std::optional<std::string> behind(const std::string& line, std::string_view keyword) {
  if (line == keyword) return "";
  if (!line.starts_with(std::string(keyword) + " ")) return std::nullopt;
  return line.substr(keyword.size() + 1);
}

class Parser {
 public:
  explicit Parser(std::string where) : where_(std::move(where)) {}

  void take(const std::string& line, int number) {
    const std::string place = fmt::format("{}:{}", where_, number);
    if (const auto content = behind(line, "|")) return add_content(*content, place);
    if (trimmed(line).empty() || line.starts_with('#')) return;
    if (const auto program = behind(line, "needs")) {
      case_.needs.push_back(*program);
    } else if (const auto name = behind(line, "file")) {
      waiting_files_.emplace_back(*name, "");
    } else if (const auto command = behind(line, "$")) {
      case_.steps.push_back(
          {.line = number, .command = *command, .files = std::move(waiting_files_)});
      waiting_files_.clear();
    } else {
      take_expectation(line, place);
    }
  }

  CaseFile finish() {
    if (case_.steps.empty()) throw input_error(where_, "", "a line \"$ command\"", "none");
    if (!waiting_files_.empty())
      throw input_error(where_, "", "a command after the last file", "none");
    return std::move(case_);
  }

 private:
  void add_content(const std::string& content, const std::string& place) {
    if (waiting_files_.empty()) throw input_error(place, "", "\"file NAME\" above", "nothing");
    waiting_files_.back().second += content + "\n";
  }

  void take_expectation(const std::string& line, const std::string& place) {
    if (case_.steps.empty() || !waiting_files_.empty()) {
      throw input_error(place, "", "a command, a file or a comment", in_quotes(line));
    }
    Step& step = case_.steps.back();
    if (const auto code = behind(line, "exit"); code && parse_integer(*code)) {
      step.exit_code = static_cast<int>(*parse_integer(*code));
    } else if (const auto text = behind(line, "stdout")) {
      step.output.push_back(*text);
    } else if (const auto error = behind(line, "stderr")) {
      step.errors.push_back(*error);
    } else {
      throw input_error(place, "", "exit N, stdout TEXT or stderr TEXT", in_quotes(line));
    }
  }

  std::string where_;
  CaseFile case_;
  std::vector<std::pair<std::string, std::string>> waiting_files_;
};

}  // namespace

CaseFile parse_case(const std::string& text, const std::string& where,
                    const std::map<std::string, std::string>& names) {
  Parser parser(where);
  int number = 0;
  for (const std::string& line : split(with_names(text, names), '\n')) parser.take(line, ++number);
  return parser.finish();
}

bool matches(const std::string& expected, const std::string& line) {
  const size_t any = expected.find(kAny);
  if (any == std::string::npos) return expected == line;
  if (line.compare(0, any, expected, 0, any) != 0) return false;
  const std::string rest = expected.substr(any + kAny.size());
  for (size_t at = any; at <= line.size(); ++at) {
    if (matches(rest, line.substr(at))) return true;
  }
  return false;
}

}  // namespace trex::cases
