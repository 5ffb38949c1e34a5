// Rotary position embedding with YaRN frequencies (deepseek-v4.md 2.3).
//
// The last R dims of a vector rotate in ADJACENT pairs (x[2i], x[2i+1]) by position * frequency[i].
// Layers with ratio 0 use rope_theta; compressed layers compress_rope_theta and YaRN, for all they
// rotate. There is no amplitude, and YaRN does not depend on the length of the text.
#pragma once

#include <torch/types.h>

#include <vector>

#include "model/config.h"

namespace trex::model::reference {

// R / 2 frequencies, in float64.
std::vector<double> rotary_frequencies(const ModelConfig& config, bool is_compressed);

// cos + i sin of every position and pair: complex [positions..., R / 2] for vectors of `dtype`.
torch::Tensor rotations(const ModelConfig& config, bool is_compressed,
                        const torch::Tensor& position, torch::Dtype dtype);

// Rotates the last R dims of x; `rotation` broadcasts against x [..., R / 2]. Its conjugate rotates
// back.
torch::Tensor rotated(const torch::Tensor& x, const torch::Tensor& rotation);

}  // namespace trex::model::reference
