#include "app/stage_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace trex::app {
namespace {

// The table and those it builds on, the most basic first.
std::vector<std::string> with_ancestors(const std::vector<config::Table>& tables,
                                        const std::string& stage, const Path& file) {
  std::vector<std::string> chain;
  std::string name = stage;
  while (!name.empty()) {
    if (std::find(chain.begin(), chain.end(), name) != chain.end()) {
      throw input_error(file.string(), stage + ".like", "no circle", in_quotes(name));
    }
    chain.insert(chain.begin(), name);
    std::string next;
    for (const config::Table& table : tables) {
      if (table.name == name && table.values.contains("like")) {
        next = JsonObject(table.values, fmt::format("{}:{}", file.string(), table.line), name)
                   .string("like");
      }
    }
    name = next;
  }
  return chain;
}

}  // namespace

const std::vector<std::string> kRecipeKeys{"verb", "like"};

void add_stage_options(CLI::App& options, StageArguments& arguments) {
  options.add_option("file", arguments.file, "Settings or recipe, TOML");
  options.add_option("--stage", arguments.stage, "Table of the recipe that holds the settings");
  options.add_option("--set", arguments.overrides, "key=value, stronger than the file; repeatable")
      ->take_all();
  options.add_option("--out", arguments.out, "Folder for the results")->required();
}

config::Source settings_source(const StageArguments& arguments) {
  config::Source source{
      .file = arguments.file, .overrides = arguments.overrides, .foreign_keys = kRecipeKeys};
  if (arguments.stage.empty()) return source;
  if (!arguments.file) throw usage_error("--stage", "a recipe file before it", "none");
  const auto tables = config::tables_of(*arguments.file);
  source.sections = with_ancestors(tables, arguments.stage, *arguments.file);
  for (const config::Table& table : tables) {
    source.folders[table.name] = arguments.out.parent_path() / table.name;
  }
  return source;
}

}  // namespace trex::app
