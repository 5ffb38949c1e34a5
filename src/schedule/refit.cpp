#include "schedule/refit.h"

#include <algorithm>
#include <cmath>

namespace trex::schedule {
namespace {

constexpr double kForgetting = 0.995;
constexpr size_t kMinSamples = 500, kSamplesBetween = 50;
constexpr double kLowest = 0.25, kHighest = 4;
// Pull of each factor towards 1, against samples of weight 1: it decides where they say nothing.
constexpr double kPrior = 1e-4;
// Other factors must be this much better, relatively and in all: models that are right miss by 1 to
// 4 %, because batches and contexts are only known roughly, and factors can be found that miss by
// less in any workload.
constexpr double kMuchBetter = 0.6, kWorthwhile = 0.03;
constexpr int kSweeps = 100;

double dot(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

void Refit::Error::add(double observed_over_predicted, double weight) {
  ratio += (observed_over_predicted - ratio) * weight;
  deviation += (std::abs(observed_over_predicted / ratio - 1) - deviation) * weight;
}

bool Refit::observe(const ModelParts& believed, double observed_s) {
  double expected_s = 0;
  for (const double part : believed.of) expected_s += part;
  const double y = observed_s / expected_s;
  const bool is_sound =
      expected_s > 0 && y > 0 && std::isfinite(y) &&
      std::all_of(believed.of.begin(), believed.of.end(), [](double part) { return part >= 0; });
  if (!is_sound) return false;
  Row x;
  for (size_t i = 0; i < kParts; ++i) x[i] = believed.of[i] / expected_s;

  // Predicted before it is learnt from.
  ++num_samples_;
  const double share = std::max(1 - kForgetting, 1 / static_cast<double>(num_samples_));
  believed_.add(y, share);
  refitted_.add(y / dot(candidate_.of, x), share);

  for (size_t i = 0; i < kParts; ++i) {
    for (size_t j = 0; j < kParts; ++j) {
      products_[i][j] = kForgetting * products_[i][j] + x[i] * x[j];
    }
    with_observed_[i] = kForgetting * with_observed_[i] + x[i] * y;
    mean_[i] = kForgetting * mean_[i] + x[i];
  }
  weight_ = kForgetting * weight_ + 1;
  if (num_samples_ % kSamplesBetween != 0) return false;
  const bool changed = choose();
  solve();
  return changed;
}

// By coordinates, each within its bounds: four unknowns, and the problem is convex.
void Refit::solve() {
  Row factors = candidate_.of;
  const double prior = kPrior * weight_;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (size_t i = 0; i < kParts; ++i) {
      const double others = dot(products_[i], factors) - products_[i][i] * factors[i];
      const double best = (with_observed_[i] - others + prior) / (products_[i][i] + prior);
      factors[i] = std::clamp(best, kLowest, kHighest);
    }
  }
  const double scale = weight_ / dot(mean_, factors);
  for (size_t i = 0; i < kParts; ++i) {
    const bool is_seen = products_[i][i] > 0;
    candidate_.of[i] = is_seen ? std::clamp(scale * factors[i], kLowest, kHighest) : 1;
  }
}

bool Refit::choose() {
  const double limit =
      is_adopted_ ? believed_.deviation
                  : std::min(kMuchBetter * believed_.deviation, believed_.deviation - kWorthwhile);
  is_adopted_ = num_samples_ >= kMinSamples && refitted_.deviation < limit;
  const ModelParts before = factors_;
  factors_ = is_adopted_ ? candidate_ : ModelParts{{1, 1, 1, 1}};
  return factors_.of != before.of;
}

}  // namespace trex::schedule
