// Single mechanisms against numbers worked out elsewhere (deepseek-v4.md 2.3, 7.3) or by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/golden.h"
#include "model/reference/arithmetic.h"
#include "model/reference/experts.h"
#include "model/reference/hyper_connections.h"
#include "model/reference/layout.h"
#include "model/reference/rotary.h"
#include "model/reference/router.h"
#include "model/reference/sink_attention.h"

namespace trex::model::reference {
namespace {

using testing::ElementsAre;

void expect_relative(double got, double expected) {
  EXPECT_NEAR(got / expected, 1, 1e-9) << got << " for " << expected;
}

TEST(Rotary, FrequenciesOfTheReleasedModel) {
  ModelConfig config;
  config.head_dim = 512;
  config.qk_rope_head_dim = 64;
  config.rope_theta = 10000;
  config.compress_rope_theta = 160000;
  config.rope_scaling = Yarn{};
  const auto compress = rotary_frequencies(config, true);
  const std::pair<size_t, double> expected[] = {{0, 1},
                                                {1, 0.6876560219},
                                                {14, 0.005286856317},
                                                {15, 0.003635538584},
                                                {16, 0.002265625},
                                                {20, 0.0002969777783},
                                                {24, 1.953125e-05},
                                                {25, 5.372312671e-06},
                                                {31, 5.680529037e-07}};
  for (const auto& [i, value] : expected) expect_relative(compress[i], value);
  const auto main = rotary_frequencies(config, false);
  expect_relative(main[1], 0.7498942093);
  expect_relative(main[16], 0.01);
  expect_relative(main[31], 0.0001333521432);
}

TEST(Rotary, FrequenciesOfT0) {
  EXPECT_THAT(
      rotary_frequencies(golden::config(), true),
      ElementsAre(1, testing::DoubleNear(0.05, 1e-15), testing::DoubleNear(0.001328125, 1e-15),
                  testing::DoubleNear(7.8125e-6, 1e-18)));
}

TEST(Rotary, TurnsAdjacentPairsOfTheLastDimsAndBack) {
  const auto x = torch::tensor({5.0, 6.0, 1.0, 0.0, 0.0, 2.0}, torch::kFloat64);
  const double angle_0 = 0.5, angle_1 = 1.25;
  const auto angle = torch::tensor({angle_0, angle_1}, torch::kFloat64);
  const auto rotation = torch::complex(angle.cos(), angle.sin());
  const auto expected = torch::tensor({5.0, 6.0, std::cos(angle_0), std::sin(angle_0),
                                       -2 * std::sin(angle_1), 2 * std::cos(angle_1)},
                                      torch::kFloat64);
  EXPECT_LT(golden::max_difference(rotated(x, rotation), expected), 1e-15);
  EXPECT_LT(golden::max_difference(rotated(rotated(x, rotation), rotation.conj()), x), 1e-15);
}

const std::vector<double> kSinkhornInput = {0, 1, -1, 2, .5, .25, 0, -.5, 1, 1, 1, 1, -2, 0, 2, 1};

torch::Tensor sinkhorn_of_input(int64_t iters, torch::Dtype dtype) {
  return sinkhorn_NNT(torch::tensor(kSinkhornInput, dtype).view({4, 4, 1}), iters, 1e-6).flatten();
}

TEST(Sinkhorn, GoldenNumbers) {
  const std::pair<int64_t, std::vector<double>> expected[] = {
      {1,
       {.122326518, .275861811, .0276472177, .507291467, .509845124, .329415952, .189980288,
        .105268426, .350928224, .291137357, .215593188, .196956622, .0168987304, .103583715,
        .566778445, .190482697}},
      {3,
       {.143822415, .305336289, .0280687628, .523013304, .476646995, .289923949, .153367383,
        .0862990342, .357820251, .279463716, .18982243, .176102864, .0217093225, .125275041,
        .628740439, .214583804}},
      {20,
       {.144450021, .305700182, .0278583731, .521990424, .47523611, .288152842, .15110785,
        .0855021974, .358186232, .278866049, .187772915, .175173803, .022126636, .127279927,
        .633259862, .217332576}}};
  for (const auto& [iters, values] : expected) {
    const auto expected_tensor = torch::tensor(values, torch::kFloat64);
    EXPECT_LT(golden::max_difference(sinkhorn_of_input(iters, torch::kFloat64), expected_tensor),
              1e-8)
        << iters;
    EXPECT_LT(golden::max_difference(sinkhorn_of_input(iters, torch::kFloat32), expected_tensor),
              1e-6)
        << iters;
  }
}

TEST(Sinkhorn, RowsAndColumnsSumToOne) {
  const auto m = sinkhorn_of_input(20, torch::kFloat64).view({4, 4});
  EXPECT_LT(golden::max_difference(m.sum(0), torch::ones({4}, torch::kFloat64)), 2e-6);
  EXPECT_LT(golden::max_difference(m.sum(1), torch::ones({4}, torch::kFloat64)), 1e-3);
}

TEST(LimitedSwiglu, ClampsUpOnBothSidesAndTheGateAboveOnly) {
  const double limit = 1.5;
  const auto silu = [](double x) { return x / (1 + std::exp(-x)); };
  const std::vector<double> gates = {0.5, 1.5, 4, -4, -100, 0.5, 0.5, 0.5, 4};
  const std::vector<double> ups = {0.5, 1.5, 0.5, 0.5, 1, -1.5, 9, -9, -9};
  std::vector<double> expected;
  for (size_t i = 0; i < gates.size(); ++i) {
    expected.push_back(silu(std::min(gates[i], limit)) * std::min(std::max(ups[i], -limit), limit));
  }
  const auto gate = torch::tensor(gates, torch::kFloat64), up = torch::tensor(ups, torch::kFloat64);
  EXPECT_LT(golden::max_difference(limited_swiglu(gate, up, limit),
                                   torch::tensor(expected, torch::kFloat64)),
            1e-12);
  EXPECT_LT(golden::max_difference(limited_swiglu(gate, up, 0), torch::silu(gate) * up), 1e-15);
  EXPECT_NEAR(limited_swiglu(gate, up, limit)[3].item<double>(), silu(-4) * 0.5, 1e-12);
}

// A router whose logits are the input itself.
struct IdentityRouter {
  ModelConfig config;
  Parameters parameters;

  explicit IdentityRouter(const std::vector<double>& bias) {
    config.n_routed_experts = 4;
    config.num_experts_per_tok = 2;
    config.routed_scaling_factor = 1.5;
    parameters.add("weight", torch::eye(4, torch::kFloat64));
    parameters.add("bias", torch::tensor(bias, torch::kFloat64));
    parameters.add("tid2eid", torch::tensor({3, 1, 2, 2}, torch::kInt64).view({2, 2}));
  }
  Routing operator()(bool by_hash, const std::vector<double>& logit, int64_t token) const {
    return route(config, by_hash, torch::tensor(logit, torch::kFloat64).unsqueeze(0),
                 torch::full({1}, token), {parameters, ""});
  }
};

double score(double logit) { return std::sqrt(std::log1p(std::exp(logit))); }

TEST(Router, BiasChangesChoiceButNotWeights) {
  const auto routing = IdentityRouter({0, 0, 0, 10})(false, {1, 3, 2, 0}, 0);
  EXPECT_TRUE(torch::equal(routing.expert_TK, torch::tensor({{3, 1}})));
  const double sum = score(0) + score(3);
  EXPECT_LT(golden::max_difference(
                routing.weight_TK,
                torch::tensor({1.5 * score(0) / sum, 1.5 * score(3) / sum}, torch::kFloat64)
                    .unsqueeze(0)),
            1e-12);
}

TEST(Router, TiesGoToTheLowerExpert) {
  EXPECT_TRUE(torch::equal(IdentityRouter({0, 0, 0, 0})(false, {1, 1, 1, 1}, 0).expert_TK,
                           torch::tensor({{0, 1}})));
  EXPECT_TRUE(torch::equal(IdentityRouter({0, 0, 0, 0})(false, {0, 2, 1, 1}, 0).expert_TK,
                           torch::tensor({{1, 2}})));
}

TEST(Router, HashTableDecidesAloneAndMayRepeatAnExpert) {
  const IdentityRouter router({100, 0, 0, 0});
  const auto routing = router(true, {1, 3, 2, 0}, 0);
  EXPECT_TRUE(torch::equal(routing.expert_TK, torch::tensor({{3, 1}})));
  EXPECT_NEAR(routing.weight_TK[0][1].item<double>(), 1.5 * score(3) / (score(0) + score(3)),
              1e-12);
  const auto twice = router(true, {1, 3, 2, 0}, 1);
  EXPECT_TRUE(torch::equal(twice.expert_TK, torch::tensor({{2, 2}})));
  EXPECT_NEAR(twice.weight_TK[0][0].item<double>(), 0.75, 1e-12);
}

TEST(Router, GradientIsFiniteForVeryNegativeLogits) {
  const IdentityRouter router({0, 0, 0, 0});
  auto x = torch::tensor({{-300.0f, -200.0f, 1.0f, 2.0f}}).requires_grad_();
  route(router.config, false, x, torch::zeros({1}, torch::kInt64),
        {converted(router.parameters, torch::kFloat32), ""})
      .score_TE.sum()
      .backward();
  EXPECT_TRUE(x.grad().isfinite().all().item<bool>());
}

TEST(Experts, RepeatedExpertCountsTwice) {
  const ModelConfig config = golden::config();
  const auto parameters = golden::parameters(torch::kFloat64);
  const Weights weights(parameters, "layers.1.ffn.");
  const auto x = golden::uniform("x", {3, config.hidden_size});
  const auto with = [&](std::vector<int64_t> experts, std::vector<double> values) {
    Routing routing;
    routing.expert_TK = torch::tensor(experts).view({3, -1});
    routing.weight_TK = torch::tensor(values, torch::kFloat64).view({3, -1});
    return mixture_of_experts(config, x, routing, weights);
  };
  EXPECT_LT(golden::max_difference(with({5, 5, 1, 1, 5, 5}, {.5, .25, .5, .5, 1, 1}),
                                   with({5, 1, 5}, {.75, 1, 2})),
            1e-13);
}

TEST(SinkAttention, EqualsItsDefinition) {
  const auto query = golden::uniform("q", {1, 1, 2, 3}), key = golden::uniform("k", {1, 4, 3});
  const std::vector<double> sinks = {0.7, -0.3};
  const auto visible = torch::tensor({1, 1, 0, 1, 1}).to(torch::kBool).view({1, 1, 5});
  const auto keys = torch::cat({sink_key(1, 3, key.options()), key_with_sink(key)}, 1);
  const auto output =
      attend(query_with_sink(query, torch::tensor(sinks, torch::kFloat64)), keys, visible)
          .output_BQHC;
  for (int64_t h = 0; h < 2; ++h) {
    double denominator = std::exp(sinks[static_cast<size_t>(h)]);
    auto sum = torch::zeros({3}, torch::kFloat64);
    for (const int64_t j : {0, 2, 3}) {
      const double e = std::exp((query[0][0][h] * key[0][j]).sum().item<double>() / std::sqrt(3.0));
      denominator += e;
      sum += e * key[0][j];
    }
    EXPECT_LT(golden::max_difference(output[0][0][h], sum / denominator), 1e-14);
  }
}

TEST(WindowLayout, WindowsFollowDocuments) {
  // Documents of 5, 3 and 4 tokens, then padding; windows of 2.
  Batch batch;
  batch.token_BS = torch::zeros({1, 14}, torch::kInt64);
  batch.document_BS = torch::tensor({{7, 7, 7, 7, 7, 8, 8, 8, 9, 9, 9, 9, -1, -1}});
  batch.position_BS = torch::tensor({{0, 1, 2, 3, 4, 0, 1, 2, 0, 1, 2, 3, 0, 1}});
  const auto windows = window_layout(batch, 2);
  EXPECT_TRUE(torch::equal(windows.end_BW, torch::tensor({{1, 3, 6, 9, 11, 14, 14}})));
  EXPECT_TRUE(torch::equal(windows.position_BW.narrow(1, 0, 5), torch::tensor({{0, 2, 0, 0, 2}})));
  EXPECT_TRUE(torch::equal(windows.token_BWM[0][2], torch::tensor({5, 6})));
  const auto visible = visible_BSW(batch, windows, 0, 14, 7)[0];
  const auto seen_by = [&](int64_t t) {
    const auto index = visible[t].nonzero().flatten();
    return std::vector<int64_t>(index.data_ptr<int64_t>(),
                                index.data_ptr<int64_t>() + index.numel());
  };
  EXPECT_THAT(seen_by(0), ElementsAre());
  EXPECT_THAT(seen_by(4), ElementsAre(0, 1));
  EXPECT_THAT(seen_by(5), ElementsAre());
  EXPECT_THAT(seen_by(7), ElementsAre(2));
  EXPECT_THAT(seen_by(11), ElementsAre(3, 4));
  EXPECT_THAT(seen_by(13), ElementsAre());
}

}  // namespace
}  // namespace trex::model::reference
