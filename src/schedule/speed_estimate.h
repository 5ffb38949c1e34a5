// How fast an instance really is, measured against what its model says (9.7): the multiplier sigma
// of its iteration time.
#pragma once

#include <array>
#include <cstddef>

namespace trex::schedule {

// An exponentially weighted median of observed / expected ratios, with guards: at least 20 samples
// before it says anything, never outside [0.25, 4], never more than 10 % a second from where it
// was. Allocates nothing; not thread-safe.
class SpeedEstimate {
 public:
  // `observed_s` and `expected_s` for the same work, both positive.
  void observe(double observed_s, double expected_s, double now_s);

  // 1: as the model says; 2: half as fast.
  double sigma() const { return sigma_; }
  bool is_known() const;  // enough samples to say something
  // Where it moves from, as long as it is not known.
  void start_from(double sigma);
  bool is_at_slowest() const;  // sigma is as high as it can get
  double last_sample_s() const { return last_sample_s_; }

 private:
  static constexpr size_t kNumSamples = 64;
  struct Sample {
    double ratio = 0, at_s = 0;
  };
  double median_within(double low, double high, double now_s) const;

  std::array<Sample, kNumSamples> samples_{};
  size_t num_samples_ = 0, next_ = 0;
  double sigma_ = 1;
  double last_sample_s_ = 0;
};

}  // namespace trex::schedule
