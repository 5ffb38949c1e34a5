#include "model/reference/experts.h"

#include <torch/types.h>

#include <fmt/format.h>

#include "model/reference/arithmetic.h"

namespace trex::model::reference {
namespace {

// Pairs (token, expert) in the order of their experts.
struct Dispatch {
  torch::Tensor token_P;           // token of each pair
  torch::Tensor weight_P;          // routing weight of each pair
  torch::Tensor pair_TK;           // where a token's pairs went
  std::vector<int64_t> num_pairs;  // of each expert
};

Dispatch dispatch(const Routing& routing, int64_t num_experts) {
  const int64_t num_used = routing.expert_TK.size(1);
  const auto expert_P = routing.expert_TK.flatten();
  const auto order_P = expert_P.argsort(/*stable=*/true, /*dim=*/0, /*descending=*/false);
  const auto count_E = expert_P.bincount({}, num_experts);
  const int64_t* counts = count_E.const_data_ptr<int64_t>();
  return {.token_P = order_P.floor_divide(num_used),
          .weight_P = routing.weight_TK.flatten().index_select(0, order_P),
          .pair_TK = order_P.argsort().view_as(routing.expert_TK),
          .num_pairs = std::vector<int64_t>(counts, counts + num_experts)};
}

}  // namespace

torch::Tensor limited_swiglu(const torch::Tensor& gate, const torch::Tensor& up, double limit) {
  if (limit == 0) return torch::silu(gate) * up;
  return torch::silu(gate.clamp_max(limit)) * up.clamp(-limit, limit);
}

torch::Tensor mixture_of_experts(const ModelConfig& config, const torch::Tensor& x_TD,
                                 const Routing& routing, const Weights& weights) {
  const auto hidden = [&](const torch::Tensor& x, const Weights& expert) {
    return wide(limited_swiglu(linear_map(x, expert["w1.weight"]),
                               linear_map(x, expert["w3.weight"]), config.swiglu_limit));
  };
  const auto pairs = dispatch(routing, config.n_routed_experts);
  const auto inputs = x_TD.index_select(0, pairs.token_P).split_with_sizes(pairs.num_pairs);
  const auto pair_weights = pairs.weight_P.unsqueeze(1).split_with_sizes(pairs.num_pairs);

  std::vector<torch::Tensor> results;
  for (size_t e = 0; e < inputs.size(); ++e) {
    const Weights expert = weights.below(fmt::format("experts.{}", e));
    const auto weighted = hidden(inputs[e], expert) * pair_weights[e];
    results.push_back(linear_map(weighted.to(x_TD.scalar_type()), expert["w2.weight"]));
  }
  const auto result_PD = wide(torch::cat(results));
  const auto routed_TD = result_PD.index_select(0, pairs.pair_TK.flatten())
                             .view({x_TD.size(0), -1, x_TD.size(1)})
                             .sum(1);
  const Weights shared = weights.below("shared_experts");
  const auto shared_TD =
      linear_map(hidden(x_TD, shared).to(x_TD.scalar_type()), shared["w2.weight"]);
  return (routed_TD + wide(shared_TD)).to(x_TD.scalar_type());
}

}  // namespace trex::model::reference
