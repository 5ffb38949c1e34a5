// Names and units of what a training run reports.
#pragma once

#include <span>
#include <string>

#include "base/metrics.h"
#include "data/loader.h"
#include "train/trainer.h"

namespace trex::train {

struct Speed {
  double tokens_per_second = 0;
  double gflops = 0;  // model operations a second (deepseek-v4 6.2)
  double mfu = 0;     // share of the peak
};

Speed speed_of(const StepReport& report, double peak_gflops);

// One line of metrics.jsonl and one point of each TensorBoard curve. `tokens` counts from the
// beginning of the run. `sources` are those of the report, in its order.
Metrics metrics_of(const StepReport& report, std::span<const data::SourceState> sources,
                   const Speed& speed, int64_t tokens);

// "loss 2.31, 5,300 tokens/s, 12 % of peak": the note behind the progress numbers.
std::string progress_note(const StepReport& report, const Speed& speed);

}  // namespace trex::train
