// AdamW over flat memory, with decay where the parameter wants it.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "train/train_settings.h"
#include "train/trained_parameters.h"

namespace trex::train {

class AdamW {
 public:
  // Moments start at zero. `parameters` must outlive this object.
  AdamW(const OptimizerSettings& settings, TrainedParameters& parameters);

  // One update from parameters.gradient() times `gradient_scale`; publishes the new weights.
  // The result does not depend on the number of threads.
  void step(double learning_rate, double gradient_scale);

  // State for checkpoints: flat, laid out as the parameters' extents.
  const torch::Tensor& first_moment() const { return first_; }
  const torch::Tensor& second_moment() const { return second_; }
  int64_t num_updates() const { return num_updates_; }
  void set_num_updates(int64_t num_updates) { num_updates_ = num_updates; }

 private:
  OptimizerSettings settings_;
  TrainedParameters& parameters_;
  torch::Tensor first_, second_;
  int64_t num_updates_ = 0;
};

}  // namespace trex::train
