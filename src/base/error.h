// The one exception type of trex: what went wrong, where, what was expected, what came and what
// to do about it.
#pragma once

#include <exception>
#include <span>
#include <string>
#include <string_view>

namespace trex {

// The kind decides the exit code of the program.
enum class ErrorKind {
  Failed = 1,       // the work ran and did not succeed: loss diverged, score below the bar
  Usage = 2,        // the command line is wrong
  Input = 3,        // a file, setting, request or model reply is wrong
  Environment = 4,  // file system, network, memory, device or solver library failed
};

// An Error's data. Fields left empty are left out of the text.
struct ErrorParts {
  ErrorKind kind = ErrorKind::Failed;
  std::string where;     // "sft.jsonl:17", "--set train.seq_len", "worker gpu-b:8001"
  std::string field;     // "messages[2].role"
  std::string expected;  // "one of system, user, assistant"
  std::string got;       // "\"usr\""; strings in quotes (base/text.h: in_quotes)
  std::string hint;      // "did you mean \"user\"?"
};

// Text of an error: `where: field: expected E; got G (hint)`.
class Error : public std::exception {
 public:
  explicit Error(ErrorParts parts);

  const ErrorParts& parts() const noexcept { return parts_; }
  ErrorKind kind() const noexcept { return parts_.kind; }
  int exit_code() const noexcept { return static_cast<int>(parts_.kind); }
  const char* what() const noexcept override { return text_.c_str(); }

  // The same error seen from further out: fills or prefixes `where` ("cpt.toml: [train]").
  Error at(std::string_view where) const;

 private:
  ErrorParts parts_;
  std::string text_;
};

// Shorthands for the usual shapes.
Error input_error(std::string where, std::string field, std::string expected, std::string got,
                  std::string hint = {});
Error usage_error(std::string where, std::string expected, std::string got, std::string hint = {});
Error environment_error(std::string where, std::string expected, std::string got,
                        std::string hint = {});

// Environment error from errno: `where: expected <expected>; got <strerror>`.
Error system_error(std::string where, std::string expected, int error_number);

// The hint `did you mean "user"?` for the word nearest to `got`, or nothing when none is near.
std::string did_you_mean(std::string_view got, std::span<const std::string> valid);

}  // namespace trex
