#include "model/reference/rotary.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/reference/arithmetic.h"

namespace trex::model::reference {
namespace {

// The pair index at which a frequency turns `rotations` times within the original length.
double correction_index(const Yarn& yarn, double theta, double dims, double rotations) {
  const auto length = static_cast<double>(yarn.original_max_position_embeddings);
  return dims * std::log(length / (2 * std::numbers::pi * rotations)) / (2 * std::log(theta));
}

}  // namespace

std::vector<double> rotary_frequencies(const ModelConfig& config, bool is_compressed) {
  const auto dims = static_cast<double>(config.qk_rope_head_dim);
  const double theta = is_compressed ? config.compress_rope_theta : config.rope_theta;
  std::vector<double> frequencies;
  for (int64_t i = 0; i < config.qk_rope_head_dim / 2; ++i) {
    frequencies.push_back(std::pow(theta, -2.0 * static_cast<double>(i) / dims));
  }
  if (!is_compressed || !config.rope_scaling) return frequencies;

  const Yarn& yarn = *config.rope_scaling;
  const double low = std::max(std::floor(correction_index(yarn, theta, dims, yarn.beta_fast)), 0.0);
  double high = std::min(std::ceil(correction_index(yarn, theta, dims, yarn.beta_slow)), dims - 1);
  if (high == low) high += 0.001;
  for (size_t i = 0; i < frequencies.size(); ++i) {
    const double ramp = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    frequencies[i] = frequencies[i] * (1 - ramp) + frequencies[i] / yarn.factor * ramp;
  }
  return frequencies;
}

torch::Tensor rotations(const ModelConfig& config, bool is_compressed,
                        const torch::Tensor& position, torch::Dtype dtype) {
  const auto frequency = torch::tensor(rotary_frequencies(config, is_compressed), torch::kFloat64);
  // Angles in float64: position * frequency in float32 is off by 1e-4 at position 1000.
  const auto angle = position.to(torch::kFloat64).unsqueeze(-1) * frequency;
  const auto full = c10::promoteTypes(dtype, torch::kFloat32);
  return torch::complex(angle.cos().to(full), angle.sin().to(full));
}

torch::Tensor rotated(const torch::Tensor& x, const torch::Tensor& rotation) {
  const int64_t num_pairs = rotation.size(-1);
  const auto parts = x.split_with_sizes({x.size(-1) - 2 * num_pairs, 2 * num_pairs}, -1);
  const auto pairs =
      torch::view_as_complex(wide(parts[1]).unflatten(-1, {num_pairs, 2}).contiguous());
  return torch::cat(
      {parts[0], torch::view_as_real(pairs * rotation).flatten(-2).to(x.scalar_type())}, -1);
}

}  // namespace trex::model::reference
