#include "schedule/refit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "base/rng.h"

namespace trex::schedule {
namespace {

static_assert(std::is_trivially_copyable_v<Refit>);  // so it owns no memory

constexpr ModelParts kRight{{1, 1, 1, 1}};

// An answer of 200 steps of 10 ms, with 1 to 100 sequences of 0.1 ms, contexts of up to 2,000
// tokens of 50 ns each, and up to 10 ms of prompts in each step.
ModelParts random_answer(Rng& rng) {
  const double batch = rng.uniform(1, 100);
  ModelParts parts;
  parts.base() = 200 * 0.01;
  parts.batch() = 200 * 1e-4 * batch;
  parts.context() = 200 * 5e-8 * batch * rng.uniform(100, 2000);
  parts.prompts() = 200 * 0.01 * rng.uniform();
  return parts;
}

double seconds(const ModelParts& parts, const ModelParts& factors) {
  double sum = 0;
  for (size_t i = 0; i < ModelParts::kCount; ++i) sum += parts.of[i] * factors.of[i];
  return sum;
}

// Answers take `truth` times what is believed of each part, within `noise`, over `sigma`.
Refit after(size_t samples, const ModelParts& truth, double noise, uint64_t seed,
            double sigma = 1) {
  Rng rng(seed, "answers");
  Refit refit;
  for (size_t i = 0; i < samples; ++i) {
    const ModelParts answer = random_answer(rng);
    refit.observe(answer, seconds(answer, truth) * std::exp(noise * rng.normal()) / sigma);
  }
  return refit;
}

// How far predictions of other answers are apart when each is divided by their mean.
double worst_deviation(const ModelParts& factors, const ModelParts& truth) {
  Rng rng(99, "others");
  double least = 1e300, most = 0;
  for (int i = 0; i < 1000; ++i) {
    const ModelParts answer = random_answer(rng);
    const double ratio = seconds(answer, truth) / seconds(answer, factors);
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  return most / least - 1;
}

TEST(Refit, FindsThePartThatWasBelievedTwiceTooFastOrTooSlowSeeds1To3) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    for (const size_t part : {1u, 3u}) {  // batch, prompts
      for (const double wrong : {2.0, 0.5}) {
        ModelParts truth = kRight;
        truth.of[part] = wrong;
        const ModelParts found = after(2000, truth, 0.03, seed).factors();
        EXPECT_NEAR(found.of[part] / found.base() / wrong, 1, 0.08) << part << " by " << wrong;
        EXPECT_LT(worst_deviation(found, truth), 0.06) << part << " by " << wrong;
        EXPECT_GT(worst_deviation(kRight, truth), 0.25);
      }
    }
  }
}

// What a common factor explains is sigma's: the factors are the same, whatever sigma is.
TEST(Refit, LeavesTheWholeToSigma) {
  const ModelParts truth{{1, 2, 1, 1}}, slow{{3, 6, 3, 3}};
  const ModelParts found = after(2000, truth, 0.03, 1, 1.3).factors();
  const ModelParts of_slow = after(2000, slow, 0.03, 1, 3.9).factors();
  Rng rng(7, "mean");
  double believed_s = 0, refitted_s = 0;
  for (int i = 0; i < 1000; ++i) {
    const ModelParts answer = random_answer(rng);
    refitted_s += seconds(answer, found) / seconds(answer, kRight);
    believed_s += 1;
  }
  EXPECT_NEAR(refitted_s / believed_s, 1, 0.03);
  for (size_t i = 0; i < ModelParts::kCount; ++i) EXPECT_NEAR(found.of[i], of_slow.of[i], 1e-9);
}

TEST(Refit, WaitsForFiveHundredSamples) {
  const ModelParts truth{{1, 2, 1, 1}};
  EXPECT_EQ(after(499, truth, 0.01, 1).factors().of, kRight.of);
  EXPECT_NE(after(500, truth, 0.01, 1).factors().of, kRight.of);
}

TEST(Refit, RefusesWhereTheErrorDoesNotDropSeeds1To20) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(after(3000, kRight, 0.1, seed).factors().of, kRight.of);
    EXPECT_EQ(after(3000, {{2, 2, 2, 2}}, 0.1, seed).factors().of, kRight.of);  // sigma's
  }
}

// The engine is repaired, or its load changes so that the part is not seen any more.
TEST(Refit, GivesUpFactorsThatNoLongerHelp) {
  Rng rng(3, "answers");
  Refit refit = after(1000, {{1, 2, 1, 1}}, 0.03, 3);
  ASSERT_NE(refit.factors().of, kRight.of);
  bool was_right = false;
  for (int i = 0; i < 2000; ++i) {
    const ModelParts answer = random_answer(rng);
    refit.observe(answer, seconds(answer, kRight) * std::exp(0.03 * rng.normal()));
    was_right = was_right || refit.factors().of == kRight.of;
  }
  EXPECT_TRUE(was_right || worst_deviation(refit.factors(), kRight) < 0.05);
}

TEST(Refit, StaysWithinBoundsWhateverComes) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinite = std::numeric_limits<double>::infinity();
  Rng rng(5, "nonsense");
  Refit refit;
  for (int i = 0; i < 20'000; ++i) {
    ModelParts parts = random_answer(rng);
    if (rng.chance(0.3)) parts.of[rng.below(4)] = 0;
    if (rng.chance(0.05)) parts.of[rng.below(4)] = rng.chance(0.5) ? nan : -1;
    double observed_s = rng.chance(0.1) ? std::exp(20 * rng.normal()) : parts.batch() * 1e3;
    if (rng.chance(0.05)) observed_s = std::array{nan, infinite, 0.0, -1.0}[rng.below(4)];
    refit.observe(parts, observed_s);
    for (const double factor : refit.factors().of) {
      ASSERT_GE(factor, 0.25);
      ASSERT_LE(factor, 4);
    }
  }
  // The same answer for ever: nothing tells the parts apart.
  Refit constant;
  const ModelParts same = random_answer(rng);
  for (int i = 0; i < 5'000; ++i) constant.observe(same, 1);
  EXPECT_EQ(constant.factors().of, kRight.of);
}

}  // namespace
}  // namespace trex::schedule
