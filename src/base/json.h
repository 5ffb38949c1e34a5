// JSON at the edge: every refusal names file, line and field.
//
// JsonObject reads a small object strictly (nlohmann's parser behind it); for files of hundreds of
// megabytes a module may use simdjson itself. LineReader walks JSON lines.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace trex {

// Keeps the order of keys as written: files that we write read the same every time.
using Json = nlohmann::ordered_json;

// Parses `text`; throws Input at `where` with the byte position and what was found.
Json parse_json(std::string_view text, const std::string& where);

// `value.dump()` on one line; invalid UTF-8 becomes U+FFFD. Numbers read back as the same double.
std::string to_line(const Json& value);

// "an object", "a string", ... for messages.
std::string json_kind(const Json& value);

// A view of one object with typed access. Each accessor throws Input naming the field when it is
// missing or of another type. The viewed value must outlive it.
class JsonObject {
 public:
  // `where` is "file:line"; `path` the field that leads here ("messages[2]"), empty at the top.
  JsonObject(const Json& value, std::string where, std::string path = {});

  const std::string& where() const { return where_; }
  const Json& json() const { return value_; }
  bool has(std::string_view key) const { return value_.contains(std::string(key)); }

  // Throws for a key that is not listed, naming the nearest listed one.
  void expect_only(const std::vector<std::string>& keys) const;

  std::string string(std::string_view key) const;
  double number(std::string_view key) const;    // finite
  int64_t integer(std::string_view key) const;  // a whole number in int64's range
  bool boolean(std::string_view key) const;
  JsonObject object(std::string_view key) const;
  std::vector<JsonObject> objects(std::string_view key) const;
  std::vector<double> numbers(std::string_view key) const;
  std::vector<int64_t> integers(std::string_view key) const;
  std::vector<std::string> strings(std::string_view key) const;

  std::string string_or(std::string_view key, std::string fallback) const;
  double number_or(std::string_view key, double fallback) const;
  int64_t integer_or(std::string_view key, int64_t fallback) const;
  bool boolean_or(std::string_view key, bool fallback) const;

  // An Input error about one of this object's fields.
  class Error error(std::string_view key, std::string expected, std::string got,
                    std::string hint = {}) const;

 private:
  const Json& member(std::string_view key, const char* expected) const;
  std::string path_to(std::string_view key) const;

  const Json& value_;
  std::string where_;
  std::string path_;
};

// One line of a file of JSON lines, parsed.
struct JsonLine {
  Json value;
  std::string where;  // "file:17"
  std::string text;

  JsonObject object() const { return JsonObject(value, where); }
};

// Walks the lines of a file (.zst too), skipping blank ones. next() throws Input at the first line
// that is not JSON: a silently shorter data set is worse than no run.
class LineReader {
 public:
  explicit LineReader(const Path& path);
  std::optional<JsonLine> next();

 private:
  std::string name_;
  std::string bytes_;
  size_t position_ = 0;
  int64_t line_ = 0;
};

}  // namespace trex
