// Pipelines across machines, also unlike ones (heterogeneous serving, section 8.2, second stage):
// each machine is one stage, tensor-parallel over its devices; layers per stage are balanced by
// dynamic programming under each stage's memory. Tensor parallelism across unlike devices is not
// offered: it runs at the slowest rank's speed and the smallest memory.
#pragma once

#include <vector>

#include "plan/shape.h"

namespace trex::plan {

// Shapes over every group of up to `most_machines` whole machines (by kind: machines of one kind
// are interchangeable), for each quantisation. Unusable ones are left out. Groups are enumerated
// while there are at most 8 stages; beyond, one kind at a time is added while that raises
// requests/s a machine (local search), so the answer stays quick for large inventories.
std::vector<Shape> shapes_across(const std::vector<MachineKind>& kinds, const ModelChoice& model,
                                 size_t model_index, const std::vector<RequestClass>& classes,
                                 const Network& network, const ShapeOptions& options);

}  // namespace trex::plan
