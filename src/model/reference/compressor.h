// The compressor (deepseek-v4.md 2.5): every complete window of M tokens becomes one entry, a sum
// of the tokens' values weighted, channel by channel, by a softmax of their gates.
//
// In CSA layers windows overlap: an entry also pools the tokens of the window before it. A token's
// FIRST half of channels serves the next window, its SECOND half its own. In HCA layers there is no
// overlap and no halves. All in float32 or wider.
//
// Shapes: T tokens, C channels of an entry, O·C channels of a token (O = 2 with overlap, else 1),
// W windows, M tokens a window.
#pragma once

#include <torch/types.h>

#include "model/config.h"
#include "model/parameters.h"
#include "model/reference/layout.h"

namespace trex::model::reference {

// What a token contributes to its windows; the gate includes the position's bias `ape`.
struct Contribution {
  torch::Tensor value;  // [T, O·C]
  torch::Tensor gate;   // [T, O·C]
};

Contribution contribution(const torch::Tensor& x_TD, const torch::Tensor& position_T,
                          const Weights& weights);

// Softmax of the gates over axis -2 (the slots of a window) and the weighted sum: [..., slots, C]
// to [..., C].
torch::Tensor pooled(const torch::Tensor& value, const torch::Tensor& gate);

// The norm and the rotation behind the pooling; rotation at the window's first position.
torch::Tensor finished_entry(const ModelConfig& config, const torch::Tensor& pooled,
                             const torch::Tensor& position, const Weights& weights,
                             torch::Dtype dtype);

// All entries of packed rows [B, W, C] in the dtype of x. Entries that the layout calls invalid
// hold finite values that mean nothing.
torch::Tensor compressed(const ModelConfig& config, AttentionKind kind, const torch::Tensor& x_TD,
                         const torch::Tensor& position_T, const WindowLayout& windows,
                         const Weights& weights);

}  // namespace trex::model::reference
