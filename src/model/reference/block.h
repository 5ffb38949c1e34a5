// One block: hyper-connected attention, then hyper-connected experts (deepseek-v4.md 2.1); and what
// stands in front of the first block and behind the last one.
//
// Shapes: T tokens, N residual streams, D model width.
#pragma once

#include <torch/types.h>

#include <functional>
#include <string>

#include "model/config.h"
#include "model/parameters.h"
#include "model/reference/probe.h"
#include "model/reference/router.h"

namespace trex::model::reference {

struct BlockOutput {
  torch::Tensor stream_TND;
  Routing routing;
};

// `attention` is given the normalised input [T, D]; with and without a cache it is another one.
BlockOutput block(const ModelConfig& config, const Parameters& parameters, int64_t layer,
                  const torch::Tensor& stream_TND, const torch::Tensor& token_T,
                  const std::function<torch::Tensor(const torch::Tensor&)>& attention,
                  Probe* probe);

// The embedding, copied to every stream.
torch::Tensor first_stream_TND(const ModelConfig& config, const Parameters& parameters,
                               const torch::Tensor& token_T);

// The streams collapsed and normalised, ready for the head; `prefix` is "" or "mtp.0.".
torch::Tensor head_input(const ModelConfig& config, const Parameters& parameters,
                         const torch::Tensor& stream_TND, const std::string& prefix);

}  // namespace trex::model::reference
