// What a user may set of the central queue (heterogeneous serving, 9.5).
#pragma once

#include <cstdint>
#include <vector>

#include "config/settings.h"

namespace trex::schedule {

struct QueueSettings {
  int64_t most_waiting = 10'000;
  double longest_wait_s = 600;
  double ageing_s = 30;
  double reserved_share = 0.05;
  double input_token_cost = 1;
  double output_token_cost = 2;
  std::vector<double> tenant_weights;

  template <class Visitor>
  void describe(Visitor&& visit) {
    visit("most_waiting", most_waiting, "Requests of one class that may wait.",
          config::at_least(0));
    visit("longest_wait_s", longest_wait_s, "Seconds after which a waiting request expires.",
          config::above(0));
    visit("ageing_s", ageing_s,
          "Seconds of waiting after which a request goes before higher classes.", config::above(0));
    visit("reserved_share", reserved_share, "Share of departures kept for each class that waits.",
          config::in_range(0, 0.25));
    visit("input_token_cost", input_token_cost, "What a prompt token costs its tenant.",
          config::at_least(0));
    visit("output_token_cost", output_token_cost, "What an answer token costs its tenant.",
          config::at_least(0));
    visit("tenant_weights", tenant_weights, "Share of each tenant by index; 1 where not given.",
          config::above(0));
  }
};

}  // namespace trex::schedule
