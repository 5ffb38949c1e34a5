// Choice and weights of experts (deepseek-v4.md 2.9).
//
// Shapes: T tokens, D model width, E experts, K experts a token.
#pragma once

#include <torch/types.h>

#include "model/config.h"
#include "model/parameters.h"

namespace trex::model::reference {

struct Routing {
  torch::Tensor logit_TE;
  torch::Tensor score_TE;   // sqrt(softplus(logit)), float32 or wider
  torch::Tensor expert_TK;  // int64; a hash table may name an expert twice, which then counts twice
  torch::Tensor weight_TK;  // each row sums to routed_scaling_factor
};

// By the token's row of gate.tid2eid in hash-routed blocks; otherwise the K best of score +
// gate.bias, ties to the lower expert. The bias decides the choice only. A defined `forced_TK` is
// taken as the choice. `weights` are those below "layers.3.ffn.gate.".
Routing route(const ModelConfig& config, bool by_hash, const torch::Tensor& x_TD,
              const torch::Tensor& token_T, const Weights& weights,
              const torch::Tensor& forced_TK = {});

// (token, expert) pairs of each expert, without the tokens that `is_token_T` excludes: int64 [E].
torch::Tensor expert_load_E(const Routing& routing, const torch::Tensor& is_token_T,
                            int64_t num_experts);

// Sequence balance loss of one block before its weight (5.3): E/(K·S) · sum over e of load_e · mean
// share_e, the mean over rows. A packed row counts as one sequence; padding does not count.
torch::Tensor balance_loss(const Routing& routing, const torch::Tensor& is_token_BS);

}  // namespace trex::model::reference
