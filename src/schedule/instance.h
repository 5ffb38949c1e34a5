// One engine instance as the scheduler sees it: what it can do, and what is on it now.
//
// Local truth first: these numbers count what was sent and what came back. Metrics scraped from
// the engine only correct them (9.7).
#pragma once

#include <cstdint>
#include <string>

#include "perf/instance_model.h"

namespace trex::schedule {

using InstanceIndex = uint32_t;

// What does not change while an instance lives.
struct InstanceSpec {
  std::string name;
  perf::InstanceModel model;
  double weight = 0;     // X_i: requests/s that it sustains on the usual workload (perf E1)
  double network_s = 0;  // one way, added to the time to first token
  // Steps carry prompts beside answers, so answers wait while prompts are read (continuous
  // batching); false: prompts are read apart.
  bool prompts_delay_answers = true;
};

enum class InstanceState : uint8_t { Ready, Draining, Ejected, Down };

// The numbers that policies read, precomputed on every change so that a decision only compares.
// A snapshot: it stays the same during one decision. All times in seconds of that instance.
struct alignas(64) InstanceView {
  InstanceIndex index = 0;
  InstanceState state = InstanceState::Ready;

  // Capability, with the measured speed multiplier in it (sigma of 9.7; 10 and more for an
  // outlier).
  bool is_outlier = false;       // far slower than its plan for long: worth an alert
  double weight = 0;             // X_i / sigma_i
  double prompt_token_s = 0;     // pi_i: one uncached prompt token
  double output_token_s = 0;     // delta_i = T_i(B*)/B*: one output token at the operating batch
  double slots = 0;              // B_i: most sequences at once for the usual request
  double depth = 0;              // D_i: dispatch while in_flight < depth
  double kv_capacity_bytes = 0;  // K_i
  double network_s = 0;
  bool prompts_delay_answers = true;

  // Load.
  double in_flight = 0;           // n_i = waiting + prefilling + decoding
  double external = 0;            // E_i: requests of others that the engine reports
  double before_first_token = 0;  // w_i: sent, no first token yet
  double decoding = 0;            // b_i
  double uncached_tokens = 0;     // U_i: prompt tokens of those without a first token
  double unread_tokens =
      0;  // of these, what the engine cannot have computed yet (Cluster::view_at)
  double output_tokens_left = 0;  // V_i: expected rest of all in flight
  double kv_bytes = 0;            // kv_i, with the predicted rest reserved

  // Derived from both.
  double backlog_s = 0;         // W_i = pi_i U_i + delta_i V_i
  double iteration_s = 0;       // T_i(b_i), prompts read in between included
  double next_iteration_s = 0;  // T_i(b_i + 1), likewise
  // When one more joins all that are there, as far as there are slots: the batch, a step of it, by
  // how much that one lengthens a step, and how many times as long as an empty step it is.
  double joined = 1;
  double joined_iteration_s = 0;
  double joined_slope_s = 0;
  double stretch = 1;
  double line_token_s = 0;  // one token of the prompts that wait there, steps for answers included
  double release_per_s =
      0;  // requests that finish a second, from the expected rest of those in flight

  // Ours and those of others.
  double occupied() const { return in_flight + external; }
};

// What an engine's metrics say, read at `at_s` on the scheduler's clock.
struct EngineReport {
  double running = 0;
  double waiting = 0;
  double at_s = 0;
};

}  // namespace trex::schedule
