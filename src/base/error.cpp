#include "base/error.h"

#include <fmt/format.h>

#include <cstring>

#include "base/text.h"

namespace trex {
namespace {

std::string text_of(const ErrorParts& parts) {
  std::string text;
  const auto add = [&text](std::string_view separator, std::string_view piece) {
    if (piece.empty()) return;
    if (!text.empty()) text += separator;
    text += piece;
  };
  add("", parts.where);
  add(": ", parts.field);
  if (!parts.expected.empty()) add(": ", "expected " + parts.expected);
  if (!parts.got.empty()) add(parts.expected.empty() ? ": " : "; ", "got " + parts.got);
  if (!parts.hint.empty()) add(" ", "(" + parts.hint + ")");
  return text;
}

}  // namespace

Error::Error(ErrorParts parts) : parts_(std::move(parts)), text_(text_of(parts_)) {}

Error Error::at(std::string_view where) const {
  ErrorParts outer = parts_;
  outer.where =
      outer.where.empty() ? std::string(where) : fmt::format("{}: {}", where, outer.where);
  return Error(std::move(outer));
}

Error input_error(std::string where, std::string field, std::string expected, std::string got,
                  std::string hint) {
  return Error({ErrorKind::Input, std::move(where), std::move(field), std::move(expected),
                std::move(got), std::move(hint)});
}

Error usage_error(std::string where, std::string expected, std::string got, std::string hint) {
  return Error({ErrorKind::Usage,
                std::move(where),
                {},
                std::move(expected),
                std::move(got),
                std::move(hint)});
}

Error environment_error(std::string where, std::string expected, std::string got,
                        std::string hint) {
  return Error({ErrorKind::Environment,
                std::move(where),
                {},
                std::move(expected),
                std::move(got),
                std::move(hint)});
}

Error system_error(std::string where, std::string expected, int error_number) {
  return environment_error(std::move(where), std::move(expected), std::strerror(error_number));
}

std::string did_you_mean(std::string_view got, std::span<const std::string> valid) {
  const auto nearest = nearest_word(got, valid);
  return nearest ? fmt::format("did you mean {}?", in_quotes(*nearest)) : std::string();
}

}  // namespace trex
