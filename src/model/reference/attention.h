// Attention of one block (deepseek-v4.md 2.4, 2.7, 2.8): a low-rank query, one key = value head for
// all query heads, a sliding window, and in compressed layers entries of the compressor besides it.
//
// Shapes: B rows, S tokens, T = B·S, D model width, H heads, C head dim, R query latent.
#pragma once

#include <torch/types.h>

#include <optional>
#include <string>

#include "model/config.h"
#include "model/parameters.h"
#include "model/reference/layout.h"
#include "model/reference/probe.h"

namespace trex::model::reference {

// What all blocks need to know about the rows of a batch; borrows the batch.
struct RowLayout {
  const Batch& batch;
  torch::Tensor main_rotation_BSP;      // rotations of the tokens in layers with ratio 0
  torch::Tensor compress_rotation_BSP;  // and in compressed layers
  std::optional<WindowLayout> csa_windows, hca_windows;  // for the kinds that the model has

  const torch::Tensor& rotation_BSP(AttentionKind kind) const {
    return kind == AttentionKind::Sliding ? main_rotation_BSP : compress_rotation_BSP;
  }
};
RowLayout row_layout(const ModelConfig& config, const Batch& batch, torch::Dtype dtype);

// What the tokens project to, rotated.
struct Projections {
  torch::Tensor latent_BSR;
  torch::Tensor query_BSHC;
  torch::Tensor key_BSC;
};
Projections project(const ModelConfig& config, const torch::Tensor& x_BSD,
                    const torch::Tensor& rotation_BSP, const Weights& weights);

// Rotates the heads' outputs back and projects them by groups (2.8): [B, S, D].
torch::Tensor grouped_output(const ModelConfig& config, const torch::Tensor& output_BSHC,
                             const torch::Tensor& rotation_BSP, const Weights& weights,
                             torch::Dtype dtype);

struct AttentionOutput {
  torch::Tensor y_TD;
  torch::Tensor indexer_loss;  // undefined unless this is a CSA layer and the loss was asked for
};

struct AttentionOptions {
  bool with_indexer_loss = false;
  Probe* probe = nullptr;
  std::string name;  // "layers.3.", for the probe
};

// Attention of a whole batch without a cache. `weights` are those below "layers.3.attn.".
AttentionOutput attention(const ModelConfig& config, int64_t layer, const torch::Tensor& x_TD,
                          const RowLayout& layout, const Weights& weights,
                          const AttentionOptions& options);

}  // namespace trex::model::reference
