// The mixture of experts of one block (deepseek-v4.md 2.9): routed experts and one shared expert,
// all the same limited SwiGLU.
//
// Shapes: T tokens, D model width, F expert width.
#pragma once

#include <torch/types.h>

#include "model/config.h"
#include "model/parameters.h"
#include "model/reference/router.h"

namespace trex::model::reference {

// silu(min(gate, limit)) · clamp(up, -limit, limit); the gate has no lower clamp. limit 0: no
// clamp.
torch::Tensor limited_swiglu(const torch::Tensor& gate, const torch::Tensor& up, double limit);

// Routed and shared experts together. `weights` are those below "layers.3.ffn.".
torch::Tensor mixture_of_experts(const ModelConfig& config, const torch::Tensor& x_TD,
                                 const Routing& routing, const Weights& weights);

}  // namespace trex::model::reference
