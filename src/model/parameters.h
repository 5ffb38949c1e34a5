// All tensors of a model by their official names (deepseek-v4.md 4.1), in checkpoint order.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/files.h"
#include "checkpoint/tensor_spec.h"
#include "model/config.h"

namespace trex::model {

struct NamedTensor {
  std::string name;
  torch::Tensor tensor;
};

// An ordered map. Tensors are handles: a copy of Parameters shares them.
class Parameters {
 public:
  // A name that is not there is a bug: code asks only for what the config implies.
  const torch::Tensor& at(std::string_view name) const;
  bool has(std::string_view name) const;
  void add(std::string name, torch::Tensor tensor);

  std::span<const NamedTensor> entries() const { return entries_; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::vector<NamedTensor> entries_;
  std::unordered_map<std::string, size_t, Hash, std::equal_to<>> index_;
};

// The tensors below one prefix: weights["wq_a.weight"] of "layers.3.attn.". Borrows `parameters`.
class Weights {
 public:
  Weights(const Parameters& parameters, std::string prefix)
      : parameters_(parameters), prefix_(std::move(prefix)) {}

  const torch::Tensor& operator[](std::string_view name) const {
    return parameters_.at(prefix_ + std::string(name));
  }
  Weights below(std::string_view name) const {
    return {parameters_, prefix_ + std::string(name) + "."};
  }

 private:
  const Parameters& parameters_;
  std::string prefix_;
};

// Where block `block` keeps its tensors: "layers.3." or, for the MTP block, "mtp.0.".
std::string block_prefix(const ModelConfig& config, int64_t block);

// False for what no gradient reaches: ffn.gate.bias (moved by load) and ffn.gate.tid2eid.
bool is_trained(std::string_view name);

// Name, shape and dtype of every tensor. `dtype` is that of the weights; hc_*, attn_sink, ape and
// gate.bias are never below float32, and tid2eid is int64.
std::vector<checkpoint::TensorSpec> expected_specs(const ModelConfig& config, torch::Dtype dtype);

// Random values by 2.2: matrices normal(0, initializer_range), norms and scales 1, the rest 0;
// tid2eid holds distinct experts a row. Each tensor has a random stream of its own, so its values
// depend on seed, name and shape alone.
Parameters make_parameters(const ModelConfig& config, uint64_t seed, torch::Dtype dtype);

// A copy whose floating-point tensors are of `dtype`.
Parameters converted(const Parameters& parameters, torch::Dtype dtype);

// Marks the trained tensors as leaves that want a gradient.
void require_gradients(const Parameters& parameters);

// Reads model.safetensors or its shards from `folder`, converting floating-point tensors to the
// dtype of expected_specs(config, dtype). Official names, and those of transformers'
// save_pretrained (4.3). A checkpoint without an MTP block is refused when the config has one.
// Throws Input naming file and tensor.
Parameters load_parameters(const ModelConfig& config, const Path& folder, torch::Dtype dtype);

// Writes model.safetensors and config.json.
void save_model(const ModelConfig& config, const Parameters& parameters, const Path& folder);

}  // namespace trex::model
