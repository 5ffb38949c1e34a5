#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/text.h"

namespace trex {
namespace {

bool is_int64(const Json& value) {
  constexpr uint64_t kLargest = std::numeric_limits<int64_t>::max();
  if (value.is_number_unsigned()) return value.get<uint64_t>() <= kLargest;
  return value.is_number_integer();
}

}  // namespace

Json parse_json(std::string_view text, const std::string& where) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const size_t byte = error.byte > 0 ? error.byte - 1 : 0;
    const std::string found =
        byte < text.size() ? in_quotes(text.substr(byte), 20) : std::string("the end");
    throw input_error(where, "", "JSON", fmt::format("{} at byte {}", found, byte));
  } catch (const Json::out_of_range&) {
    throw input_error(where, "", "numbers in the range of a double", "a larger one");
  }
}

std::string to_line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_kind(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "a list";
    case Json::value_t::string:
      return in_quotes(value.get_ref<const std::string&>());
    case Json::value_t::boolean:
      return value.get<bool>() ? "true" : "false";
    default:
      break;
  }
  // JSON cannot write a number that is not finite; TOML can.
  const bool is_finite = !value.is_number_float() || std::isfinite(value.get<double>());
  return is_finite ? value.dump() : fmt::format("{}", value.get<double>());
}

JsonObject::JsonObject(const Json& value, std::string where, std::string path)
    : value_(value), where_(std::move(where)), path_(std::move(path)) {
  if (!value_.is_object()) throw input_error(where_, path_, "an object", json_kind(value_));
}

std::string JsonObject::path_to(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

Error JsonObject::error(std::string_view key, std::string expected, std::string got,
                        std::string hint) const {
  return input_error(where_, path_to(key), std::move(expected), std::move(got), std::move(hint));
}

void JsonObject::expect_only(const std::vector<std::string>& keys) const {
  for (const auto& [key, value] : value_.items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    throw error(key, "a known field", in_quotes(key), did_you_mean(key, keys));
  }
}

const Json& JsonObject::member(std::string_view key, const char* expected) const {
  const auto found = value_.find(std::string(key));
  if (found == value_.end()) throw error(key, expected, "nothing");
  return *found;
}

std::string JsonObject::string(std::string_view key) const {
  const Json& value = member(key, "a string");
  if (!value.is_string()) throw error(key, "a string", json_kind(value));
  return value.get<std::string>();
}

double JsonObject::number(std::string_view key) const {
  const Json& value = member(key, "a number");
  if (!value.is_number()) throw error(key, "a number", json_kind(value));
  const double number = value.get<double>();
  if (!std::isfinite(number)) throw error(key, "a finite number", json_kind(value));
  return number;
}

int64_t JsonObject::integer(std::string_view key) const {
  const Json& value = member(key, "a whole number");
  if (!is_int64(value)) throw error(key, "a whole number", json_kind(value));
  return value.get<int64_t>();
}

bool JsonObject::boolean(std::string_view key) const {
  const Json& value = member(key, "true or false");
  if (!value.is_boolean()) throw error(key, "true or false", json_kind(value));
  return value.get<bool>();
}

JsonObject JsonObject::object(std::string_view key) const {
  return JsonObject(member(key, "an object"), where_, path_to(key));
}

std::vector<JsonObject> JsonObject::objects(std::string_view key) const {
  const Json& value = member(key, "a list of objects");
  if (!value.is_array()) throw error(key, "a list of objects", json_kind(value));
  std::vector<JsonObject> objects;
  for (size_t i = 0; i < value.size(); ++i) {
    objects.emplace_back(value[i], where_, fmt::format("{}[{}]", path_to(key), i));
  }
  return objects;
}

std::vector<double> JsonObject::numbers(std::string_view key) const {
  const Json& value = member(key, "a list of numbers");
  if (!value.is_array()) throw error(key, "a list of numbers", json_kind(value));
  std::vector<double> numbers;
  for (size_t i = 0; i < value.size(); ++i) {
    const std::string item = fmt::format("{}[{}]", key, i);
    if (!value[i].is_number()) throw error(item, "a number", json_kind(value[i]));
    numbers.push_back(value[i].get<double>());
    if (!std::isfinite(numbers.back())) throw error(item, "a finite number", json_kind(value[i]));
  }
  return numbers;
}

std::vector<int64_t> JsonObject::integers(std::string_view key) const {
  const Json& value = member(key, "a list of whole numbers");
  if (!value.is_array()) throw error(key, "a list of whole numbers", json_kind(value));
  std::vector<int64_t> integers;
  for (size_t i = 0; i < value.size(); ++i) {
    if (!is_int64(value[i])) {
      throw error(fmt::format("{}[{}]", key, i), "a whole number", json_kind(value[i]));
    }
    integers.push_back(value[i].get<int64_t>());
  }
  return integers;
}

std::vector<std::string> JsonObject::strings(std::string_view key) const {
  const Json& value = member(key, "a list of strings");
  if (!value.is_array()) throw error(key, "a list of strings", json_kind(value));
  std::vector<std::string> strings;
  for (size_t i = 0; i < value.size(); ++i) {
    if (!value[i].is_string()) {
      throw error(fmt::format("{}[{}]", key, i), "a string", json_kind(value[i]));
    }
    strings.push_back(value[i].get<std::string>());
  }
  return strings;
}

std::string JsonObject::string_or(std::string_view key, std::string fallback) const {
  return has(key) ? string(key) : std::move(fallback);
}

double JsonObject::number_or(std::string_view key, double fallback) const {
  return has(key) ? number(key) : fallback;
}

int64_t JsonObject::integer_or(std::string_view key, int64_t fallback) const {
  return has(key) ? integer(key) : fallback;
}

bool JsonObject::boolean_or(std::string_view key, bool fallback) const {
  return has(key) ? boolean(key) : fallback;
}

LineReader::LineReader(const Path& path) : name_(path.string()), bytes_(read_file(path)) {}

std::optional<JsonLine> LineReader::next() {
  while (position_ < bytes_.size()) {
    const size_t end = std::min(bytes_.find('\n', position_), bytes_.size());
    const std::string_view text = std::string_view(bytes_).substr(position_, end - position_);
    position_ = end + 1;
    ++line_;
    if (trimmed(text).empty()) continue;
    std::string where = fmt::format("{}:{}", name_, line_);
    Json value = parse_json(text, where);
    return JsonLine{std::move(value), std::move(where), std::string(text)};
  }
  return std::nullopt;
}

}  // namespace trex
