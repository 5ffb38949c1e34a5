#include "schedule/length_predictor.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace trex::schedule {
namespace {

constexpr double kBucketFactor = 1.18;
// After this many observations an old one counts half.
constexpr double kHalfLife = 20'000;
// The tables that answers are read from are made again after this many observations.
constexpr int kRefreshEvery = 32;
// A class of prompt lengths speaks for itself after this many answers.
constexpr double kEnoughSeen = 200;
constexpr double kHardlyAnyPrior = 1e-3;  // as it is not asked before

// A table: every answer in flight asks for two edges each time that its rest is brought up to date.
class Edges {
 public:
  Edges() {
    for (size_t b = 1; b < edges_.size(); ++b)
      edges_[b] = std::pow(kBucketFactor, static_cast<double>(b - 1));
  }
  double operator[](size_t bucket) const { return edges_[bucket]; }

 private:
  std::array<double, LengthHistogram::kNumBuckets + 1> edges_{};
};
const Edges kEdges;

}  // namespace

size_t prompt_class(double tokens) {
  const auto whole = static_cast<uint64_t>(std::clamp(tokens, 1.0, 1e15));
  return std::min(static_cast<size_t>(std::bit_width(whole)) - 1, kNumPromptClasses - 1);
}

size_t LengthHistogram::bucket_of(double tokens) {
  if (tokens < 1) return 0;
  const auto bucket = static_cast<size_t>(std::log(tokens) / std::log(kBucketFactor)) + 1;
  return std::min(bucket, kNumBuckets - 1);
}

LengthHistogram::LengthHistogram(double prior_mean, double prior_weight) {
  for (size_t b = 0; b < kNumBuckets; ++b) {
    const double low = kEdges[b], high = kEdges[b + 1];
    count_[b] = prior_weight * (std::exp(-low / prior_mean) - std::exp(-high / prior_mean));
    sum_[b] = count_[b] * (low + high) / 2;
  }
  refresh();
}

void LengthHistogram::observe(double tokens) {
  // Growing the new observation's weight instead of fading all the old ones would overflow in a
  // long-lived gateway; fading in steps is exact enough and cheap.
  const size_t bucket = bucket_of(tokens);
  count_[bucket] += 1;
  sum_[bucket] += tokens;
  if (++unrefreshed_ < kRefreshEvery) return;
  const double fade = std::exp2(-kRefreshEvery / kHalfLife);
  for (size_t b = 0; b < kNumBuckets; ++b) {
    count_[b] *= fade;
    sum_[b] *= fade;
  }
  refresh();
}

void LengthHistogram::refresh() {
  unrefreshed_ = 0;
  double count = 0, sum = 0;
  for (size_t b = kNumBuckets; b-- > 0;) {
    count += count_[b];
    sum += sum_[b];
    rest_[b] = count > 0 ? std::max(sum / count - kEdges[b], 1.0) : 1;
  }
  estimate_ = {.mean = sum / count, .p90 = quantile(count_, 0.9), .longest = quantile(sum_, 0.99)};
}

double LengthHistogram::quantile(const Histogram& histogram, double share) {
  double total = 0;
  for (const double each : histogram) total += each;
  double below = 0;
  for (size_t b = 0; b < kNumBuckets; ++b) {
    if (below + histogram[b] < share * total) {
      below += histogram[b];
      continue;
    }
    const double within = histogram[b] > 0 ? (share * total - below) / histogram[b] : 0;
    return kEdges[b] + within * (kEdges[b + 1] - kEdges[b]);
  }
  return kEdges[kNumBuckets - 1];
}

double LengthHistogram::rest(double emitted) const {
  const size_t bucket = bucket_of(emitted);
  if (bucket + 1 >= kNumBuckets) return rest_[bucket];
  // Between two edges the rest changes little and nearly linearly.
  const double low = kEdges[bucket], high = kEdges[bucket + 1];
  const double within = std::clamp((emitted - low) / (high - low), 0.0, 1.0);
  return rest_[bucket] + within * (rest_[bucket + 1] - rest_[bucket]);
}

LengthPredictor::Workload& LengthPredictor::workload(uint32_t index) {
  while (workloads_.size() <= index) {
    const double mean = settings_.prior_mean_tokens;
    workloads_.push_back({LengthHistogram(mean, settings_.prior_weight),
                          std::vector(kNumPromptClasses, LengthHistogram(mean, kHardlyAnyPrior)),
                          std::vector<double>(kNumPromptClasses)});
  }
  return workloads_[index];
}

const LengthHistogram& LengthPredictor::histogram(uint32_t index, double prompt_tokens) {
  Workload& statistics = workload(index);
  const size_t level = prompt_class(prompt_tokens);
  return statistics.seen[level] >= kEnoughSeen ? statistics.by_prompt[level] : statistics.all;
}

LengthEstimate LengthPredictor::predict(const Request& request) {
  LengthEstimate estimate = histogram(request.workload, request.prompt_tokens).estimate();
  if (request.max_new_tokens > 0) {
    for (double* tokens : {&estimate.mean, &estimate.p90, &estimate.longest}) {
      *tokens = std::min(*tokens, request.max_new_tokens);
    }
  }
  return estimate;
}

double LengthPredictor::rest(uint32_t workload_index, double prompt_tokens, double emitted,
                             double cap) {
  const double rest = histogram(workload_index, prompt_tokens).rest(emitted);
  return cap > 0 ? std::clamp(cap - emitted, 1.0, rest) : rest;
}

void LengthPredictor::observe(uint32_t workload_index, double prompt_tokens, double output_tokens) {
  Workload& statistics = workload(workload_index);
  const size_t level = prompt_class(prompt_tokens);
  statistics.all.observe(output_tokens);
  statistics.by_prompt[level].observe(output_tokens);
  statistics.seen[level] += 1;
}

}  // namespace trex::schedule
