#include "schedule/speed_estimate.h"

#include <gtest/gtest.h>

namespace trex::schedule {
namespace {

void observe_each_second(SpeedEstimate& speed, double ratio, int from_s, int to_s) {
  for (int s = from_s; s < to_s; ++s) speed.observe(0.01 * ratio, 0.01, s);
}

TEST(SpeedEstimate, SaysNothingBeforeTwentySamples) {
  SpeedEstimate speed;
  observe_each_second(speed, 2, 0, 19);
  EXPECT_DOUBLE_EQ(speed.sigma(), 1);
}

TEST(SpeedEstimate, MovesTenPercentASecondAtTheMost) {
  SpeedEstimate speed;
  observe_each_second(speed, 2, 0, 20);
  EXPECT_NEAR(speed.sigma(), 1.1, 1e-12);
  speed.observe(0.02, 0.01, 20);
  EXPECT_NEAR(speed.sigma(), 1.21, 1e-12);
  observe_each_second(speed, 2, 21, 27);  // 1.1^8 = 2.14
  EXPECT_DOUBLE_EQ(speed.sigma(), 2);
}

TEST(SpeedEstimate, StaysWithinItsBounds) {
  SpeedEstimate slow, fast;
  observe_each_second(slow, 100, 0, 100);
  observe_each_second(fast, 0.01, 0, 100);
  EXPECT_DOUBLE_EQ(slow.sigma(), 4);
  EXPECT_TRUE(slow.is_at_slowest());
  EXPECT_DOUBLE_EQ(fast.sigma(), 0.25);
  EXPECT_FALSE(fast.is_at_slowest());
}

TEST(SpeedEstimate, AFewOutliersDoNotMoveIt) {
  SpeedEstimate speed;
  for (int s = 0; s < 60; ++s) speed.observe(s % 3 == 0 ? 0.5 : 0.01, 0.01, s);
  EXPECT_DOUBLE_EQ(speed.sigma(), 1);
}

TEST(SpeedEstimate, RecentSamplesWeighMore) {
  SpeedEstimate speed;
  observe_each_second(speed, 1, 0, 40);
  // Ten half-lives later forty old samples weigh 0.04: one new sample outvotes them.
  speed.observe(0.02, 0.01, 340);
  EXPECT_DOUBLE_EQ(speed.sigma(), 2);
}

}  // namespace
}  // namespace trex::schedule
