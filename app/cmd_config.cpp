// trex config show: what a recipe's stages would use.
#include <fmt/format.h>

#include "app/commands.h"
#include "app/recipe.h"
#include "base/error.h"
#include "base/text.h"

namespace trex::app {

int cmd_config_show(const Arguments& arguments) {
  CLI::App options("Every effective setting of a recipe and where it comes from",
                   "trex config show");
  Path file;
  std::string only;
  std::vector<std::string> overrides;
  options.add_option("file", file, "Recipe, TOML")->required();
  options.add_option("--stage", only, "Show this stage alone");
  options.add_option("--set", overrides, "STAGE.key=value, stronger than the file; repeatable");
  if (!parse_arguments(options, arguments)) return 0;

  const Recipe recipe = read_recipe(file, usual_out(file), overrides);
  if (!only.empty() && recipe.find(only) == nullptr) {
    std::vector<std::string> names;
    for (const Stage& stage : recipe.stages) names.push_back(stage.name);
    throw usage_error("--stage", "a stage of " + file.string(), in_quotes(only),
                      did_you_mean(only, names));
  }
  for (const Stage& stage : recipe.stages) {
    if (!only.empty() && stage.name != only) continue;
    fmt::print("[{}]\nverb = \"{}\"\n{}\n", stage.name, stage.kind->verb,
               config::effective_text(stage.settings));
  }
  return 0;
}

}  // namespace trex::app
