#include "config/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "config/toml.h"

namespace trex::config {
namespace {

std::string shown(const RawValue& raw) { return json_kind(raw.json); }

// Range and word errors are about the value; `where` already names the setting.
void check_number(double value, const Bounds& bounds, const RawValue& raw,
                  const std::string& where) {
  const bool too_low =
      bounds.low && (bounds.low_excluded ? value <= *bounds.low : value < *bounds.low);
  const bool too_high = bounds.high && value > *bounds.high;
  if (too_low || too_high || !std::isfinite(value)) {
    const std::string got = raw.is_text_form ? raw.json.get<std::string>() : shown(raw);
    throw input_error(where, "", bounds.text().empty() ? "a finite number" : bounds.text(), got);
  }
}

// A bound as people write it: 1000000, not 1e+06.
std::string plain(double bound) {
  const bool is_whole = std::abs(bound) < 1e15 && std::floor(bound) == bound;
  return is_whole ? fmt::format("{:.0f}", bound) : shortest(bound);
}

const std::string& text_of(const RawValue& raw) { return raw.json.get_ref<const std::string&>(); }

std::string expand_folders(std::string text, const std::map<std::string, Path>& folders,
                           const std::string& where) {
  size_t open = 0;
  while ((open = text.find('{', open)) != std::string::npos) {
    const size_t close = text.find('}', open);
    if (close == std::string::npos) break;
    const std::string name = text.substr(open + 1, close - open - 1);
    const auto folder = folders.find(name);
    if (folder == folders.end()) {
      std::vector<std::string> names;
      for (const auto& [known, path] : folders) names.push_back(known);
      throw input_error(where, "", "the name of an earlier stage in {}", in_quotes(name),
                        did_you_mean(name, names));
    }
    text.replace(open, close - open + 1, folder->second.string());
    open += folder->second.string().size();
  }
  return text;
}

void expand_paths(Json& value, const std::map<std::string, Path>& folders,
                  const std::string& where) {
  if (value.is_string()) value = expand_folders(value.get<std::string>(), folders, where);
  if (value.is_array()) {
    for (Json& item : value) expand_paths(item, folders, where);
  }
}

std::vector<std::string> keys_of(const std::vector<Field>& fields) {
  std::vector<std::string> keys;
  for (const Field& field : fields) keys.push_back(field.key);
  return keys;
}

const Field* find_field(const std::vector<Field>& fields, const std::string& key) {
  for (const Field& field : fields) {
    if (field.key == key) return &field;
  }
  return nullptr;
}

void set_field(const Field& field, RawValue raw, const Source& source, const std::string& where) {
  if (field.is_path) expand_paths(raw.json, source.folders, where);
  field.read(raw, where);
}

void read_section(const std::vector<Field>& fields, const Source& source,
                  const std::string& section, std::map<std::string, std::string>& origins) {
  for (const TomlLeaf& leaf : toml_leaves(*source.file, section)) {
    const std::string place = fmt::format("{}:{}", source.file->string(), leaf.line);
    const auto is_foreign = [&](const std::string& key) {
      return leaf.key == key || leaf.key.starts_with(key + ".");
    };
    if (std::any_of(source.foreign_keys.begin(), source.foreign_keys.end(), is_foreign)) continue;
    const std::string full_key =
        section.empty() ? leaf.key : fmt::format("{}.{}", section, leaf.key);
    const Field* field = find_field(fields, leaf.key);
    if (field == nullptr) {
      throw input_error(place, full_key, "a known setting", in_quotes(leaf.key),
                        did_you_mean(leaf.key, keys_of(fields)));
    }
    set_field(*field, {leaf.value, false}, source, fmt::format("{}: {}", place, full_key));
    origins[leaf.key] = place;
  }
}

void read_from_file(const std::vector<Field>& fields, const Source& source,
                    std::map<std::string, std::string>& origins) {
  if (source.sections.empty()) read_section(fields, source, "", origins);
  for (const std::string& section : source.sections) read_section(fields, source, section, origins);
}

void read_overrides(const std::vector<Field>& fields, const Source& source,
                    std::map<std::string, std::string>& origins) {
  for (const std::string& text : source.overrides) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos) {
      throw usage_error(fmt::format("--set {}", text), "key=value", in_quotes(text));
    }
    const std::string key = text.substr(0, equals);
    const std::string where = fmt::format("--set {}", key);
    const Field* field = find_field(fields, key);
    if (field == nullptr) {
      throw usage_error(where, "a known setting", in_quotes(key),
                        did_you_mean(key, keys_of(fields)));
    }
    try {
      set_field(*field, {text.substr(equals + 1), true}, source, where);
    } catch (const Error& error) {
      ErrorParts parts = error.parts();
      parts.kind = ErrorKind::Usage;
      throw Error(std::move(parts));
    }
    origins[key] = "--set";
  }
}

}  // namespace

std::string Bounds::text() const {
  if (!words.empty()) return "one of " + listed(words);
  if (low && high) return fmt::format("{} to {}", plain(*low), plain(*high));
  if (low) return fmt::format("{} {}", low_excluded ? "more than" : "at least", plain(*low));
  return {};
}

Bounds in_range(double low, double high) { return {.low = low, .high = high, .words = {}}; }
Bounds at_least(double low) { return {.low = low, .high = std::nullopt, .words = {}}; }
Bounds above(double low) {
  return {.low = low, .high = std::nullopt, .low_excluded = true, .words = {}};
}
Bounds one_of(std::vector<std::string> words) {
  return {.low = std::nullopt, .high = std::nullopt, .words = std::move(words)};
}

namespace detail {

bool is_auto(const RawValue& raw) { return raw.json.is_string() && text_of(raw) == "auto"; }

void read_value(bool& out, const RawValue& raw, const Bounds&, const std::string& where) {
  if (raw.json.is_boolean()) {
    out = raw.json.get<bool>();
  } else if (raw.is_text_form && (text_of(raw) == "true" || text_of(raw) == "false")) {
    out = text_of(raw) == "true";
  } else {
    throw input_error(where, "", "true or false", shown(raw));
  }
}

void read_value(int64_t& out, const RawValue& raw, const Bounds& bounds, const std::string& where) {
  std::optional<int64_t> value;
  if (raw.json.is_number_integer()) value = raw.json.get<int64_t>();
  if (raw.is_text_form) value = parse_integer(text_of(raw));
  if (!value) throw input_error(where, "", "a whole number", shown(raw));
  check_number(static_cast<double>(*value), bounds, raw, where);
  out = *value;
}

void read_value(double& out, const RawValue& raw, const Bounds& bounds, const std::string& where) {
  std::optional<double> value;
  if (raw.json.is_number()) value = raw.json.get<double>();
  if (raw.is_text_form) value = parse_real(text_of(raw));
  if (!value) throw input_error(where, "", "a number", shown(raw));
  check_number(*value, bounds, raw, where);
  out = *value;
}

void read_value(std::string& out, const RawValue& raw, const Bounds& bounds,
                const std::string& where) {
  if (!raw.json.is_string()) throw input_error(where, "", "text", shown(raw));
  const std::string& text = text_of(raw);
  const auto& words = bounds.words;
  if (!words.empty() && std::find(words.begin(), words.end(), text) == words.end()) {
    throw input_error(where, "", bounds.text(), in_quotes(text), did_you_mean(text, words));
  }
  out = text;
}

void read_value(Path& out, const RawValue& raw, const Bounds&, const std::string& where) {
  if (!raw.json.is_string() || text_of(raw).empty())
    throw input_error(where, "", "a path", shown(raw));
  out = text_of(raw);
}

void read_value(std::chrono::milliseconds& out, const RawValue& raw, const Bounds& bounds,
                const std::string& where) {
  constexpr const char* kExpected = "a duration such as \"500ms\", \"30s\", \"10m\" or \"2h\"";
  if (!raw.json.is_string()) throw input_error(where, "", kExpected, shown(raw));
  const std::string& text = text_of(raw);
  const size_t unit_at = text.find_first_not_of("0123456789.");
  const auto number = parse_real(text.substr(0, unit_at));
  const std::string unit = unit_at == std::string::npos ? "" : text.substr(unit_at);
  const std::map<std::string, double> seconds_of{{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
  const auto scale = seconds_of.find(unit);
  if (!number || scale == seconds_of.end()) throw input_error(where, "", kExpected, shown(raw));
  const double seconds = *number * scale->second;
  check_number(seconds, bounds, raw, where);
  out = std::chrono::milliseconds(std::llround(seconds * 1e3));
}

std::vector<RawValue> read_list(const RawValue& raw, const std::string& where) {
  std::vector<RawValue> items;
  if (raw.json.is_array()) {
    for (const Json& item : raw.json) items.push_back({item, false});
    return items;
  }
  if (!raw.is_text_form) throw input_error(where, "", "a list", shown(raw));
  const std::string& text = text_of(raw);
  if (text.empty()) return items;
  if (text.starts_with('[')) return read_list({parse_json(text, where), false}, where);
  for (const std::string& item : split(text, ',')) items.push_back({item, true});
  return items;
}

}  // namespace detail

std::vector<EffectiveValue> read_fields(std::vector<Field> fields, const Source& source) {
  std::map<std::string, std::string> origins;
  if (source.file) read_from_file(fields, source, origins);
  read_overrides(fields, source, origins);

  std::vector<EffectiveValue> values;
  for (const Field& field : fields) {
    if (field.missing()) {
      const std::string where = source.file ? source.file->string() : "settings";
      throw input_error(where, field.key, field.type, "nothing", field.sentence);
    }
    const auto origin = origins.find(field.key);
    values.push_back(
        {field.key, field.value(), origin == origins.end() ? "default" : origin->second});
  }
  return values;
}

std::string effective_text(const std::vector<EffectiveValue>& values) {
  size_t width = 0;
  for (const EffectiveValue& value : values) width = std::max(width, value.key.size());
  std::string text;
  for (const EffectiveValue& value : values) {
    const std::string shown_value = value.value.is_null() ? "\"auto\"" : value.value.dump();
    text += fmt::format("{:<{}} = {}  # {}\n", value.key, width, shown_value, value.origin);
  }
  return text;
}

std::string markdown_table(const std::vector<Field>& fields) {
  std::string text =
      "| setting | type | default | allowed | what it is for |\n| --- | --- | --- | --- | --- |\n";
  for (const Field& field : fields) {
    const Json value = field.value();
    const std::string fallback = field.missing()   ? "required"
                                 : value.is_null() ? "`auto`"
                                                   : fmt::format("`{}`", value.dump());
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", field.key, field.type, fallback,
                        field.bounds.text(), field.sentence);
  }
  return text;
}

std::string help_text(const std::vector<Field>& fields) {
  std::string text;
  for (const Field& field : fields) {
    const Json value = field.value();
    const std::string fallback =
        field.missing() ? "required" : "default " + (value.is_null() ? "auto" : value.dump());
    const std::string bounds = field.bounds.text();
    text += fmt::format("  {}  ({}{}{})\n      {}\n", field.key, fallback,
                        bounds.empty() ? "" : "; ", bounds, field.sentence);
  }
  return text;
}

}  // namespace trex::config
