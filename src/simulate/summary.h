// Numbers of a run that people compare: latencies, throughput, goodput; and their means over seeds
// with intervals.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "simulate/simulation.h"

namespace trex::simulate {

// Goodput counts requests that meet both (heterogeneous serving, section 17).
struct GoodputLimits {
  double ttft_s = 2;  // plus, for long prompts:
  double ttft_per_prompt_token_s = 0.5e-3;
  double tpot_s = 0.1;
};

struct Distribution {
  double mean = 0, p50 = 0, p90 = 0, p99 = 0;
};
// Of the values in any order; all zero for none. Percentiles by linear interpolation.
Distribution distribution_of(std::vector<double> values);

struct Summary {
  Distribution latency_s, ttft_s, tpot_s;  // of completed requests, from their arrival
  double makespan_s = 0;
  double requests_per_s = 0;         // over the makespan
  double output_tokens_per_s = 0;    // over the makespan
  double steady_requests_per_s = 0;  // ends within [10 %, 90 %] of the arrivals' time
  double steady_tokens_per_s = 0;    // output tokens within that window
  double goodput_per_s = 0;          // ends of good requests within that window
  double goodput_share = 0;          // of all requests
  double cached_share = 0;           // of prompt tokens
  int64_t requests = 0, completed = 0, refused = 0, expired = 0, failed = 0, preemptions = 0;
  int64_t cut = 0;  // of the completed, answers cut at an instance's longest context
};

Summary summarize(const Workload& workload, const SimulationResult& result,
                  const GoodputLimits& limits);

// Every number of a summary by name, in the order in which they are shown.
std::vector<std::pair<std::string, double>> named_numbers(const Summary& summary);

// The mean over runs and the half-width of its 95 % interval by Student's t; 0 for one run.
struct Estimate {
  double mean = 0, half_width = 0;
};
Estimate estimate_of(std::span<const double> values);

// One line of the records file (docs/formats.md, "Request records").
std::string record_line(const Workload& workload, const SimulationResult& result, size_t index);

}  // namespace trex::simulate
