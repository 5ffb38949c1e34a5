// DeepSeek-V4 in plain LibTorch operations and autograd: the readable twin that every fast path
// answers to, line by line after deepseek-v4.md section 2. Works in any floating-point dtype;
// norms, softmax, router, Sinkhorn and losses are in float32 or wider.
//
// Shapes: B rows, S tokens a row, N residual streams, D model width, V vocabulary, T = B * S.
#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

#include "model/batch.h"
#include "model/config.h"
#include "model/losses.h"
#include "model/parameters.h"
#include "model/reference/probe.h"

namespace trex::model::reference {

struct ForwardOptions {
  bool with_mtp = false;
  bool with_indexer_loss = false;  // the indexers run with gradients and `indexer_loss` is filled
  bool with_balance_loss = false;
  Probe* probe = nullptr;  // null: nobody looks at intermediate values
};

struct ForwardOutput {
  torch::Tensor stream_BSND;     // residual streams after the last block, not collapsed
  torch::Tensor hidden_BSD;      // collapsed and normalised: what the head multiplies
  torch::Tensor mtp_hidden_BSD;  // the same of the MTP block; undefined without it
  torch::Tensor indexer_loss;    // sum over CSA layers of the mean KL (3.11, mode B, sparse)
  torch::Tensor balance_loss;    // sum over score-routed blocks (5.3)
  torch::Tensor expert_load_LE;  // int64, see Losses
};

// The whole model without its head. Needs token, document and position of the batch, not the
// target.
ForwardOutput forward(const ModelConfig& config, const Parameters& parameters, const Batch& batch,
                      const ForwardOptions& options = {});

// The head: hidden states [..., D] to logits [..., V] in float32 or wider.
torch::Tensor logits(const ModelConfig& config, const Parameters& parameters,
                     const torch::Tensor& hidden);

// Forward and all losses; total.backward() is the caller's.
Losses compute_losses(const ModelConfig& config, const Parameters& parameters, const Batch& batch,
                      const LossOptions& options = {});

}  // namespace trex::model::reference
