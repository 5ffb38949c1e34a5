#include "model/reference/sink_attention.h"

#include <torch/types.h>

#include <cmath>
#include <limits>

#include "model/reference/arithmetic.h"

namespace trex::model::reference {

torch::Tensor query_with_sink(const torch::Tensor& query_BQHC, const torch::Tensor& sink_H) {
  const double scale = 1 / std::sqrt(static_cast<double>(query_BQHC.size(-1)));
  auto sink_sizes = query_BQHC.sizes().vec();
  sink_sizes.back() = 1;
  const auto sink = wide(sink_H).view({-1, 1}).expand(sink_sizes);
  return torch::cat({wide(query_BQHC) * scale, sink}, -1);
}

torch::Tensor key_with_sink(const torch::Tensor& key_BKC) {
  return torch::constant_pad_nd(wide(key_BKC), {0, 1}, 0);
}

torch::Tensor sink_key(int64_t num_rows, int64_t dim, const torch::TensorOptions& options) {
  const auto key = torch::zeros({num_rows, 1, dim + 1}, options);
  key.select(2, dim).fill_(1);
  return key;
}

Attended attend(const torch::Tensor& query_BQHX, const torch::Tensor& key_BKX,
                const torch::Tensor& visible_BQK) {
  const int64_t num_queries = query_BQHX.size(1), num_heads = query_BQHX.size(2);
  const auto logit = torch::bmm(query_BQHX.flatten(1, 2), key_BKX.transpose(1, 2))
                         .unflatten(1, {num_queries, num_heads});
  // Behind autograd's back: the softmax gives hidden keys the gradient 0 by itself.
  logit.detach().masked_fill_(~visible_BQK.unsqueeze(2), -std::numeric_limits<double>::infinity());
  const auto probability = torch::softmax(logit, -1);
  const auto output =
      torch::bmm(probability.flatten(1, 2), key_BKX.narrow(2, 0, key_BKX.size(2) - 1));
  return {.output_BQHC = output.unflatten(1, {num_queries, num_heads}),
          .probability_BQHK = probability};
}

}  // namespace trex::model::reference
