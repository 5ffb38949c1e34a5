#include "train/gradient_norm.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <limits>

namespace trex::train {
namespace {

// Larger than a block, and of odd size.
TrainedParameters two_tensors() {
  model::Parameters values;
  values.add("embed.weight", torch::zeros({333, 301}));
  values.add("norm.weight", torch::zeros({13}));
  const std::vector<checkpoint::TensorSpec> specs{{"embed.weight", torch::kFloat, {333, 301}},
                                                  {"norm.weight", torch::kFloat, {13}}};
  return TrainedParameters(values, specs, [](std::string_view) { return true; });
}

TEST(GradientNorm, IsTheRootOfTheSumOfSquaresByGroup) {
  TrainedParameters parameters = two_tensors();
  parameters.model().at("embed.weight").mutable_grad().fill_(3);
  parameters.model().at("norm.weight").mutable_grad().fill_(-2);
  const GradientNorm norm = gradient_norm(parameters);
  EXPECT_DOUBLE_EQ(norm.total, std::sqrt(9.0 * 333 * 301 + 4.0 * 13));
  EXPECT_DOUBLE_EQ(norm.by_kind.at("embedding"), std::sqrt(9.0 * 333 * 301));
  EXPECT_DOUBLE_EQ(norm.by_kind.at("norm"), std::sqrt(4.0 * 13));
  EXPECT_EQ(norm.first_bad, "");
}

TEST(GradientNorm, HasTheSameBytesForAnyNumberOfThreads) {
  TrainedParameters parameters = two_tensors();
  const auto gradient = parameters.model().at("embed.weight").mutable_grad();
  gradient.copy_(torch::arange(gradient.numel()).sin().view(gradient.sizes()));
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const double alone = gradient_norm(parameters).total;
  at::set_num_threads(2);
  EXPECT_EQ(gradient_norm(parameters).total, alone);
  at::set_num_threads(threads);
}

TEST(GradientNorm, NamesTheTensorThatIsNotFinite) {
  TrainedParameters parameters = two_tensors();
  parameters.model().at("norm.weight").mutable_grad()[12] = std::numeric_limits<float>::infinity();
  const GradientNorm norm = gradient_norm(parameters);
  EXPECT_FALSE(std::isfinite(norm.total));
  EXPECT_EQ(norm.first_bad, "norm.weight");
}

TEST(ClipFactor, LeavesSmallGradientsAlone) {
  EXPECT_EQ(clip_factor(0.5, 1.0), 1.0);
  EXPECT_NEAR(clip_factor(4.0, 1.0), 0.25, 1e-6);
  EXPECT_EQ(clip_factor(0.0, 1.0), 1.0);
}

}  // namespace
}  // namespace trex::train
