// The parameters that the optimizer moves, in flat memory.
//
// Each trained tensor becomes a leaf that views a piece of one long array, so that zeroing,
// clipping and AdamW are a few passes over contiguous memory instead of thousands of small calls.
// Tensors in bfloat16 have a float32 master copy that the optimizer moves, and their gradients are
// added up in float32 over the micro batches of a step.
#pragma once

#include <torch/types.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/parameters.h"

namespace trex::train {

// One trained tensor and its place in the flat arrays.
struct Extent {
  std::string name;  // official name
  std::string kind;  // group for gradient norms: embedding, attention, indexer, router, ...
  bool decays;       // whether weight decay applies
  bool is_half;      // computed in bfloat16, with a master copy
  int64_t offset;    // elements
  int64_t count;
  std::vector<int64_t> shape;
};

// Group of a tensor by its official name (deepseek-v4 4.1).
std::string kind_of(const std::string& name);

// Matrices decay; norms, biases, sinks, positional `ape` and all of mHC do not (deepseek-v4 5.1).
bool decays(const std::string& name, int64_t num_dimensions);

// Leaves over the shared values with gradients of their own: what one thread computes with.
struct GradientLane {
  model::Parameters model;
  torch::Tensor gradient;       // flat, of the master's type
  torch::Tensor half_gradient;  // bfloat16; undefined when there is none
  int64_t num_full = 0;         // elements in front of the first half-precision one

  // After each backward pass: adds the gradients of bfloat16 leaves to `gradient`.
  void collect_gradients();
};

class TrainedParameters {
 public:
  // `num_lanes` threads may run forward and backward passes at once, each with its own lane.
  // `values` in float32 or float64 are the master values; `specs` name the type of each tensor in
  // the model's arithmetic: that of `values`, or bfloat16. Tensors for which `is_trained` is false
  // stay as they are. Throws Input when there is nothing to train.
  TrainedParameters(const model::Parameters& values, std::span<const checkpoint::TensorSpec> specs,
                    const std::function<bool(std::string_view name)>& is_trained,
                    int64_t num_lanes = 1);

  // What the model reads: leaves for the trained tensors, copies of the others (the same in all
  // lanes), in the types of the specs and in their order.
  const model::Parameters& model() const { return lanes_.front().model; }
  GradientLane& lane(int64_t index) { return lanes_[static_cast<size_t>(index)]; }

  std::span<const Extent> extents() const { return extents_; }
  int64_t count() const { return master_.numel(); }  // elements, alignment padding included

  // Flat arrays of the master's type. The optimizer writes master() and then calls publish().
  const torch::Tensor& master() const { return master_; }
  const torch::Tensor& gradient() const { return lanes_.front().gradient; }

  // The piece of a flat array that belongs to `extent`, in its shape; shares memory.
  static torch::Tensor piece(const torch::Tensor& flat, const Extent& extent);

  void zero_gradients();
  // Adds the other lanes' gradients to gradient(), in their order.
  void reduce_gradients();
  // Rounds the master copies into the bfloat16 leaves.
  void publish();

 private:
  GradientLane make_lane(const model::Parameters& fixed,
                         std::span<const checkpoint::TensorSpec> specs) const;

  std::vector<GradientLane> lanes_;
  std::vector<Extent> extents_;  // full precision first, then half; not decayed before decayed
  int64_t num_full_ = 0;         // elements in front of the first half-precision one
  torch::Tensor master_;
  torch::Tensor half_;  // bfloat16; undefined when there is none
};

}  // namespace trex::train
