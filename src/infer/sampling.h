// Choosing next tokens from logits.
//
// Shapes: N sequences, V tokens.
#pragma once

#include <torch/types.h>

#include <vector>

namespace trex::infer {

struct SamplingOptions {
  double temperature = 0;  // 0: the most probable token
  double top_p = 1;        // only the most probable tokens that together reach this share
};

// One token a row, int64 [N]. `uniform` holds a number in [0, 1) for each row, read only when the
// temperature is above 0; a row's token depends on its own logits and number alone. Equal logits go
// to the lower token.
torch::Tensor sample_tokens_N(const torch::Tensor& logit_NV, const SamplingOptions& options,
                              const std::vector<double>& uniform);

}  // namespace trex::infer
