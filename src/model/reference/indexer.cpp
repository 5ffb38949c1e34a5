#include "model/reference/indexer.h"

#include <torch/types.h>

#include <cmath>
#include <limits>

#include "model/reference/arithmetic.h"
#include "model/reference/rotary.h"

namespace trex::model::reference {

IndexQuery index_query(const ModelConfig& config, const torch::Tensor& x_BSD,
                       const torch::Tensor& latent_BSR, const torch::Tensor& rotation_BSR,
                       const Weights& weights) {
  const int64_t num_heads = config.index_n_heads, dim = config.index_head_dim;
  const auto query = linear_map(latent_BSR, weights["wq_b.weight"]).unflatten(-1, {num_heads, dim});
  const double scale = 1 / std::sqrt(static_cast<double>(dim * num_heads));
  return {.query_BSIC = rotated(wide(query), rotation_BSR.unsqueeze(-2)),
          .weight_BSI = linear_map(wide(x_BSD), weights["weights_proj.weight"]) * scale};
}

torch::Tensor index_score_BSW(const IndexQuery& query, const torch::Tensor& key_BWC) {
  const int64_t num_tokens = query.query_BSIC.size(1), num_heads = query.query_BSIC.size(2);
  const auto match = torch::bmm(query.query_BSIC.flatten(1, 2), wide(key_BWC).transpose(1, 2))
                         .unflatten(1, {num_tokens, num_heads});
  return torch::matmul(query.weight_BSI.unsqueeze(2), torch::relu(match)).squeeze(2);
}

torch::Tensor selected_BSW(const torch::Tensor& score_BSW, const torch::Tensor& visible_BSW,
                           int64_t topk) {
  if (topk >= score_BSW.size(-1)) return visible_BSW;
  const auto masked = score_BSW.masked_fill(~visible_BSW, -std::numeric_limits<double>::infinity());
  return top_mask(masked, topk) & visible_BSW;
}

torch::Tensor index_loss(const torch::Tensor& score_BSW, const torch::Tensor& selected_BSW,
                         const torch::Tensor& mass_BSW) {
  constexpr double kNever = -1e30;  // finite: a row without any selection must not become NaN
  const auto log_student = torch::log_softmax(score_BSW.masked_fill(~selected_BSW, kNever), -1);
  const auto chosen_mass = mass_BSW * selected_BSW;
  const auto total_BS1 = chosen_mass.sum(-1, /*keepdim=*/true);
  const auto teacher = chosen_mass / total_BS1.clamp_min(std::numeric_limits<float>::min());
  // xlogy(0, 0) = 0: entries that got no attention add nothing.
  const auto divergence_BS = (torch::xlogy(teacher, teacher) - teacher * log_student).sum(-1);
  const auto counts_BS = total_BS1.squeeze(-1) > 0;
  return (divergence_BS * counts_BS).sum() / counts_BS.sum().clamp_min(1);
}

}  // namespace trex::model::reference
