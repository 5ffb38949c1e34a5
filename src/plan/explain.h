// Why a shape was not chosen, in one sentence.
#pragma once

#include <string>
#include <vector>

#include "plan/serving_plan.h"

namespace trex::plan {

// `winner` is the best chosen shape of the same kind and model, or null.
std::string reason_against(const Shape& loser, const Shape* winner, const Problem& problem);

// Share of a full decode iteration that goes to links.
double communication_share(const Shape& shape, const perf::WorkloadMoments& lengths);

// The text of the error for a model that fits nowhere: by how much it misses on the roomiest shape,
// and what would make it fit.
struct NoFit {
  std::string expected, got, hint;
};
NoFit explain_no_fit(const ModelChoice& model, const std::vector<Shape>& rejected,
                     const std::vector<MachineKind>& kinds, size_t model_index);

}  // namespace trex::plan
