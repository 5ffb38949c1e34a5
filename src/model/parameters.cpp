#include "model/parameters.h"

#include <torch/types.h>

#include <numeric>

#include "base/check.h"
#include "base/rng.h"

namespace trex::model {
namespace {

torch::Tensor normal_values(const checkpoint::TensorSpec& spec, uint64_t seed, double deviation) {
  const auto values = torch::empty(spec.shape, torch::kFloat32);
  float* out = values.data_ptr<float>();
  Rng rng(seed, "init." + spec.name);
  for (int64_t i = 0; i < values.numel(); ++i)
    out[i] = static_cast<float>(deviation * rng.normal());
  return values.to(spec.dtype);
}

// Row t: the experts that token id t goes to, all different.
torch::Tensor hash_table(const checkpoint::TensorSpec& spec, uint64_t seed, int64_t num_experts) {
  const auto table = torch::empty(spec.shape, torch::kInt64);
  int64_t* out = table.data_ptr<int64_t>();
  std::vector<int64_t> experts(static_cast<size_t>(num_experts));
  std::iota(experts.begin(), experts.end(), 0);
  Rng rng(seed, "init." + spec.name);
  for (int64_t t = 0; t < spec.shape[0]; ++t) {
    rng.shuffle(experts);
    out = std::copy_n(experts.begin(), spec.shape[1], out);
  }
  return table;
}

bool is_matrix_with_random_values(const checkpoint::TensorSpec& spec) {
  return spec.shape.size() == 2 && !spec.name.ends_with(".ape");
}

torch::Tensor initial_value(const ModelConfig& config, const checkpoint::TensorSpec& spec,
                            uint64_t seed) {
  if (spec.name.ends_with("tid2eid")) return hash_table(spec, seed, config.n_routed_experts);
  if (is_matrix_with_random_values(spec))
    return normal_values(spec, seed, config.initializer_range);
  const bool is_one = spec.name.ends_with("norm.weight") || spec.name.ends_with("_scale");
  return torch::full(spec.shape, is_one ? 1 : 0, spec.dtype);
}

}  // namespace

const torch::Tensor& Parameters::at(std::string_view name) const {
  const auto found = index_.find(name);
  TREX_CHECK(found != index_.end(), "no parameter \"{}\"", name);
  return entries_[found->second].tensor;
}

bool Parameters::has(std::string_view name) const { return index_.find(name) != index_.end(); }

void Parameters::add(std::string name, torch::Tensor tensor) {
  const bool is_new = index_.emplace(name, entries_.size()).second;
  TREX_CHECK(is_new, "parameter \"{}\" is added twice", name);
  entries_.push_back({std::move(name), std::move(tensor)});
}

bool is_trained(std::string_view name) {
  return !name.ends_with("ffn.gate.bias") && !name.ends_with("ffn.gate.tid2eid");
}

Parameters make_parameters(const ModelConfig& config, uint64_t seed, torch::Dtype dtype) {
  Parameters parameters;
  for (const auto& spec : expected_specs(config, dtype)) {
    parameters.add(spec.name, initial_value(config, spec, seed));
  }
  return parameters;
}

Parameters converted(const Parameters& parameters, torch::Dtype dtype) {
  Parameters copy;
  for (const auto& [name, tensor] : parameters.entries()) {
    copy.add(name, tensor.is_floating_point() ? tensor.detach().to(dtype, false, /*copy=*/true)
                                              : tensor.clone());
  }
  return copy;
}

void require_gradients(const Parameters& parameters) {
  for (const auto& [name, tensor] : parameters.entries()) {
    if (is_trained(name)) tensor.requires_grad_(true);
  }
}

}  // namespace trex::model
