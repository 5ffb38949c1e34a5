#include "schedule/length_predictor.h"

#include <algorithm>
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

double lower_edge(size_t bucket) {
  return bucket == 0 ? 0 : std::pow(kBucketFactor, static_cast<double>(bucket - 1));
}

}  // namespace

size_t prompt_class(double tokens) {
  const auto level = static_cast<size_t>(std::log2(std::max(tokens, 1.0)));
  return std::min(level, kNumPromptClasses - 1);
}

size_t LengthHistogram::bucket_of(double tokens) {
  if (tokens < 1) return 0;
  const auto bucket = static_cast<size_t>(std::log(tokens) / std::log(kBucketFactor)) + 1;
  return std::min(bucket, kNumBuckets - 1);
}

LengthHistogram::LengthHistogram(double prior_mean, double prior_weight) {
  for (size_t b = 0; b < kNumBuckets; ++b) {
    const double low = lower_edge(b);
    const double high = b + 1 < kNumBuckets ? lower_edge(b + 1) : low * kBucketFactor;
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
    rest_[b] = count > 0 ? std::max(sum / count - lower_edge(b), 1.0) : 1;
  }
  estimate_ = {.mean = sum / count, .p90 = quantile(0.9), .p99 = quantile(0.99)};
}

double LengthHistogram::quantile(double share) const {
  double total = 0;
  for (const double count : count_) total += count;
  double below = 0;
  for (size_t b = 0; b < kNumBuckets; ++b) {
    if (below + count_[b] < share * total) {
      below += count_[b];
      continue;
    }
    const double within = count_[b] > 0 ? (share * total - below) / count_[b] : 0;
    const double high = b + 1 < kNumBuckets ? lower_edge(b + 1) : lower_edge(b) * kBucketFactor;
    return lower_edge(b) + within * (high - lower_edge(b));
  }
  return lower_edge(kNumBuckets - 1);
}

double LengthHistogram::rest(double emitted) const {
  const size_t bucket = bucket_of(emitted);
  if (bucket + 1 >= kNumBuckets) return rest_[bucket];
  // Between two edges the rest changes little and nearly linearly.
  const double low = lower_edge(bucket), high = lower_edge(bucket + 1);
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
    for (double* tokens : {&estimate.mean, &estimate.p90, &estimate.p99}) {
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
