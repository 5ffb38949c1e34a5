#include "infer/sampling.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace trex::infer {
namespace {

// Probabilities 0.1, 0.5, 0.15, 0.25 of tokens 0 to 3.
torch::Tensor logits(int64_t rows) {
  return torch::tensor({0.1, 0.5, 0.15, 0.25}, torch::kFloat64).log().expand({rows, 4});
}

// How often each token comes among evenly spread numbers.
std::array<double, 4> shares(const SamplingOptions& options) {
  constexpr int kDraws = 2000;
  std::vector<double> uniform;
  for (int i = 0; i < kDraws; ++i) uniform.push_back((i + 0.5) / kDraws);
  const auto tokens = sample_tokens_N(logits(kDraws), options, uniform);
  std::array<double, 4> share{};
  for (int64_t i = 0; i < kDraws; ++i)
    share[static_cast<size_t>(tokens[i].item<int64_t>())] += 1.0 / kDraws;
  return share;
}

void expect_shares(const std::array<double, 4>& got, const std::array<double, 4>& expected) {
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(got[i], expected[i], 1e-3) << "token " << i;
}

TEST(Sampling, GreedyTakesTheMostProbableAndOfEqualsTheFirst) {
  const auto logit = torch::tensor({{0.0, 2.0, 2.0}, {5.0, 1.0, 5.0}});
  EXPECT_TRUE(torch::equal(sample_tokens_N(logit, {}, {}), torch::tensor({1, 0})));
}

TEST(Sampling, FollowsTheProbabilities) {
  expect_shares(shares({.temperature = 1}), {0.1, 0.5, 0.15, 0.25});
}

TEST(Sampling, TemperatureSharpens) {
  const double sum = 0.01 + 0.25 + 0.0225 + 0.0625;
  expect_shares(shares({.temperature = 0.5}), {0.01 / sum, 0.25 / sum, 0.0225 / sum, 0.0625 / sum});
}

TEST(Sampling, TopPKeepsTheFewestThatReachIt) {
  expect_shares(shares({.temperature = 1, .top_p = 0.7}), {0, 0.5 / 0.75, 0, 0.25 / 0.75});
  expect_shares(shares({.temperature = 1, .top_p = 0.01}), {0, 1, 0, 0});
}

}  // namespace
}  // namespace trex::infer
