// Gradients against central differences, what gets none, and that a model can be taught.
#include <gtest/gtest.h>

#include <cmath>

#include "model/golden.h"
#include "model/reference/model.h"

namespace trex::model::reference {
namespace {

// The loss's derivative along a random direction of one tensor.
TEST(Gradients, EqualCentralDifferences) {
  const ModelConfig config = golden::config();
  const auto parameters = golden::parameters(torch::kFloat64);
  require_gradients(parameters);
  const Batch batch = golden::batch_29();
  // The indexer's teacher and inputs are constants for the gradient but not for a difference: leave
  // its loss out for the tensors outside the indexers, and everything else out for those inside.
  const auto check = [&](const LossOptions& options, bool inside_indexers) {
    for (const auto& entry : parameters.entries()) entry.tensor.mutable_grad().reset();
    compute_losses(config, parameters, batch, options).total.backward();
    for (const auto& [name, tensor] : parameters.entries()) {
      const bool is_expert = name.find("experts.") != std::string::npos &&
                             name.find("experts.1.") == std::string::npos;
      if (!is_trained(name) || is_expert ||
          (name.find(".indexer.") != std::string::npos) != inside_indexers)
        continue;
      const at::NoGradGuard no_gradients;
      const auto direction = golden::uniform("direction." + name, tensor.sizes().vec());
      const double step = 1e-6;
      tensor.add_(direction, step);
      const double above = compute_losses(config, parameters, batch, options).total.item<double>();
      tensor.add_(direction, -2 * step);
      const double below = compute_losses(config, parameters, batch, options).total.item<double>();
      tensor.add_(direction, step);
      const double expected = (above - below) / (2 * step);
      const double got =
          tensor.grad().defined() ? (tensor.grad() * direction).sum().item<double>() : 0;
      EXPECT_NEAR(got, expected, 1e-7 + 1e-6 * std::abs(expected)) << name;
    }
  };
  check({.indexer_weight = 0, .balance_weight = 0.7}, /*inside_indexers=*/false);
  check({.mtp_weight = 0, .indexer_weight = 2}, /*inside_indexers=*/true);
}

TEST(Gradients, LanguageModelLossTeachesTheIndexersNothing) {
  const auto parameters = golden::parameters(torch::kFloat64);
  require_gradients(parameters);
  compute_losses(golden::config(), parameters, golden::batch_29(), {.indexer_weight = 0})
      .total.backward();
  for (const auto& [name, tensor] : parameters.entries()) {
    if (name.find(".indexer.") == std::string::npos) continue;
    EXPECT_FALSE(tensor.grad().defined()) << name;
  }
}

TEST(Gradients, IndexerLossTeachesTheIndexersOnly) {
  const auto parameters = golden::parameters(torch::kFloat64);
  require_gradients(parameters);
  forward(golden::config(), parameters, golden::batch_29(), {.with_indexer_loss = true})
      .indexer_loss.backward();
  int num_taught = 0;
  for (const auto& [name, tensor] : parameters.entries()) {
    const bool is_indexer = name.find(".indexer.") != std::string::npos;
    EXPECT_EQ(tensor.grad().defined(), is_indexer) << name;
    num_taught += is_indexer;
  }
  EXPECT_EQ(num_taught, 12);
}

TEST(Gradients, Bfloat16IsFiniteAndNearFloat32) {
  const ModelConfig config = golden::config();
  const auto wide = golden::parameters(torch::kFloat32), narrow = converted(wide, torch::kBFloat16);
  require_gradients(narrow);
  const Losses losses = compute_losses(config, narrow, golden::batch_29());
  losses.total.backward();
  EXPECT_EQ(losses.total.scalar_type(), torch::kFloat32);
  EXPECT_NEAR(losses.next_token.item<double>(), 4.432, 0.3);  // other experts win here and there
  for (const auto& [name, tensor] : narrow.entries()) {
    if (!tensor.grad().defined()) continue;
    EXPECT_TRUE(tensor.grad().isfinite().all().item<bool>()) << name;
  }
}

// Adam in a few lines: the trainer's own is tested elsewhere.
void adam_step(const Parameters& parameters,
               std::vector<std::pair<torch::Tensor, torch::Tensor>>& moments, int step) {
  const at::NoGradGuard no_gradients;
  size_t i = 0;
  for (const auto& [name, tensor] : parameters.entries()) {
    if (!is_trained(name)) continue;
    if (moments.size() <= i)
      moments.emplace_back(torch::zeros_like(tensor), torch::zeros_like(tensor));
    auto& [mean, square] = moments[i++];
    if (!tensor.grad().defined()) continue;
    mean.mul_(0.9).add_(tensor.grad(), 0.1);
    square.mul_(0.95).addcmul_(tensor.grad(), tensor.grad(), 0.05);
    const auto scale = (square / (1 - std::pow(0.95, step))).sqrt() + 1e-8;
    tensor.addcdiv_(mean, scale, -0.01 / (1 - std::pow(0.9, step)));
    tensor.mutable_grad().reset();
  }
}

TEST(Training, OneBatchIsLearntByHeart) {
  const ModelConfig config = golden::config();
  const auto parameters = make_parameters(config, 1, torch::kFloat32);
  require_gradients(parameters);
  const Batch batch = batch_of_rows(golden::file("forward_f64").read("ids").narrow(1, 0, 32));
  std::vector<std::pair<torch::Tensor, torch::Tensor>> moments;
  double loss = 0;
  for (int step = 1; step <= 150; ++step) {
    const Losses losses = compute_losses(config, parameters, batch);
    losses.total.backward();
    loss = losses.next_token.item<double>();
    if (loss < 0.05) break;
    adam_step(parameters, moments, step);
  }
  EXPECT_LT(loss, 0.05);
}

}  // namespace
}  // namespace trex::model::reference
