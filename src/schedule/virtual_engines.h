// A small event simulation for this module's tests: the production scheduler with a virtual clock
// before engines of the simple kind (data/traces/four_engines/README.md): a fixed time per token
// whatever the batch, slots with a FIFO line before them, one prompt at a time.
#pragma once

#include <vector>

#include "base/files.h"
#include "schedule/scheduler_settings.h"
#include "schedule/test_support.h"

namespace trex::schedule {

struct Arrival {
  double at_s = 0;
  double prompt_tokens = 0;
  double output_tokens = 0;  // known to the engines only
};

struct Outcome {
  double mean_latency_s = 0, p99_latency_s = 0;
  double mean_ttft_s = 0, p99_ttft_s = 0;
  double done_per_s = 0;  // within the first `window_s`
  double makespan_s = 0;
  std::vector<int> served;  // by engine
};

Outcome run_engines(const SchedulerSettings& settings, const std::vector<SimpleEngine>& engines,
                    const std::vector<Arrival>& arrivals, double window_s = 60);

// Rows of arrival in seconds, prompt tokens, output tokens, after a header.
std::vector<Arrival> read_arrivals(const Path& file);

// The field-wise mean of outcomes (served is left out).
Outcome mean_of(const std::vector<Outcome>& outcomes);

}  // namespace trex::schedule
