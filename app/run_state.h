// What a run's folder knows about its stages, so that a second run does only what is needed.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "app/recipe.h"

namespace trex::app {

// One line in a stage's folder: stage.json.
struct StageRecord {
  std::string key;  // content hash of everything that the results depend on
  bool is_done = false;
  double seconds = 0;  // wall time over all its runs with this key
};

std::optional<StageRecord> read_record(const Stage& stage);
void write_record(const Stage& stage, const StageRecord& record);

// For each stage the hash of its verb, effective settings, the program's version, the content of
// the files that it names and the keys of the stages that it needs. Stages are deterministic, so
// equal keys mean equal results.
std::map<std::string, std::string> stage_keys(const Recipe& recipe);

enum class StageStep { Skip, Continue, Start };

// Skip: done with this key. Continue: was interrupted with this key. Start: anything else; the
// folder's old content belongs to other settings and must go.
StageStep next_step(const Stage& stage, const std::string& key);

}  // namespace trex::app
