#include "train/schedule.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace trex::train {
namespace {

TEST(Schedule, CosineRisesInALineAndReachesItsEndAtTheLastStep) {
  const Schedule schedule(
      {.kind = "cosine", .learning_rate = 4, .final_learning_rate = 2, .warmup_steps = 4}, 9);
  // By hand: warm-up 1/4, 2/4, 3/4, 4/4 of 4; then 3 + cos(pi i / 4) for i = 0 to 4.
  const double expected[] = {1, 2, 3, 4, 4, 3.7071067811865475, 3, 2.2928932188134525, 2};
  for (int step = 0; step < 9; ++step)
    EXPECT_NEAR(schedule.at(step), expected[step], 1e-12) << step;
  EXPECT_EQ(schedule.at(1000), 2);
}

TEST(Schedule, WsdIsStableAndThenFallsToItsEnd) {
  const Schedule schedule({.kind = "wsd",
                           .learning_rate = 1,
                           .final_learning_rate = 0.2,
                           .warmup_steps = 2,
                           .decay_steps = 4},
                          9);
  const double expected[] = {0.5, 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2};
  for (int step = 0; step < 9; ++step)
    EXPECT_NEAR(schedule.at(step), expected[step], 1e-12) << step;
}

TEST(Schedule, ConstantStaysAfterWarmUp) {
  const Schedule schedule({.kind = "constant", .learning_rate = 3, .warmup_steps = 3}, 5);
  const double expected[] = {1, 2, 3, 3, 3};
  for (int step = 0; step < 5; ++step)
    EXPECT_NEAR(schedule.at(step), expected[step], 1e-12) << step;
}

TEST(Schedule, OneStepTrainsAtThePeak) {
  EXPECT_EQ(Schedule({.kind = "cosine", .learning_rate = 3}, 1).at(0), 3);
  EXPECT_EQ(Schedule({.kind = "wsd", .learning_rate = 3}, 1).at(0), 3);
}

TEST(Schedule, RefusesAWarmUpThatDoesNotFit) {
  try {
    Schedule({.kind = "wsd", .warmup_steps = 6, .decay_steps = 5}, 10);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "train: schedule.warmup_steps + schedule.decay_steps: expected at most the 10 steps of the "
        "run; got 11");
  }
}

}  // namespace
}  // namespace trex::train
