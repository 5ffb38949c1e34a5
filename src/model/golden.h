// Golden values for tests: the tiny configuration T0 with deterministic weights
// (deepseek-v4.md 7.2), and the tensors of tests/golden/deepseek-v4-tiny, which an independent
// implementation made.
#pragma once

#include <torch/types.h>

#include <string>

#include "checkpoint/safetensors.h"
#include "model/batch.h"
#include "model/config.h"
#include "model/parameters.h"

namespace trex::model::golden {

// tests/golden/deepseek-v4-tiny.
Path folder();

ModelConfig config();

// Values u in [-1, 1) from the generator of 7.2, in float64.
torch::Tensor uniform(const std::string& name, const std::vector<int64_t>& shape);

// All tensors of T0 by the rule of 7.2, made in float64 and then converted.
Parameters parameters(torch::Dtype dtype);

// One row of the 29 tokens (7t + 3) mod 64 of 7.2.
Batch batch_29();

// "forward_f64" and the others.
checkpoint::SafetensorsFile file(const std::string& name);

// Unpacks "checkpoint" or "hf_save" with its model.safetensors into `target`.
void unpack_checkpoint(const std::string& name, const Path& target);

// The largest |a - b|; infinite when the shapes differ or a value is not finite.
double max_difference(const torch::Tensor& a, const torch::Tensor& b);

// |a - b| / |b| by Euclidean norm.
double relative_difference(const torch::Tensor& a, const torch::Tensor& b);

}  // namespace trex::model::golden
