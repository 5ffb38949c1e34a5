// The learning rate as a pure function of the step.
#pragma once

#include <cstdint>

#include "train/train_settings.h"

namespace trex::train {

// Warm-up, then one of
//   constant  peak to the end
//   cosine    half a cosine from peak to `final`, reached at the last step
//   wsd       peak (stable), then over the last `decay_steps` a straight line down to `final`
class Schedule {
 public:
  // Throws Input when warm-up and decay do not fit into `num_steps`, unless no step is made.
  Schedule(const ScheduleSettings& settings, int64_t num_steps);

  // `step` counts from 0. During warm-up the rate is peak * (step + 1) / warm-up steps: the first
  // update already moves the weights. Steps behind the last one keep its rate.
  double at(int64_t step) const;

 private:
  double peak_, final_;
  int64_t num_steps_, warmup_steps_, decay_steps_;
  enum class Kind { Constant, Cosine, Wsd } kind_;
};

}  // namespace trex::train
