// Floating-point operations that a model needs for a token, for MFU (deepseek-v4 6.2).
//
// A product-and-sum counts as two. Norms, softmax, Sinkhorn, pooling and rotary embedding are left
// out, and so is anything computed twice.
#pragma once

#include <cstdint>
#include <vector>

#include "model/batch.h"
#include "model/config.h"

namespace trex::train {

// Whether a part is trained, only computed, or left out.
enum class PartUse { Absent, ForwardOnly, Trained };

struct FlopOptions {
  PartUse indexer = PartUse::Trained;  // ForwardOnly: frozen
  PartUse mtp = PartUse::Trained;      // ForwardOnly does not occur
};

// Matrix parameters that act on one token of the main model: N_mm.
int64_t matmul_parameters(const model::ModelConfig& config);

// Operations by position in the document.
class ModelFlops {
 public:
  // For positions 0 to `num_positions` - 1.
  ModelFlops(const model::ModelConfig& config, int64_t num_positions, const FlopOptions& options);

  double forward(int64_t position) const { return forward_[static_cast<size_t>(position)]; }
  // Three times the forward pass of what is trained, once what is only computed.
  double training(int64_t position) const { return training_[static_cast<size_t>(position)]; }

  // Sum over the tokens of a batch, padding left out.
  double training(const model::Batch& batch) const;

 private:
  std::vector<double> forward_, training_;
};

}  // namespace trex::train
