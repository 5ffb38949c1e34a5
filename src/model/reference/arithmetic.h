// Small operations that all mechanisms share.
#pragma once

#include <torch/types.h>

namespace trex::model::reference {

// float32, or float64 for float64: where the architecture wants full precision in a bf16 model.
torch::Tensor wide(const torch::Tensor& x);

// x · weightᵀ with the weight in x's dtype; no biases anywhere.
torch::Tensor linear_map(const torch::Tensor& x, const torch::Tensor& weight_OI);

// 1 / sqrt(mean(x²) + eps) over the last axis, which stays with size 1. By the norm, for its
// cheaper gradient.
torch::Tensor inverse_rms(const torch::Tensor& x, double eps);

// x / sqrt(mean(x²) + eps) over the last axis; statistics in wide(), result in x's dtype.
torch::Tensor rms(const torch::Tensor& x, double eps);
torch::Tensor rms_norm(const torch::Tensor& x, const torch::Tensor& weight_D, double eps);

// The `num` largest of the last axis as a mask; equal values go to the lower index.
torch::Tensor top_mask(const torch::Tensor& score, int64_t num);

}  // namespace trex::model::reference
