// Load balancing without a loss: after each step the routing bias of an expert moves a little
// towards the mean load (deepseek-v4 5.3; "auxiliary-loss-free", DeepSeek-V3 report 2.1.2).
#pragma once

#include <torch/types.h>

#include "model/config.h"
#include "model/parameters.h"

namespace trex::train {

// bias_e += speed * sign(mean load - load_e) in every score-routed block, the MTP block included.
// expert_load_LE (int64, blocks by experts) counts all micro-batches of the step. Writes into the
// ffn.gate.bias tensors of `parameters`. A block without load is left alone.
void update_router_bias(const model::ModelConfig& config, const model::Parameters& parameters,
                        const torch::Tensor& expert_load_LE, double speed);

// How uneven the load of score-routed blocks is; 1 is even.
struct LoadBalance {
  double worst_max_over_mean = 0;  // over blocks
  double mean_max_over_mean = 0;
  int64_t dead_experts = 0;  // (block, expert) pairs without a token
};
LoadBalance load_balance(const model::ModelConfig& config, const torch::Tensor& expert_load_LE);

}  // namespace trex::train
