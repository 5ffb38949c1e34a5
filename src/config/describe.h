// The walk over a settings struct that turns its describe() into a list of Fields. Include
// config/settings.h, not this.
#pragma once

#include <type_traits>

#include "config/settings.h"

namespace trex::config {

struct RawValue {
  Json json;          // a TOML value, or a --set text as a string
  bool is_text_form;  // from --set: numbers and lists still have to be read from the text
};

namespace detail {

// Typed readers; `where` ends up in the error, `bounds` are checked. Defined in settings.cpp.
void read_value(bool& out, const RawValue& raw, const Bounds& bounds, const std::string& where);
void read_value(int64_t& out, const RawValue& raw, const Bounds& bounds, const std::string& where);
void read_value(double& out, const RawValue& raw, const Bounds& bounds, const std::string& where);
void read_value(std::string& out, const RawValue& raw, const Bounds& bounds,
                const std::string& where);
void read_value(Path& out, const RawValue& raw, const Bounds& bounds, const std::string& where);
void read_value(std::chrono::milliseconds& out, const RawValue& raw, const Bounds& bounds,
                const std::string& where);
std::vector<RawValue> read_list(const RawValue& raw, const std::string& where);
bool is_auto(const RawValue& raw);

inline Json to_json_value(bool value) { return value; }
inline Json to_json_value(int64_t value) { return value; }
inline Json to_json_value(double value) { return value; }
inline Json to_json_value(const std::string& value) { return value; }
inline Json to_json_value(const Path& value) { return value.string(); }
inline Json to_json_value(std::chrono::milliseconds value) {
  return shortest(static_cast<double>(value.count()) / 1e3) + "s";
}

inline std::string type_name(const bool&) { return "true or false"; }
inline std::string type_name(const int64_t&) { return "whole number"; }
inline std::string type_name(const double&) { return "number"; }
inline std::string type_name(const std::string&) { return "text"; }
inline std::string type_name(const Path&) { return "path"; }
inline std::string type_name(const std::chrono::milliseconds&) { return "duration"; }

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsRequired : std::false_type {};
template <class T>
struct IsRequired<Required<T>> : std::true_type {};

// Reads, prints and names any supported field type.
template <class T>
struct FieldType {
  static void read(T& out, const RawValue& raw, const Bounds& bounds, const std::string& where) {
    if constexpr (IsVector<T>::value) {
      T items;
      for (const RawValue& item : read_list(raw, where)) {
        typename T::value_type value{};
        FieldType<typename T::value_type>::read(value, item, bounds, where);
        items.push_back(std::move(value));
      }
      out = std::move(items);
    } else if constexpr (IsOptional<T>::value) {
      if (is_auto(raw)) {
        out.reset();
        return;
      }
      typename T::value_type value{};
      FieldType<typename T::value_type>::read(value, raw, bounds, where);
      out = std::move(value);
    } else if constexpr (IsRequired<T>::value) {
      FieldType<decltype(out.value)>::read(out.value, raw, bounds, where);
      out.is_set = true;
    } else {
      read_value(out, raw, bounds, where);
    }
  }

  static Json json(const T& value) {
    if constexpr (IsVector<T>::value) {
      Json list = Json::array();
      for (const auto& item : value) list.push_back(FieldType<typename T::value_type>::json(item));
      return list;
    } else if constexpr (IsOptional<T>::value) {
      return value ? FieldType<typename T::value_type>::json(*value) : Json(nullptr);
    } else if constexpr (IsRequired<T>::value) {
      return value.is_set ? FieldType<decltype(value.value)>::json(value.value) : Json(nullptr);
    } else {
      return to_json_value(value);
    }
  }

  static std::string name() {
    if constexpr (IsVector<T>::value) {
      return "list of " + FieldType<typename T::value_type>::name();
    } else if constexpr (IsOptional<T>::value) {
      return FieldType<typename T::value_type>::name() + " or auto";
    } else if constexpr (IsRequired<T>::value) {
      return FieldType<decltype(T::value)>::name();
    } else {
      return type_name(T{});
    }
  }

  static constexpr bool is_path() {
    if constexpr (IsVector<T>::value || IsOptional<T>::value) {
      return FieldType<typename T::value_type>::is_path();
    } else if constexpr (IsRequired<T>::value) {
      return FieldType<decltype(T::value)>::is_path();
    } else {
      return std::is_same_v<T, Path>;
    }
  }
};

template <class T>
bool is_missing(const T& value) {
  if constexpr (IsRequired<T>::value) return !value.is_set;
  (void)value;
  return false;
}

struct Collector {
  std::vector<Field>& fields;
  std::string prefix;

  template <class T>
  void operator()(const char* key, T& value, const char* sentence, Bounds bounds = {}) {
    if constexpr (requires { value.describe(*this); }) {
      value.describe(Collector{fields, prefix + key + "."});
    } else {
      fields.push_back(Field{.key = prefix + key,
                             .sentence = sentence,
                             .type = FieldType<T>::name(),
                             .bounds = bounds,
                             .is_path = FieldType<T>::is_path(),
                             .read =
                                 [&value, bounds](const RawValue& raw, const std::string& where) {
                                   FieldType<T>::read(value, raw, bounds, where);
                                 },
                             .value = [&value] { return FieldType<T>::json(value); },
                             .missing = [&value] { return is_missing(value); }});
    }
  }
};

}  // namespace detail

template <class Settings>
std::vector<Field> fields_of(Settings& settings) {
  std::vector<Field> fields;
  settings.describe(detail::Collector{fields, ""});
  return fields;
}

}  // namespace trex::config
