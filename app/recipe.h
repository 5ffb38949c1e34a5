// A recipe: one TOML file with the settings of every stage of a run.
//
//   [run]                      # what the run is called, and how long its stages usually take
//   title = "..."
//   minutes = { cpt = 6.0 }
//
//   [cpt]                      # a stage; stages run in the order in which they are written
//   verb = "train"
//   sources = ["{cpt_tokens}/shards"]   # {name}: the folder of an earlier stage
//
//   [sft]
//   like = "cpt"               # begins with the settings (and verb) of another stage
//   init_from = "{cpt}/final"
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/stage_arguments.h"
#include "app/stage_kinds.h"

namespace trex::app {

struct Stage {
  std::string name;
  const StageKind* kind;
  Path folder;                         // where its results go
  std::vector<std::string> overrides;  // key=value for this stage alone
  std::vector<config::EffectiveValue> settings;
  std::vector<std::string> needs;  // earlier stages whose folders its settings name
  std::vector<Path> files;         // other files that its settings name
  double usual_seconds = 0;        // on two cores; 0 when the recipe does not say
};

struct Recipe {
  Path file;
  std::string title;
  std::string summary;
  std::vector<Stage> stages;

  const Stage* find(std::string_view name) const;
};

// Reads and checks the settings of all stages before any of them runs. `overrides` are
// "stage.key=value". Throws Input or Usage at the first fault; a stage may only name the folders
// of stages before it.
Recipe read_recipe(const Path& file, const Path& out, const std::vector<std::string>& overrides);

// The folder of a run when none is given: runs/<name of the recipe file>.
Path usual_out(const Path& file);

}  // namespace trex::app
