// Manifold-constrained hyper-connections, mHC (deepseek-v4.md 2.2).
//
// The residual is N parallel streams. Each site (attention or experts) reads a weighted sum of
// them and adds its result back to all, after mixing the streams by a matrix that Sinkhorn's
// rounds make nearly doubly stochastic. Everything here is in float32 or wider.
//
// Shapes: T tokens, N streams, D model width.
#pragma once

#include <torch/types.h>

#include <functional>
#include <string>

#include "model/config.h"
#include "model/parameters.h"
#include "model/reference/probe.h"

namespace trex::model::reference {

// How one site reads and writes the streams.
struct StreamMix {
  torch::Tensor collapse_TN;  // a: weights of the sum that the block reads
  torch::Tensor post_TN;      // b: what each stream gets of the block's result
  torch::Tensor comb_TNN;     // M[j, k]: what stream k keeps of stream j
};

// exp and row/column normalisations: a softmax over k, then 2 * iters - 1 divisions, the last by
// columns. Row j and column k are the FIRST two axes, so that every sum runs over whole vectors of
// T.
torch::Tensor sinkhorn_NNT(const torch::Tensor& logit_NNT, int64_t iters, double eps);

StreamMix stream_mix(const ModelConfig& config, const torch::Tensor& stream_TND,
                     const Parameters& parameters, const std::string& site);

// One hyper-connected block: collapse, block_TD(u), expand. `site` is "layers.3.hc_attn".
torch::Tensor hyper_connected(const ModelConfig& config, const torch::Tensor& stream_TND,
                              const Parameters& parameters, const std::string& site, Probe* probe,
                              const std::function<torch::Tensor(const torch::Tensor&)>& block_TD);

// The weighted collapse in front of the head; `prefix` is "" or "mtp.0.".
torch::Tensor head_mix(const ModelConfig& config, const torch::Tensor& stream_TND,
                       const Parameters& parameters, const std::string& prefix);

}  // namespace trex::model::reference
