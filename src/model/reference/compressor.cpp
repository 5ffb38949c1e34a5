#include "model/reference/compressor.h"

#include <torch/types.h>

#include <limits>

#include "model/reference/arithmetic.h"
#include "model/reference/rotary.h"

namespace trex::model::reference {
namespace {

// [B, W, M, C] of the window before each: shifted by one, and `missing` where a document begins.
torch::Tensor of_previous_window(const torch::Tensor& own_BWMC, const torch::Tensor& is_first_BW,
                                 double missing) {
  return own_BWMC.roll(1, /*dims=*/1)
      .masked_fill(is_first_BW.view({is_first_BW.size(0), -1, 1, 1}), missing);
}

// Both windows' slots of one channel half each: [B, W, 2M, C].
torch::Tensor with_previous_window(const torch::Tensor& own_BWMC, const torch::Tensor& is_first_BW,
                                   double missing) {
  const auto halves = own_BWMC.chunk(2, -1);
  return torch::cat({of_previous_window(halves[0], is_first_BW, missing), halves[1]}, 2);
}

}  // namespace

Contribution contribution(const torch::Tensor& x_TD, const torch::Tensor& position_T,
                          const Weights& weights) {
  const auto x = wide(x_TD);
  const auto& ape = weights["ape"];
  const auto bias = wide(ape).index_select(0, position_T.remainder(ape.size(0)));
  return {.value = linear_map(x, weights["wkv.weight"]),
          .gate = linear_map(x, weights["wgate.weight"]) + bias};
}

torch::Tensor pooled(const torch::Tensor& value, const torch::Tensor& gate) {
  return (torch::softmax(gate, -2) * value).sum(-2);
}

torch::Tensor finished_entry(const ModelConfig& config, const torch::Tensor& entry,
                             const torch::Tensor& position, const Weights& weights,
                             torch::Dtype dtype) {
  const auto normed = rms_norm(entry.to(dtype), weights["norm.weight"], config.rms_norm_eps);
  return rotated(normed, rotations(config, /*is_compressed=*/true, position, dtype));
}

torch::Tensor compressed(const ModelConfig& config, AttentionKind kind, const torch::Tensor& x_TD,
                         const torch::Tensor& position_T, const WindowLayout& windows,
                         const Weights& weights) {
  const auto of_tokens = contribution(x_TD, position_T, weights);
  const auto in_windows = [&](const torch::Tensor& of_token_TC) {
    auto sizes = windows.token_BWM.sizes().vec();
    sizes.push_back(of_token_TC.size(1));
    return of_token_TC.index_select(0, windows.token_BWM.flatten()).view(sizes);
  };
  auto value = in_windows(of_tokens.value), gate = in_windows(of_tokens.gate);
  if (kind == AttentionKind::Csa) {
    const auto is_first_BW = windows.position_BW <= 0;
    value = with_previous_window(value, is_first_BW, 0);
    gate = with_previous_window(gate, is_first_BW, -std::numeric_limits<double>::infinity());
  }
  return finished_entry(config, pooled(value, gate), windows.position_BW, weights,
                        x_TD.scalar_type());
}

}  // namespace trex::model::reference
