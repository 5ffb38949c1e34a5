// The serving plan as one HTML page: choice, chart of the alternatives, sensitivity, launch lines.
#pragma once

#include <string>

#include "plan/serving_plan.h"

namespace trex::plan {

std::string page_of(const ServingPlan& plan);

}  // namespace trex::plan
