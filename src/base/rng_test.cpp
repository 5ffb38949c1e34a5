#include "base/rng.h"

#include <gmock/gmock.h>

namespace trex {
namespace {

// Known answers published with Random123 (kat_vectors, philox4x32 10 rounds).
TEST(Philox, MatchesThePublishedKnownAnswers) {
  EXPECT_THAT(philox4x32({0, 0, 0, 0}, {0, 0}),
              testing::ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_THAT(philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
              testing::ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_THAT(
      philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      testing::ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

TEST(Rng, StreamsDependOnSeedPurposeAndIndexAlone) {
  EXPECT_EQ(Rng(1, "a", 2).next(), Rng(1, "a", 2).next());
  EXPECT_NE(Rng(1, "a", 2).next(), Rng(1, "a", 3).next());
  EXPECT_NE(Rng(1, "a", 2).next(), Rng(1, "b", 2).next());
  EXPECT_NE(Rng(1, "a", 2).next(), Rng(2, "a", 2).next());
}

TEST(Rng, BetweenCoversBothEndsEvenly) {
  Rng rng(7, "between");
  std::vector<int> counts(5);
  constexpr int kDraws = 50'000;
  for (int i = 0; i < kDraws; ++i) ++counts[static_cast<size_t>(rng.between(-2, 2) + 2)];
  for (const int count : counts) EXPECT_NEAR(count, kDraws / 5, 400);  // 4.5 standard deviations
}

TEST(Rng, NormalAndExponentialHaveTheirMoments) {
  Rng rng(7, "moments");
  constexpr int kDraws = 100'000;
  double sum = 0, squares = 0, exponential = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double z = rng.normal();
    sum += z;
    squares += z * z;
    exponential += rng.exponential(4);
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.015);
  EXPECT_NEAR(squares / kDraws, 1, 0.02);
  EXPECT_NEAR(exponential / kDraws, 0.25, 0.004);
}

}  // namespace
}  // namespace trex
