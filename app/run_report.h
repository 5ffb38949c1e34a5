// The report of a run: what its stages left in their folders, as one HTML page.
#pragma once

#include "app/recipe.h"

namespace trex::app {

// Writes <out>/report.html and returns its path. Stages of a kind without results to show
// (tokenizing) are listed with their times only.
Path write_run_report(const Recipe& recipe, const Path& out);

}  // namespace trex::app
