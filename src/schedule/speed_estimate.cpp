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

// The weighted median, held within [low, high]. As sigma moves little at a time, most samples lie
// outside of that, and only those within have to be sorted.
double SpeedEstimate::median_within(double low, double high, double now_s) const {
  std::array<std::pair<double, double>, kNumSamples> within;  // ratio, weight
  size_t num_within = 0;
  double below = 0, total = 0;
  for (size_t i = 0; i < num_samples_; ++i) {
    const double ratio = samples_[i].ratio;
    const double weight = std::exp2(-(now_s - samples_[i].at_s) / kHalfLife_s);
    total += weight;
    if (ratio < low) {
      below += weight;
    } else if (ratio <= high) {
      within[num_within++] = {ratio, weight};
    }
  }
  if (2 * below >= total) return low;
  std::sort(within.begin(), within.begin() + static_cast<std::ptrdiff_t>(num_within));
  for (size_t i = 0; i < num_within; ++i) {
    below += within[i].second;
    if (2 * below >= total) return within[i].first;
  }
  return high;
}

void SpeedEstimate::observe(double observed_s, double expected_s, double now_s) {
  const double elapsed_s = num_samples_ == 0 ? 0 : std::max(now_s - last_sample_s_, 0.0);
  last_sample_s_ = now_s;
  samples_[next_] = {observed_s / expected_s, now_s};
  next_ = (next_ + 1) % kNumSamples;
  num_samples_ = std::min(num_samples_ + 1, kNumSamples);
  if (!is_known()) return;

  const double most = std::pow(1 + kMostChangePerSecond, elapsed_s);
  sigma_ =
      median_within(std::max(sigma_ / most, kLowest), std::min(sigma_ * most, kHighest), now_s);
}

bool SpeedEstimate::is_known() const { return num_samples_ >= kMinSamples; }

void SpeedEstimate::start_from(double sigma) {
  if (!is_known()) sigma_ = std::clamp(sigma, kLowest, kHighest);
}

bool SpeedEstimate::is_at_slowest() const { return sigma_ >= kHighest * (1 - 1e-9); }

}  // namespace trex::schedule
