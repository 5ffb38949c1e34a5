// The best plans against each other in the simulator (heterogeneous serving, section 8.4): the
// closed form selects, the simulation decides. All plans meet the same requests, at the rates that
// the closed form's best promises, behind the production scheduler.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "base/text_table.h"
#include "plan/serving_plan.h"

namespace trex::plan {

struct CheckOptions {
  size_t num_plans = 5;  // the closed form's best among them
  int64_t seeds = 5;     // two at least: one has no interval
  int64_t requests =
      0;  // of each class and seed; 0: six times what the plan serves at once, 2,000 to 20,000
};

// Simulates the closed form's best and its best alternatives, sets `checked` and `verdict`, and
// makes the winner the plan; the closed form's best is then an alternative. A class without limits
// counts 2 s and 0.5 ms a prompt token to the first token, and 100 ms a token; of bulk without
// limits whatever ends is good. Throws Input for a trace that cannot be read.
void decide_by_simulation(ServingPlan& plan, const CheckOptions& options, Progress& progress);

// The plan to take: of those whose goodput the simulation cannot tell from the best (the intervals
// overlap) the one that the closed form ranks first. For cost, one that surely keeps the limits of
// 99 % of the requests is good enough as well.
size_t winner_of(const std::vector<CheckedPlan>& checked, Objective objective);

// Why the plan that was taken is the plan: one sentence, and a warning if even it breaks many
// limits.
std::string verdict_of(const std::vector<CheckedPlan>& checked, const Problem& problem);

// A row for each simulated plan, best goodput first; the plan's is marked by a star.
TextTable checked_table(const ServingPlan& plan);

// "99.1 ±0.3 %"
std::string goodput_text(const CheckedPlan& checked);

// What a person reads, with both ranks and the verdict, in lines of at most `width` (0: any).
std::string check_table(const ServingPlan& plan, size_t width = 0);
Json check_json(const ServingPlan& plan);

}  // namespace trex::plan
