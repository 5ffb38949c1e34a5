// Attention of many query heads over one shared key = value head, with a sink (deepseek-v4.md 2.7):
//
//   P[h, j] = exp(e[h, j]) / (exp(sink_h) + sum_j exp(e[h, j])),   o[h] = sum_j P[h, j] · key_j
//
// The sink is made a key of its own: queries get a channel that holds sink_h, ordinary keys a 0
// there, and one extra key, whose value is nothing, a 1. One product and one ordinary softmax then
// do everything.
//
// Shapes: B rows, Q queries, H heads, K keys, C head dim, X = C + 1.
#pragma once

#include <torch/types.h>

namespace trex::model::reference {

// Queries scaled by C^-1/2 with the sink in their last channel, in float32 or wider.
torch::Tensor query_with_sink(const torch::Tensor& query_BQHC, const torch::Tensor& sink_H);

// Keys with their last channel 0, in float32 or wider.
torch::Tensor key_with_sink(const torch::Tensor& key_BKC);

// The sink's own key [num_rows, 1, X].
torch::Tensor sink_key(int64_t num_rows, int64_t dim, const torch::TensorOptions& options);

struct Attended {
  torch::Tensor output_BQHC;
  torch::Tensor probability_BQHK;
};

// `key` holds the sink's key among the others, and `visible` is true for it.
Attended attend(const torch::Tensor& query_BQHX, const torch::Tensor& key_BKX,
                const torch::Tensor& visible_BQK);

}  // namespace trex::model::reference
