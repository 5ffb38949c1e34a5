// A training run from its settings to the finished model: steps, checkpoints, metrics, resuming.
//
//   <out>/step_000100/    checkpoints to go on from (train/trainer_state.h), the newest few
//   <out>/final/          the finished model
//   <out>/metrics.jsonl   one line a step; <out>/tensorboard/ the same as curves
//   <out>/summary.json    the last line of it all
#pragma once

#include <functional>
#include <optional>

#include "base/clock.h"
#include "base/files.h"
#include "base/progress.h"
#include "train/train_settings.h"

namespace trex::train {

// The world around a run.
struct RunContext {
  const Clock& clock;
  std::function<double()> unix_seconds;  // time of day, for TensorBoard
  Progress& progress;
  std::function<bool()> stop_requested;  // asked after every step
};

// What is known of the whole run after its last step, over all interruptions.
struct RunTotals {
  int64_t tokens = 0;                    // padding left out
  double loss = 0, next_token_loss = 0;  // of the last step; 0 when none was made
  std::optional<double> eval_loss;
};

struct RunSummary {
  int64_t steps_done = 0, num_steps = 0;
  std::optional<int64_t> resumed_at;  // step of the checkpoint that the run went on from
  RunTotals totals;
  double tokens_per_second = 0, mfu = 0;  // means over the steps of this process; 0 without any
  double peak_gflops = 0;
  Path checkpoint;  // final, or the one to go on from

  bool is_finished() const { return steps_done == num_steps; }
};

// Trains, or goes on where the newest checkpoint in `out` ends: the result is then the same, byte
// by byte, as without the interruption (with the same number of threads). When a stop is requested
// the step is finished and a checkpoint written. Throws Input for settings or files that do not fit
// or belong to another run, Failed when the loss diverges. Sets LibTorch's number of threads.
RunSummary run_training(const TrainSettings& settings, const Path& out, const RunContext& context);

}  // namespace trex::train
