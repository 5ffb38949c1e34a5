// What arrives: the whole of a run's requests, planned before it starts, so that every policy meets
// exactly the same ones (heterogeneous serving, section 15).
//
// Open loops fix every arrival time beforehand. Closed loops and sessions fix chains: a request
// arrives some time after its predecessor has ended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perf/workload.h"
#include "schedule/request.h"
#include "simulate/event_queue.h"
#include "simulate/traces.h"

namespace trex::simulate {

struct PlannedRequest {
  static constexpr uint32_t kNone = UINT32_MAX;

  Nanoseconds at = 0;  // arrival; behind a predecessor: time after its end
  uint32_t successor = kNone;
  bool is_chained = false;  // arrives after a predecessor, not by the clock
  perf::RequestLengths lengths;
  uint32_t tenant = 0;
  uint32_t request_class = 0;                // index into Workload::classes
  uint32_t first_block = 0, num_blocks = 0;  // in Workload::blocks
};

struct RequestClass {
  std::string name = "default";
  schedule::Priority priority = schedule::Priority::Default;
  double ttft_deadline_s = 0;  // after the arrival; 0: none
};

struct Workload {
  std::vector<PlannedRequest> requests;  // those that are not chained by time
  std::vector<uint64_t> blocks;          // prefixes of all requests, end to end
  int64_t block_tokens = 0;
  std::vector<RequestClass> classes{RequestClass{}};
  std::vector<std::string> tenants{"default"};

  std::vector<perf::RequestLengths> lengths() const;
};

// How arrivals are spread over time.
struct ArrivalSettings {
  std::string arrivals = "trace";  // trace, offline, poisson, gamma, mmpp, closed, sessions
  int64_t requests = 4000;         // 0: as many as the trace has
  double rate = 0;           // requests/s; trace: compresses time to this rate; 0: as recorded
  double cv = 1;             // gamma
  double burst_factor = 4;   // mmpp: rate in bursts over the mean rate
  double burst_share = 0.1;  // mmpp: share of the time in bursts
  double burst_s = 10;       // mmpp: mean length of a burst
  double diurnal_swing = 0;  // poisson: rate swings by this share over day_s
  double day_s = 3600;
  int64_t clients = 64;                // closed
  double think_s = 0;                  // closed, sessions
  int64_t turns = 5;                   // sessions: mean number of turns
  int64_t system_prompt_tokens = 512;  // sessions: shared by all
  int64_t num_tenants = 1;
  double tenant_skew = 1;  // Zipf exponent of the tenants' shares
  bool thin = false;       // trace: reach `rate` by leaving requests out, keeping the times
  uint64_t seed = 1;
};

// Lengths come from the trace's rows: in order for `trace`, drawn with replacement otherwise.
// Throws Input at `where` for settings that contradict each other or that the trace cannot serve
// (arrivals of a list of lengths).
Workload plan_workload(const Trace& trace, const ArrivalSettings& settings,
                       const std::string& where = "arrivals");

}  // namespace trex::simulate
