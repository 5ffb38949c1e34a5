#include "config/toml.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "config/settings.h"

namespace trex::config {
namespace {

toml::table parse(const Path& file) {
  const std::string text = read_file(file);
  try {
    return toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    const auto& at = error.source().begin;
    std::string found(error.description());  // "Error while parsing value: ..."
    if (found.starts_with("Error")) found.replace(0, 5, "an error");
    throw input_error(fmt::format("{}:{}:{}", file.string(), at.line, at.column), "", "TOML",
                      found);
  }
}

// The library sorts keys by name.
std::vector<std::pair<std::string, const toml::node*>> in_file_order(const toml::table& table) {
  std::vector<std::pair<std::string, const toml::node*>> entries;
  for (const auto& [key, value] : table) entries.emplace_back(key.str(), &value);
  const auto place = [](const auto& entry) {
    const auto& begin = entry.second->source().begin;
    return std::pair(begin.line, begin.column);
  };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return entries;
}

Json to_json(const toml::node& node) {
  if (const auto* table = node.as_table()) {
    Json object = Json::object();
    for (const auto& [key, value] : in_file_order(*table)) object[key] = to_json(*value);
    return object;
  }
  if (const auto* array = node.as_array()) {
    Json list = Json::array();
    for (const auto& item : *array) list.push_back(to_json(item));
    return list;
  }
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return whole->get();
  if (const auto* real = node.as_floating_point()) return real->get();
  if (const auto* truth = node.as_boolean()) return truth->get();
  throw input_error(fmt::format("{}:{}", *node.source().path, node.source().begin.line), "",
                    "text, number, truth value, list or table", "a date or time");
}

void collect(const toml::table& table, const std::string& prefix, std::vector<TomlLeaf>& leaves) {
  for (const auto& [key, value] : table) {
    const std::string name = prefix + std::string(key.str());
    if (const auto* inner = value.as_table()) {
      collect(*inner, name + ".", leaves);
    } else {
      leaves.push_back({name, to_json(value), int64_t{value.source().begin.line}});
    }
  }
}

}  // namespace

std::vector<TomlLeaf> toml_leaves(const Path& file, const std::string& section) {
  const toml::table root = parse(file);
  const toml::table* table = &root;
  if (!section.empty()) {
    table = root.at_path(section).as_table();
    if (table == nullptr) {
      std::vector<std::string> names;
      for (const auto& [key, value] : root) {
        if (value.is_table()) names.emplace_back(key.str());
      }
      throw input_error(file.string(), "", fmt::format("a table [{}]", section), "none",
                        did_you_mean(section, names));
    }
  }
  std::vector<TomlLeaf> leaves;
  collect(*table, "", leaves);
  std::stable_sort(leaves.begin(), leaves.end(),
                   [](const TomlLeaf& a, const TomlLeaf& b) { return a.line < b.line; });
  return leaves;
}

std::vector<Table> tables_of(const Path& file) {
  std::vector<Table> tables;
  for (const auto& [key, value] : parse(file)) {
    if (!value.is_table()) continue;
    tables.push_back({std::string(key.str()), int64_t{value.source().begin.line}, to_json(value)});
  }
  std::stable_sort(tables.begin(), tables.end(),
                   [](const Table& a, const Table& b) { return a.line < b.line; });
  return tables;
}

}  // namespace trex::config
