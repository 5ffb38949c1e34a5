#include "train/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "base/error.h"

namespace trex::train {

Schedule::Schedule(const ScheduleSettings& settings, int64_t num_steps)
    : peak_(settings.learning_rate),
      final_(settings.final_learning_rate),
      num_steps_(num_steps),
      warmup_steps_(settings.warmup_steps),
      decay_steps_(settings.decay_steps),
      kind_(settings.kind == "cosine" ? Kind::Cosine
                                      : (settings.kind == "wsd" ? Kind::Wsd : Kind::Constant)) {
  TREX_CHECK(num_steps >= 0, "num_steps is {}", num_steps);
  const int64_t decay = kind_ == Kind::Wsd ? decay_steps_ : 0;
  if (num_steps > 0 && warmup_steps_ + decay > num_steps) {
    throw input_error("train",
                      kind_ == Kind::Wsd ? "schedule.warmup_steps + schedule.decay_steps"
                                         : "schedule.warmup_steps",
                      fmt::format("at most the {} steps of the run", num_steps),
                      std::to_string(warmup_steps_ + decay));
  }
}

double Schedule::at(int64_t step) const {
  TREX_CHECK(step >= 0, "step is {}", step);
  if (step < warmup_steps_) return peak_ * double(step + 1) / double(warmup_steps_);
  if (kind_ == Kind::Constant) return peak_;
  // The part of the decay that is over after this step: 1 at the last step.
  const int64_t start = kind_ == Kind::Cosine ? warmup_steps_ : num_steps_ - decay_steps_;
  const bool includes_start = kind_ == Kind::Cosine;  // the peak itself is the curve's first point
  const int64_t length = num_steps_ - start - (includes_start ? 1 : 0);
  const int64_t done = step - start + (includes_start ? 0 : 1);
  if (done <= 0 || length <= 0) return peak_;
  const double part = std::min(1.0, double(done) / double(length));
  const double height =
      kind_ == Kind::Cosine ? 0.5 * (1 + std::cos(std::numbers::pi * part)) : 1 - part;
  return final_ + (peak_ - final_) * height;
}

}  // namespace trex::train
