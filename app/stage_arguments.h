// The arguments of every command whose work is described by a settings file:
//
//   trex VERB [FILE.toml] [--stage NAME] [--set key=value]... [--out FOLDER]
//
// Without --stage the file's top-level keys are the settings. With it they are the table [NAME] of
// a recipe, whose path settings may name an earlier stage's folder as {stage}; the folders lie
// beside --out. A table with `like = "other"` begins with the other table's values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command.h"
#include "base/files.h"
#include "config/settings.h"

namespace trex::app {

struct StageArguments {
  std::optional<Path> file;
  std::string stage;
  std::vector<std::string> overrides;
  Path out;
};

// Keys of a recipe's table that are the recipe's own: verb and like.
extern const std::vector<std::string> kRecipeKeys;

void add_stage_options(CLI::App& options, StageArguments& arguments);

// Where the settings come from, for config::load.
config::Source settings_source(const StageArguments& arguments);

// Parses and loads in one go. False when help was printed.
template <class Settings>
bool parse_stage(CLI::App& options, const Arguments& arguments, StageArguments& stage,
                 Settings& settings) {
  add_stage_options(options, stage);
  if (!parse_arguments(options, arguments, config::help_text(config::fields_of(settings)))) {
    return false;
  }
  const auto effective = config::load(settings, settings_source(stage));
  write_file(stage.out / "settings.toml", config::effective_text(effective));
  return true;
}

}  // namespace trex::app
