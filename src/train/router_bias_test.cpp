#include "train/router_bias.h"

#include <gtest/gtest.h>

namespace trex::train {
namespace {

// One hash-routed layer, one score-routed, one MTP block; four experts.
const model::ModelConfig kConfig{.num_hidden_layers = 2,
                                 .num_nextn_predict_layers = 1,
                                 .compress_ratios = {0, 0, 0},
                                 .n_routed_experts = 4,
                                 .num_experts_per_tok = 2,
                                 .num_hash_layers = 1};

model::Parameters zero_biases() {
  model::Parameters parameters;
  parameters.add("layers.1.ffn.gate.bias", torch::zeros({4}));
  parameters.add("mtp.0.ffn.gate.bias", torch::zeros({4}));
  return parameters;
}

TEST(RouterBias, RisesForExpertsBelowTheMeanAndFallsAbove) {
  const model::Parameters parameters = zero_biases();
  const auto load_LE = torch::tensor({{9, 0, 0, 0}, {10, 2, 6, 6}, {0, 0, 0, 0}}, torch::kInt64);
  update_router_bias(kConfig, parameters, load_LE, 0.25);
  EXPECT_TRUE(torch::equal(parameters.at("layers.1.ffn.gate.bias"),
                           torch::tensor({-0.25, 0.25, 0.0, 0.0}, torch::kFloat)));
  EXPECT_TRUE(torch::equal(parameters.at("mtp.0.ffn.gate.bias"), torch::zeros({4})));
}

// Noise below 0.3 cannot bridge the gap between the second expert and the third: without a bias two
// experts take everything.
TEST(RouterBias, MovesTheLoadTowardsBalance) {
  const model::Parameters parameters = zero_biases();
  const auto bias_E = parameters.at("layers.1.ffn.gate.bias");
  const auto noise_TE = (torch::arange(256 * 4).sin() * 1000).frac().abs().view({256, 4});
  const auto score_TE = noise_TE * 0.3 + torch::tensor({1.0, 0.8, 0.5, 0.2});
  const auto load_of = [&] {
    const auto expert_TK = std::get<1>((score_TE + bias_E).topk(2, -1));
    return torch::bincount(expert_TK.flatten(), {}, 4).view({1, 4});
  };
  const auto rows = [](const torch::Tensor& load_1E) {
    return torch::cat(
        {torch::zeros({1, 4}, torch::kInt64), load_1E, torch::zeros({1, 4}, torch::kInt64)});
  };
  const double before = load_balance(kConfig, rows(load_of())).worst_max_over_mean;
  EXPECT_EQ(load_balance(kConfig, rows(load_of())).dead_experts, 2);
  for (int step = 0; step < 400; ++step) {
    update_router_bias(kConfig, parameters, rows(load_of()), 0.005);
  }
  const LoadBalance after = load_balance(kConfig, rows(load_of()));
  EXPECT_EQ(before, 2);
  EXPECT_LT(after.worst_max_over_mean, 1.1);
  EXPECT_EQ(after.dead_experts, 0);
}

}  // namespace
}  // namespace trex::train
