#include "model/reference/router.h"

#include <torch/types.h>

#include "model/reference/arithmetic.h"

namespace trex::model::reference {
namespace {

// Below this logit softplus is near the smallest float32 and the square root's derivative infinite.
constexpr double kSmallestLogit = -80;

torch::Tensor sqrt_softplus(const torch::Tensor& logit) {
  constexpr double kExactUpTo = 50;
  return torch::softplus(logit.clamp_min(kSmallestLogit), /*beta=*/1, kExactUpTo).sqrt();
}

torch::Tensor best_experts(const torch::Tensor& score_TE, const torch::Tensor& bias_E,
                           int64_t num) {
  const auto biased = score_TE.detach() + bias_E.to(score_TE.scalar_type());
  return std::get<1>(biased.sort(/*stable=*/true, /*dim=*/-1, /*descending=*/true))
      .narrow(1, 0, num)
      .contiguous();
}

}  // namespace

Routing route(const ModelConfig& config, bool by_hash, const torch::Tensor& x_TD,
              const torch::Tensor& token_T, const Weights& weights,
              const torch::Tensor& forced_TK) {
  Routing routing;
  routing.logit_TE = linear_map(wide(x_TD), weights["weight"]);
  routing.score_TE = sqrt_softplus(routing.logit_TE);
  if (forced_TK.defined()) {
    routing.expert_TK = forced_TK;
  } else if (by_hash) {
    routing.expert_TK = weights["tid2eid"].index_select(0, token_T);
  } else {
    routing.expert_TK = best_experts(routing.score_TE, weights["bias"], config.num_experts_per_tok);
  }
  const auto picked_TK = routing.score_TE.gather(1, routing.expert_TK);
  routing.weight_TK =
      picked_TK * (config.routed_scaling_factor / picked_TK.sum(1, /*keepdim=*/true));
  return routing;
}

torch::Tensor expert_load_E(const Routing& routing, const torch::Tensor& is_token_T,
                            int64_t num_experts) {
  const auto count_TK = is_token_T.to(torch::kInt64).unsqueeze(1).expand_as(routing.expert_TK);
  return torch::zeros({num_experts}, torch::kInt64)
      .scatter_add_(0, routing.expert_TK.flatten(), count_TK.flatten());
}

torch::Tensor balance_loss(const Routing& routing, const torch::Tensor& is_token_BS) {
  const int64_t num_rows = is_token_BS.size(0), num_experts = routing.score_TE.size(1);
  const auto is_token_T1 = is_token_BS.reshape({-1, 1}).to(routing.score_TE.scalar_type());
  const auto of_rows = [&](const torch::Tensor& of_tokens_TE) {
    return (of_tokens_TE * is_token_T1).view({num_rows, -1, num_experts}).sum(1);
  };
  const auto share_TE = routing.score_TE / routing.score_TE.sum(1, /*keepdim=*/true);
  const auto chosen_TE =
      torch::zeros_like(routing.score_TE)
          .scatter_add_(1, routing.expert_TK, torch::ones_like(routing.weight_TK));
  const auto length_B = is_token_BS.sum(1).clamp_min(1);
  const auto num_used = static_cast<double>(routing.expert_TK.size(1));
  const auto loss_B = (of_rows(chosen_TE.detach()) * of_rows(share_TE)).sum(1) / length_B.square();
  return loss_B.mean() * (static_cast<double>(num_experts) / num_used);
}

}  // namespace trex::model::reference
