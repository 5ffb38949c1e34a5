// The compact instance model of a deployment that was not measured: the operator models sampled on
// a grid of batches, contexts and prompts, and fitted. What the simulator and the gateway start
// from.
#pragma once

#include <string>

#include "perf/deployment.h"
#include "perf/fit.h"
#include "perf/pipeline.h"

namespace trex::perf {

struct Derived {
  InstanceModel model;
  FitReport fit;  // how far the compact form is from the operator models
};

// `budget` is the memory of the stage with the least room; `typical_context` the tokens of a
// sequence in the workload, around which the grid lies (a quarter to four times).
Derived derive_instance_model(const PipelineModel& pipeline, const MemoryBudget& budget,
                              const EngineLimits& limits, const Layout& layout,
                              double typical_context, std::string name);

}  // namespace trex::perf
