// How many numbers a model learns (deepseek-v4.md 6.1).
#pragma once

#include <cstdint>

#include "model/config.h"

namespace trex::model {

struct ParameterCounts {
  int64_t total = 0;  // everything with a gradient: without gate.bias and tid2eid
  int64_t mtp = 0;    // of these, in the MTP block
  int64_t activated =
      0;  // used for one token by the main model: of the experts, the chosen and the shared
};

ParameterCounts count_parameters(const ModelConfig& config);

}  // namespace trex::model
