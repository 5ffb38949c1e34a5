#include "train/router_bias.h"

#include <algorithm>

#include "base/check.h"

namespace trex::train {

void update_router_bias(const model::ModelConfig& config, const model::Parameters& parameters,
                        const torch::Tensor& expert_load_LE, double speed) {
  TREX_CHECK(expert_load_LE.size(0) == config.num_blocks(), "{} rows", expert_load_LE.size(0));
  at::NoGradGuard no_grad;
  for (int64_t block = 0; block < config.num_blocks(); ++block) {
    if (config.routes_by_hash(block)) continue;
    const torch::Tensor load_E = expert_load_LE[block].to(torch::kDouble);
    torch::Tensor bias_E = parameters.at(model::block_prefix(config, block) + "ffn.gate.bias");
    bias_E.add_((load_E.mean() - load_E).sign().to(bias_E.scalar_type()), speed);
  }
}

LoadBalance load_balance(const model::ModelConfig& config, const torch::Tensor& expert_load_LE) {
  LoadBalance balance;
  int64_t num_blocks = 0;
  for (int64_t block = 0; block < config.num_blocks(); ++block) {
    const torch::Tensor load_E = expert_load_LE[block];
    const auto sum = load_E.sum().item<int64_t>();
    if (config.routes_by_hash(block) || sum == 0) continue;
    const double uneven = load_E.max().item<double>() * double(load_E.numel()) / double(sum);
    balance.worst_max_over_mean = std::max(balance.worst_max_over_mean, uneven);
    balance.mean_max_over_mean += uneven;
    balance.dead_experts += (load_E == 0).sum().item<int64_t>();
    ++num_blocks;
  }
  if (num_blocks > 0) balance.mean_max_over_mean /= double(num_blocks);
  return balance;
}

}  // namespace trex::train
