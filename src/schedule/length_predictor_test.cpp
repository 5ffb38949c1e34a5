#include "schedule/length_predictor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"

namespace trex::schedule {
namespace {

// Answers with a long tail, about 200 tokens in the mean.
std::vector<double> long_tailed(size_t count, uint64_t seed) {
  Rng rng(seed, "lengths");
  std::vector<double> lengths(count);
  for (double& length : lengths) length = std::max(1.0, std::round(std::exp(4.8 + rng.normal())));
  return lengths;
}

double mean_rest(const std::vector<double>& lengths, double emitted) {
  double sum = 0, count = 0;
  for (const double length : lengths) {
    if (length <= emitted) continue;
    sum += length - emitted;
    count += 1;
  }
  return sum / count;
}

Request request_of(uint32_t workload, double prompt) {
  Request request;
  request.workload = workload;
  request.prompt_tokens = prompt;
  return request;
}

TEST(LengthPredictor, AnswersItsPriorBeforeAnythingIsSeen) {
  LengthPredictor predictor({.prior_mean_tokens = 200, .prior_weight = 20});
  // An exponential distribution: mean 200, p90 = 200 ln 10 = 460, and it does not age. Buckets are
  // a factor of 1.18 wide.
  const LengthEstimate estimate = predictor.predict(request_of(0, 500));
  EXPECT_NEAR(estimate.mean, 200, 10);
  EXPECT_NEAR(estimate.p90, 460, 25);
  // Answers beyond x = 200 t have (1 + t) e^-t of the tokens: 1 % where t = 6.638.
  EXPECT_NEAR(estimate.longest, 1328, 70);
  EXPECT_NEAR(predictor.rest(0, 500, 100, 0), 200, 15);
}

TEST(LengthPredictor, ExpectedRestAgreesWithTheSamples) {
  LengthPredictor predictor({.prior_mean_tokens = 200, .prior_weight = 20});
  std::vector<double> lengths = long_tailed(20'000, 1);
  for (const double length : lengths) predictor.observe(0, 500, length);
  std::sort(lengths.begin(), lengths.end());
  const LengthEstimate estimate = predictor.predict(request_of(0, 500));
  EXPECT_NEAR(estimate.mean / mean_rest(lengths, 0), 1, 0.03);
  EXPECT_NEAR(estimate.p90 / lengths[lengths.size() * 9 / 10], 1, 0.05);
  for (const double emitted : {10.0, 50.0, 137.0, 300.0, 700.0}) {
    EXPECT_NEAR(predictor.rest(0, 500, emitted, 0) / mean_rest(lengths, emitted), 1, 0.05)
        << emitted;
  }
}

TEST(LengthPredictor, RestGrowsWithALongTail) {
  LengthPredictor predictor({});
  for (const double length : long_tailed(5'000, 2)) predictor.observe(0, 500, length);
  EXPECT_GT(predictor.rest(0, 500, 800, 0), predictor.rest(0, 500, 20, 0));
}

TEST(LengthPredictor, CapsAreCapsAndNotPredictions) {
  LengthPredictor predictor({});
  Request request = request_of(0, 500);
  const double mean = predictor.predict(request).mean;
  request.max_new_tokens = 4096;
  EXPECT_DOUBLE_EQ(predictor.predict(request).mean, mean);
  request.max_new_tokens = 50;
  EXPECT_DOUBLE_EQ(predictor.predict(request).mean, 50);
  EXPECT_DOUBLE_EQ(predictor.predict(request).p90, 50);
  EXPECT_DOUBLE_EQ(predictor.predict(request).longest, 50);
  EXPECT_DOUBLE_EQ(predictor.rest(0, 500, 45, 50), 5);
  EXPECT_DOUBLE_EQ(predictor.rest(0, 500, 60, 50), 1);  // never less than one
}

TEST(LengthPredictor, TellsWorkloadsAndPromptLengthsApart) {
  LengthPredictor predictor({});
  for (int i = 0; i < 1000; ++i) {
    predictor.observe(1, 100, 50);
    predictor.observe(1, 5000, 800);
    predictor.observe(2, 1000, 300);
    predictor.observe(2, 1100, 100);  // beyond 1024, the next class
  }
  EXPECT_NEAR(predictor.predict(request_of(2, 1000)).mean, 300, 15);
  EXPECT_NEAR(predictor.predict(request_of(2, 1100)).mean, 100, 10);
  EXPECT_NEAR(predictor.predict(request_of(1, 100)).mean, 50, 10);
  EXPECT_NEAR(predictor.predict(request_of(1, 5000)).mean, 800, 30);
  // A prompt length not seen before: the workload's mean, 425. A workload not seen before: the
  // prior.
  EXPECT_NEAR(predictor.predict(request_of(1, 20)).mean, 425, 20);
  EXPECT_NEAR(predictor.predict(request_of(0, 100)).mean, 200, 10);
}

TEST(LengthPredictor, FollowsAChange) {
  LengthPredictor predictor({});
  for (int i = 0; i < 20'000; ++i) predictor.observe(0, 500, 100);
  // Two half-lives later a quarter of the old weight is left: about (100 + 3 x 400) / 4 = 325.
  for (int i = 0; i < 40'000; ++i) predictor.observe(0, 500, 400);
  EXPECT_GT(predictor.predict(request_of(0, 500)).mean, 325);
}

}  // namespace
}  // namespace trex::schedule
