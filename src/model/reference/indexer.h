// The lightning indexer (deepseek-v4.md 2.6): in CSA layers it scores every compressed entry for
// every token with small heads of its own, and attention sees only the best k_I of the visible
// ones.
//
// Choosing blocks the gradient, so the language model's loss teaches the indexer nothing. Its own
// loss (3.11, mode B, sparse) pulls its scores towards the attention that the chosen entries really
// got.
//
// Shapes: B rows, S tokens, W compressed entries, R query latent, I index heads, C index head dim.
#pragma once

#include <torch/types.h>

#include "model/config.h"
#include "model/parameters.h"

namespace trex::model::reference {

// What tokens ask the indexer with.
struct IndexQuery {
  torch::Tensor query_BSIC;  // rotated; no norm
  torch::Tensor weight_BSI;  // may be negative
};

IndexQuery index_query(const ModelConfig& config, const torch::Tensor& x_BSD,
                       const torch::Tensor& latent_BSR, const torch::Tensor& rotation_BSR,
                       const Weights& weights);

// sum over heads of weight · ReLU(query · key), in float32 or wider; nothing is masked.
torch::Tensor index_score_BSW(const IndexQuery& query, const torch::Tensor& key_BWC);

// The best `topk` visible entries of each token; ties go to the earlier entry.
torch::Tensor selected_BSW(const torch::Tensor& score_BSW, const torch::Tensor& visible_BSW,
                           int64_t topk);

// KL divergence of the scores from the attention mass (detached, summed over heads, [B, S, W])
// within the selection: the mean over tokens whose selection got any mass.
torch::Tensor index_loss(const torch::Tensor& score_BSW, const torch::Tensor& selected_BSW,
                         const torch::Tensor& mass_BSW);

}  // namespace trex::model::reference
