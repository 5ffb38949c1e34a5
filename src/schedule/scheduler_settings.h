// What a user may set of the scheduler.
#pragma once

#include <optional>
#include <string>

#include "config/settings.h"
#include "schedule/policy_settings.h"
#include "schedule/queue_settings.h"

namespace trex::schedule {

// Whom to turn away (9.6). Bulk requests are admitted while there is room in the queue.
struct AdmissionSettings {
  std::optional<double> interactive_ttft_s;  // auto: as long as a request may wait
  std::optional<double> default_ttft_s;
  double token_budget = 0.9;

  template <class Visitor>
  void describe(Visitor&& visit) {
    visit("interactive_ttft_s", interactive_ttft_s,
          "Interactive requests are refused when their first token would take longer; auto: the "
          "queue's "
          "longest_wait_s.",
          config::above(0));
    visit("default_ttft_s", default_ttft_s, "The same for requests of the default class.",
          config::above(0));
    visit("token_budget", token_budget,
          "Share of all instances' cache that requests in flight may be expected to need.",
          config::in_range(0.01, 100));
  }
};

struct SchedulerSettings {
  std::string policy = "cap";
  PolicySettings policy_settings;
  QueueSettings queue;
  AdmissionSettings admission;
  std::optional<bool> late_binding;
  double depth_slack = 0.1;
  bool measure_speed = true;
  int64_t most_compared = 64;
  double usual_prompt_tokens = 1000;
  double usual_output_tokens = 200;
  double prefix_expiry_s = 120;
  int64_t prefix_block_tokens = 512;
  int64_t prefix_most_blocks = 20'000;
  uint64_t seed = 1;

  template <class Visitor>
  void describe(Visitor&& visit) {
    visit("policy", policy, "Routing policy: how an instance is chosen.");
    visit("options", policy_settings, "Options of the policies.");
    visit("queue", queue, "The central queue.");
    visit("admission", admission, "Whom to turn away.");
    visit("late_binding", late_binding,
          "Keep requests in the central queue while their instance is full; auto: as the policy "
          "does.");
    visit("depth_slack", depth_slack, "Under late binding instances take (1 + this) x their slots.",
          config::in_range(0, 10));
    visit("measure_speed", measure_speed, "Correct capabilities by the speed that is observed.");
    visit("most_compared", most_compared,
          "Instances compared in one decision; of more, a sample by weight.",
          config::in_range(2, 4096));
    visit("usual_prompt_tokens", usual_prompt_tokens,
          "Mean prompt of the workload, before it is known.", config::above(0));
    visit("usual_output_tokens", usual_output_tokens,
          "Mean answer of the workload, before it is known.", config::above(0));
    visit("prefix_expiry_s", prefix_expiry_s, "Seconds that a prefix is believed to be cached.",
          config::above(0));
    visit("prefix_block_tokens", prefix_block_tokens, "Tokens behind one hash of a prefix.",
          config::in_range(1, 65536));
    visit("prefix_most_blocks", prefix_most_blocks,
          "Blocks remembered for one instance, at the most.", config::at_least(1));
  }
};

}  // namespace trex::schedule
