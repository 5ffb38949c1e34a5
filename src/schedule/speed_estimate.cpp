#include "schedule/speed_estimate.h"

#include <algorithm>
#include <cmath>

namespace trex::schedule {
namespace {

constexpr double kHalfLife_s = 30;
constexpr size_t kMinSamples = 20;
constexpr double kLowest = 0.25, kHighest = 4;
constexpr double kMostChangePerSecond = 0.10;

}  // namespace

double SpeedEstimate::weighted_median(double now_s) const {
  std::array<std::pair<double, double>, kNumSamples> weighted;  // ratio, weight
  double total = 0;
  for (size_t i = 0; i < num_samples_; ++i) {
    const double weight = std::exp2(-(now_s - samples_[i].at_s) / kHalfLife_s);
    weighted[i] = {samples_[i].ratio, weight};
    total += weight;
  }
  std::sort(weighted.begin(), weighted.begin() + static_cast<std::ptrdiff_t>(num_samples_));
  double below = 0;
  for (size_t i = 0; i < num_samples_; ++i) {
    below += weighted[i].second;
    if (2 * below >= total) return weighted[i].first;
  }
  return 1;
}

void SpeedEstimate::observe(double observed_s, double expected_s, double now_s) {
  const double elapsed_s = num_samples_ == 0 ? 0 : std::max(now_s - last_sample_s_, 0.0);
  last_sample_s_ = now_s;
  samples_[next_] = {observed_s / expected_s, now_s};
  next_ = (next_ + 1) % kNumSamples;
  num_samples_ = std::min(num_samples_ + 1, kNumSamples);
  if (num_samples_ < kMinSamples) return;

  const double most = std::pow(1 + kMostChangePerSecond, elapsed_s);
  const double wanted = std::clamp(weighted_median(now_s), kLowest, kHighest);
  sigma_ = std::clamp(wanted, sigma_ / most, sigma_ * most);
}

bool SpeedEstimate::is_at_slowest() const { return sigma_ >= kHighest * (1 - 1e-9); }

}  // namespace trex::schedule
