// What-if questions about a plan: which choices lost and why, and what a slower device would change
// (heterogeneous serving, section 8.1).
#pragma once

#include <vector>

#include "plan/serving_plan.h"

namespace trex::plan {

// The largest factor by which all rates can grow, whatever it costs.
double largest_scale(Problem problem);

// Shapes of the kinds in use, most promising first; each kind's shapes alone decide its part, so at
// most `most` searches are made.
std::vector<Alternative> losers(const ServingPlan& plan, const std::vector<Shape>& rejected,
                                size_t most);

// The alternative's instances become the plan's: `selection` with its gap to the bound, and shapes
// that `problem` lacks.
void take(ServingPlan& plan, const Alternative& alternative);

// Where the optimum is not proved, a what-if question may find a better plan: then that is the
// plan.
bool adopt_better(ServingPlan& plan);

// Every device of the inventory by itself 20 % slower.
std::vector<Sensitivity> sensitivity_of(const Problem& problem, const Selection& selection);

}  // namespace trex::plan
