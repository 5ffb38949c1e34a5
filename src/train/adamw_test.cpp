#include "train/adamw.h"

#include <gtest/gtest.h>
#include <torch/optim/adamw.h>

#include <cmath>

namespace trex::train {
namespace {

using checkpoint::TensorSpec;

const OptimizerSettings kSettings{.beta1 = 0.9, .beta2 = 0.95, .eps = 1e-8, .weight_decay = 0.1};

TrainedParameters flat(const model::Parameters& values, torch::Dtype dtype) {
  std::vector<TensorSpec> specs;
  for (const auto& [name, tensor] : values.entries()) {
    specs.push_back({name, tensor.dim() == 1 ? tensor.scalar_type() : dtype, tensor.sizes().vec()});
  }
  return TrainedParameters(values, specs, [](std::string_view name) { return name != "frozen"; });
}

model::Parameters some_values(torch::Dtype dtype) {
  model::Parameters values;
  const auto of = [dtype](std::vector<int64_t> shape, double factor) {
    int64_t count = 1;
    for (const int64_t size : shape) count *= size;
    return (torch::arange(count, torch::kDouble) * factor).sin().view(shape).to(dtype);
  };
  values.add("layers.0.attn.wq_a.weight", of({7, 5}, 0.7));
  values.add("layers.0.attn_norm.weight", of({5}, 1.3));
  values.add("frozen", of({3}, 0.1));
  values.add("layers.0.ffn.experts.0.w1.weight", of({3, 11}, 2.1));
  return values;
}

// A different gradient each step, the same for both optimizers.
torch::Tensor gradient_for(const torch::Tensor& weight, int step) {
  return (torch::arange(weight.numel(), torch::kDouble) * 0.37 + step).cos().view(weight.sizes());
}

TEST(AdamW, AgreesWithLibTorchInFloat64) {
  TrainedParameters parameters = flat(some_values(torch::kDouble), torch::kDouble);
  AdamW ours(kSettings, parameters);

  std::vector<torch::Tensor> decayed, plain;
  std::map<std::string, torch::Tensor> theirs;
  for (const Extent& extent : parameters.extents()) {
    auto copy = parameters.model().at(extent.name).detach().clone().requires_grad_(true);
    theirs[extent.name] = copy;
    (copy.dim() == 2 ? decayed : plain).push_back(copy);
  }
  using torch::optim::AdamWOptions;
  const auto options = [](double decay) {
    return std::make_unique<AdamWOptions>(
        AdamWOptions(1e-2).betas({0.9, 0.95}).eps(1e-8).weight_decay(decay));
  };
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.emplace_back(decayed, options(0.1));
  groups.emplace_back(plain, options(0));
  torch::optim::AdamW reference(groups, AdamWOptions(1e-2));

  for (int step = 0; step < 20; ++step) {
    parameters.zero_gradients();
    for (const Extent& extent : parameters.extents()) {
      const auto gradient = gradient_for(theirs[extent.name], step);
      parameters.model().at(extent.name).mutable_grad().add_(gradient);
      theirs[extent.name].mutable_grad() = gradient * 0.5;
    }
    reference.step();
    ours.step(1e-2, /*gradient_scale=*/0.5);
  }
  for (const Extent& extent : parameters.extents()) {
    const auto difference = (parameters.model().at(extent.name) - theirs[extent.name]).abs().max();
    EXPECT_LT(difference.item<double>(), 1e-14) << extent.name;
  }
}

// With a gradient of constant sign and size the bias-corrected moments are g and g^2, so that each
// update is lr * sign(g), up to eps.
TEST(AdamW, MovesByTheLearningRateUnderAConstantGradient) {
  model::Parameters values;
  values.add("norm.weight", torch::full({3}, 1.0, torch::kDouble));
  TrainedParameters parameters = flat(values, torch::kDouble);
  AdamW optimizer({.beta1 = 0.9, .beta2 = 0.99, .eps = 1e-20, .weight_decay = 0.5}, parameters);
  for (int step = 0; step < 5; ++step) {
    parameters.zero_gradients();
    parameters.model()
        .at("norm.weight")
        .mutable_grad()
        .copy_(torch::tensor({2.0, -0.001, 0.0}, torch::kDouble));
    optimizer.step(0.01, 1.0);
  }
  const auto weight = parameters.model().at("norm.weight");
  EXPECT_NEAR(weight[0].item<double>(), 0.95, 1e-12);
  EXPECT_NEAR(weight[1].item<double>(), 1.05, 1e-12);
  EXPECT_EQ(weight[2].item<double>(), 1.0);
}

TEST(AdamW, DecayIsIndependentOfTheGradient) {
  model::Parameters values;
  values.add("layers.0.attn.wkv.weight", torch::full({2, 2}, 1.0, torch::kDouble));
  TrainedParameters parameters = flat(values, torch::kDouble);
  AdamW optimizer(kSettings, parameters);
  for (int step = 0; step < 3; ++step) optimizer.step(0.5, 1.0);
  EXPECT_NEAR(parameters.model().at("layers.0.attn.wkv.weight")[0][0].item<double>(),
              0.95 * 0.95 * 0.95, 1e-15);
}

// 2^-12 is far below half a unit in the last place of bfloat16 at 1, so that without a master copy
// no update would ever show.
TEST(AdamW, SmallUpdatesOfHalfPrecisionWeightsAddUpInTheMaster) {
  model::Parameters values;
  values.add("layers.0.attn.wkv.weight", torch::ones({2, 2}));
  TrainedParameters parameters = flat(values, torch::kBFloat16);
  AdamW optimizer({.beta1 = 0.9, .beta2 = 0.99, .eps = 1e-20, .weight_decay = 0}, parameters);
  const auto weight = parameters.model().at("layers.0.attn.wkv.weight");
  ASSERT_EQ(weight.scalar_type(), torch::kBFloat16);
  for (int step = 0; step < 64; ++step) {
    parameters.zero_gradients();
    weight.mutable_grad().fill_(1);
    parameters.lane(0).collect_gradients();
    optimizer.step(1.0 / 4096, 1.0);
    if (step == 0) {
      EXPECT_EQ(weight[0][0].item<double>(), 1.0);
    }
  }
  EXPECT_EQ(weight[0][0].item<double>(), 1 - 64.0 / 4096);
}

TEST(TrainedParameters, BackwardAddsToTheFlatGradient) {
  model::Parameters values = some_values(torch::kFloat);
  TrainedParameters parameters = flat(values, torch::kBFloat16);
  const auto& model = parameters.model();
  const auto loss = [&model] {
    return model.at("layers.0.attn.wq_a.weight").to(torch::kFloat).sum() * 2 +
           model.at("layers.0.attn_norm.weight").sum() * 3;
  };
  for (int micro_batch = 0; micro_batch < 2; ++micro_batch) {
    loss().backward();
    parameters.lane(0).collect_gradients();
  }
  for (const Extent& extent : parameters.extents()) {
    const auto gradient = TrainedParameters::piece(parameters.gradient(), extent);
    const double expected = extent.kind == "attention" ? 4 : (extent.kind == "norm" ? 6 : 0);
    EXPECT_TRUE((gradient == expected).all().item<bool>()) << extent.name;
  }
  EXPECT_FALSE(model.at("frozen").requires_grad());
}

TEST(TrainedParameters, DecaysMatricesOnly) {
  EXPECT_TRUE(decays("embed.weight", 2));
  EXPECT_TRUE(decays("layers.3.ffn.experts.7.w2.weight", 2));
  EXPECT_FALSE(decays("layers.3.attn_norm.weight", 1));
  EXPECT_FALSE(decays("layers.3.attn.attn_sink", 1));
  EXPECT_FALSE(decays("layers.3.attn.compressor.ape", 2));
  EXPECT_FALSE(decays("layers.3.hc_attn_fn", 2));
  EXPECT_FALSE(decays("hc_head_fn", 2));
}

}  // namespace
}  // namespace trex::train
