// The best plans against each other in the simulator (heterogeneous serving, section 8.4): the closed form selects, the
// simulation decides. All plans meet the same requests, at the rates that the chosen plan promises, behind the
// production scheduler.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "plan/serving_plan.h"
#include "simulate/summary.h"

namespace trex::plan {

struct CheckOptions {
  size_t num_plans = 5;          // the chosen one among them
  int64_t seeds = 5;
  int64_t requests = 2000;       // of each class and seed
};

struct CheckedPlan {
  std::string text;              // "this plan", or the alternative's
  double scale = 0;              // by the closed form
  double cost_usd_h = 0;         // of the devices in use
  simulate::Estimate goodput;    // share of requests that kept their limits, 0 to 1
  simulate::Estimate requests_per_s;  // completed, from the first arrival to the last end
  simulate::Estimate first_token_s;   // mean
  simulate::Estimate per_token_s;     // mean
};

// Best goodput first; ties in the order of the closed form. A class without limits counts 2 s and 0.5 ms a prompt token
// to the first token, and 100 ms a token. Throws Input for a trace that cannot be read.
std::vector<CheckedPlan> check_by_simulation(const ServingPlan& plan, const CheckOptions& options, Progress& progress);

// What a person reads, with the verdict: the plan stands, or which other one is beyond its interval.
std::string check_table(const std::vector<CheckedPlan>& checked, Objective objective);
Json check_json(const std::vector<CheckedPlan>& checked);

}  // namespace trex::plan
