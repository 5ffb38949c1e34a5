// A shape: one way to run one model on part of a machine of one kind (or on several whole
// machines), and what it would do there (heterogeneous serving, section 8.2).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "perf/deployment.h"
#include "perf/pipeline.h"
#include "perf/profile.h"
#include "perf/throughput.h"
#include "plan/inventory.h"

namespace trex::plan {

// Machines that are alike: same device, same count, same price.
struct MachineKind {
  perf::DeviceSpec device;
  int64_t num_devices = 0;
  double price_usd_h = 0;
  std::vector<std::string> machines;  // names

  int64_t total_devices() const { return num_devices * static_cast<int64_t>(machines.size()); }
  std::string text() const;  // "8x H100 SXM"
};

std::vector<MachineKind> kinds_of(const Inventory& inventory, const perf::Catalogue& catalogue);

// How a class fares on a shape.
struct ClassPerformance {
  perf::Throughput closed_form;  // E1 as it is
  double requests_per_s = 0;     // with the correction for small batches; 0: cannot serve it
  double first_token_s = 0;      // unloaded
  double per_token_s = 0;        // at the full batch
  std::string refused;           // why it cannot: a limit that it breaks, or too little cache
};

struct Shape {
  size_t kind = 0;   // index of its MachineKind; the first stage's across machines
  size_t model = 0;  // index into the models planned for
  perf::Layout layout;
  perf::Quantisation quantisation;
  // Whole machines used of each kind when the pipeline crosses machines; empty otherwise.
  std::vector<int64_t> machines_by_kind;
  std::vector<size_t> stage_kinds;  // across machines: the kind of each stage
  std::vector<int64_t> stage_layers;
  perf::EngineLimits limits;
  perf::MemoryBudget memory;  // of the stage with the least room
  std::vector<ClassPerformance> classes;
  std::shared_ptr<const perf::PipelineModel> pipeline;  // null if it does not fit
  std::shared_ptr<const perf::MeasuredModel>
      measured;  // fitted to this very deployment; null: `pipeline` tells its times
  // Across machines: of each stage's machine alone with the whole model, by which `pipeline` scales
  // the stage; or empty.
  std::vector<std::shared_ptr<const perf::MeasuredModel>> measured_stages;
  std::string refused;  // why it cannot run at all; empty if it can

  bool is_usable() const;  // runs and serves at least one class
  bool crosses_machines() const { return !machines_by_kind.empty(); }
  std::string text() const;  // "bf16 TP4"
  int64_t devices_of_kind(size_t k, const std::vector<MachineKind>& kinds) const;
};

// A model that is to be planned, with what it may be turned into.
struct ModelChoice {
  std::string name;
  perf::ModelSpec spec;
  std::vector<perf::Quantisation> quantisations;
};

struct ShapeOptions {
  perf::EngineLimits limits;
  bool pipelines = true;                                             // also pp > 1 inside a machine
  std::vector<std::shared_ptr<const perf::MeasuredModel>> measured;  // win over the operator model
};

// Everything that could run `model` (number `model_index`) inside a machine of that kind: every tp
// that divides the machine, pp, for mixtures dp and ep, and every allowed quantisation. Refused
// shapes are included, with the reason. Classes of other models get no performance.
std::vector<Shape> shapes_of(const MachineKind& kind, size_t kind_index, const ModelChoice& model,
                             size_t model_index, const std::vector<RequestClass>& classes,
                             const ShapeOptions& options);

// Sets memory, pipeline and performance of a shape whose layout and limits are set.
void evaluate(Shape& shape, const std::vector<const MachineKind*>& stage_kinds,
              const ModelChoice& model, const std::vector<RequestClass>& classes,
              const std::vector<perf::StageLink>& links);

// An iteration's time, by the measurements if there are any. Refers to the shape's pipeline, which
// must be set.
perf::IterationSeconds seconds_of(const Shape& shape);

// The measurements of the whole model in that layout on that kind of machine, or null.
std::shared_ptr<const perf::MeasuredModel> measured_on(const MachineKind& kind,
                                                       const ModelChoice& model,
                                                       const perf::Quantisation& quantisation,
                                                       const perf::Layout& layout,
                                                       const ShapeOptions& options);

// What was measured of the whole model on one machine over what the operator model says of it.
perf::IterationSeconds measured_factor(const std::shared_ptr<const perf::MeasuredModel>& measured,
                                       const MachineKind& kind, const ModelChoice& model,
                                       const Shape& shape);

// Leaves out shapes that another one (or copies of one in the same devices) matches in every class.
std::vector<Shape> without_dominated(std::vector<Shape> shapes,
                                     const std::vector<MachineKind>& kinds);

}  // namespace trex::plan
