// What a user may set of the routing policies; each reads what concerns it.
#pragma once

#include <vector>

#include "config/settings.h"

namespace trex::schedule {

struct PolicySettings {
  // cap: how much a second of expected waiting weighs against a second of service (9.3).
  double wait_weight = 7;
  // cap, where prompts delay answers: the same for waiting behind prompts, and how much a second
  // that all others lose weighs. One chooses between first tokens (high, low) and mean latency.
  double prompt_wait_weight = 30;
  double others_weight = 0.4;
  double kv_price_s = 0.15;   // lambda: seconds that phi = 1 costs
  double load_bound = 1.3;    // prefix_bounded: most load of a favourite, times the mean
  double ttft_limit_s = 2;    // slo, for requests without a deadline
  double tpot_limit_s = 0.1;  // slo
  double temperature = 0;     // dynamo_cost: 0 takes the least
  // class_lp, and cap as a preference: share of each workload class (row) that each instance
  // (column) should serve, from the planner; empty when there is no plan.
  std::vector<std::vector<double>> class_shares;
  // max_flow: flow from each stage (row; 0 is the coordinator) to each instance (column), likewise.
  std::vector<std::vector<double>> edge_flows;

  template <class Visitor>
  void describe(Visitor&& visit) {
    visit("wait_weight", wait_weight,
          "cap: weight of a second of expected waiting against one of service.",
          config::in_range(0, 1000));
    visit("prompt_wait_weight", prompt_wait_weight,
          "cap: the same for waiting behind prompts in engines that read them between answers.",
          config::in_range(0, 1000));
    visit("others_weight", others_weight,
          "cap: weight of a second by which a request delays all others there.",
          config::in_range(0, 1000));
    visit("kv_price_s", kv_price_s, "Seconds that a half-full cache costs (lambda).",
          config::at_least(0));
    visit("load_bound", load_bound, "prefix_bounded: most load of a favourite, times the mean.",
          config::at_least(1));
    visit("ttft_limit_s", ttft_limit_s, "slo: limit of the time to the first token.",
          config::above(0));
    visit("tpot_limit_s", tpot_limit_s, "slo: limit of the time per output token.",
          config::above(0));
    visit("temperature", temperature, "dynamo_cost: 0 takes the least cost.", config::at_least(0));
  }
};

}  // namespace trex::schedule
