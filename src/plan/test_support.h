// For tests of plans: a model to choose for.
#pragma once

#include <string>
#include <vector>

#include "plan/shape.h"

namespace trex::plan {

// The one model of a plan, in bf16 only.
inline std::vector<ModelChoice> in_bf16(const perf::Catalogue& catalogue, const std::string& name) {
  return {{name, catalogue.model(name, "test"), {perf::find_quantisation("bf16", "test")}}};
}

}  // namespace trex::plan
