// The verbs that can be a stage of a recipe, with the settings of each.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "config/settings.h"

namespace trex::app {

struct StageKind {
  std::string_view verb;
  // Fields of a settings object that lives as long as the program; each call gives it its default
  // values back.
  std::vector<config::Field> (*fields)();
};

std::span<const StageKind> stage_kinds();

// Throws Input, naming the nearest verb.
const StageKind& find_stage_kind(std::string_view verb, const std::string& where);

}  // namespace trex::app
