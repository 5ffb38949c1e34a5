// How long an answer will be, from the answers seen so far (heterogeneous serving, 9.8).
//
// Levels 0 to 2: the mean of the workload; a decaying histogram by workload and prompt length;
// and, while an answer is being written, its expected rest given how long it is already. A caller's
// max_new_tokens is a cap, not a prediction.
//
// Deterministic; not thread-safe (the scheduler's lock covers it); allocates only when a new
// workload appears.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "schedule/policy.h"

namespace trex::schedule {

// Prompt lengths are told apart by factors of two.
inline constexpr size_t kNumPromptClasses = 20;
size_t prompt_class(double prompt_tokens);

// Lengths in log-spaced buckets with exponentially fading counts.
class LengthHistogram {
 public:
  static constexpr size_t kNumBuckets = 72;  // factor 1.18 each: up to 128k tokens

  // `prior_mean` answers questions until observations outweigh it: an exponential distribution of
  // that mean with the weight of `prior_weight` observations.
  LengthHistogram(double prior_mean, double prior_weight);

  void observe(double tokens);

  // As of the last refresh, which comes after every few observations.
  const LengthEstimate& estimate() const { return estimate_; }

  // E[O - n | O > n], at least 1.
  double rest(double emitted) const;

 private:
  static size_t bucket_of(double tokens);
  void refresh();
  // Where a share of the histogram's total lies below.
  using Histogram = std::array<double, kNumBuckets>;
  static double quantile(const Histogram& histogram, double share);

  Histogram count_{}, sum_{};
  std::array<double, kNumBuckets> rest_{};  // at the bucket's lower edge
  LengthEstimate estimate_;
  int unrefreshed_ = 0;
};

class LengthPredictor {
 public:
  struct Settings {
    double prior_mean_tokens = 200;
    double prior_weight = 20;
  };

  explicit LengthPredictor(Settings settings) : settings_(settings) {}

  LengthEstimate predict(const Request& request);
  double rest(uint32_t workload, double prompt_tokens, double emitted, double cap);
  void observe(uint32_t workload, double prompt_tokens, double output_tokens);

 private:
  // Statistics of one workload: all of it, and by prompt length.
  struct Workload {
    LengthHistogram all;
    std::vector<LengthHistogram> by_prompt;
    std::vector<double> seen;
  };

  Workload& workload(uint32_t index);
  const LengthHistogram& histogram(uint32_t index, double prompt_tokens);

  Settings settings_;
  std::vector<Workload> workloads_;
};

}  // namespace trex::schedule
