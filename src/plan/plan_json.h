// The serving plan as a file (docs/formats.md, "Serving plan") and as a table for people.
#pragma once

#include <string>

#include "base/json.h"
#include "plan/serving_plan.h"

namespace trex::plan {

Json to_json(const ServingPlan& plan);

// The table a person decides from; `explain` adds memory, times and links of each choice.
std::string table_of(const ServingPlan& plan, bool explain);

}  // namespace trex::plan
