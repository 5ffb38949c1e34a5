#include "plan/across_machines.h"

#include <algorithm>
#include <numeric>

namespace trex::plan {
namespace {

constexpr int64_t kMostStages = 8;    // enumerated exhaustively up to here
constexpr size_t kMostGroups = 2000;  // then local search takes over
constexpr int64_t kMostLocalStages = 64;

struct Group {
  std::vector<int64_t> machines_by_kind;
  int64_t stages() const {
    return std::accumulate(machines_by_kind.begin(), machines_by_kind.end(), int64_t{0});
  }
};

class Builder {
 public:
  Builder(const std::vector<MachineKind>& kinds, const ModelChoice& model, size_t model_index,
          const std::vector<RequestClass>& classes, const Network& network,
          const ShapeOptions& options)
      : kinds_(kinds),
        model_(model),
        model_index_(model_index),
        classes_(classes),
        network_(network),
        options_(options) {}

  // The pipeline over this group; refused or unusable if it cannot be.
  Shape shape(const Group& group, const perf::Quantisation& quantisation) const {
    Shape shape{.model = model_index_, .quantisation = quantisation, .limits = options_.limits};
    shape.machines_by_kind = group.machines_by_kind;
    shape.classes.assign(classes_.size(), {});
    std::vector<const MachineKind*> stage_kinds;
    int64_t tp = 0;
    for (size_t k = 0; k < kinds_.size(); ++k) {
      for (int64_t i = 0; i < group.machines_by_kind[k]; ++i) {
        shape.stage_kinds.push_back(k);
        stage_kinds.push_back(&kinds_[k]);
      }
      // One degree for all stages: the fewest devices that a machine of the group has.
      if (group.machines_by_kind[k] > 0)
        tp = tp == 0 ? kinds_[k].num_devices : std::min(tp, kinds_[k].num_devices);
    }
    while (tp > 1 && model_.spec.num_heads % tp != 0) --tp;
    shape.kind = shape.stage_kinds[0];
    shape.layout = {.tp = tp, .pp = static_cast<int64_t>(stage_kinds.size())};
    if (perf::layout_problem(model_.spec, shape.layout)) shape.refused = "layout";
    for (const MachineKind* kind : stage_kinds) {
      if (!kind->device.peak_flops(quantisation.arithmetic)) shape.refused = "arithmetic";
    }
    if (shape.refused.empty()) use_measurements(shape, stage_kinds);
    if (shape.refused.empty()) shape.stage_layers = balanced(shape, stage_kinds);
    if (shape.stage_layers.empty()) {
      shape.refused = "the group's memory does not hold the layers";
      return shape;
    }
    evaluate(shape, stage_kinds, model_, classes_,
             std::vector<perf::StageLink>(stage_kinds.size() - 1,
                                          {network_.bytes_per_s, network_.latency_s}));
    return shape;
  }

 private:
  // Measured as this very pipeline, where all machines are alike and one by itself cannot have been
  // what was measured; or every stage's machine alone with the whole model.
  void use_measurements(Shape& shape, const std::vector<const MachineKind*>& stage_kinds) const {
    const MachineKind& first = *stage_kinds[0];
    const auto is_first = [&](const MachineKind* kind) {
      return kind->device.name == first.device.name;
    };
    if (std::all_of(stage_kinds.begin(), stage_kinds.end(), is_first) &&
        first.num_devices < shape.layout.devices()) {
      shape.measured = measured_on(first, model_, shape.quantisation, shape.layout, options_);
    }
    if (shape.measured) {
      shape.limits.max_sequences =
          std::min(shape.limits.max_sequences, shape.measured->model.max_sequences);
      shape.limits.chunk_tokens = shape.measured->model.chunk_tokens;
      return;
    }
    for (const MachineKind* kind : stage_kinds) {
      auto measured =
          measured_on(*kind, model_, shape.quantisation, {.tp = shape.layout.tp}, options_);
      if (measured) shape.measured_stages.push_back(std::move(measured));
    }
    // Measured stages beside modelled ones would compare two kinds of errors.
    if (shape.measured_stages.size() < stage_kinds.size()) shape.measured_stages.clear();
    for (const auto& measured : shape.measured_stages) {  // a stage sees one micro-batch of them
      shape.limits.max_sequences =
          std::min(shape.limits.max_sequences, measured->model.max_sequences * shape.layout.pp);
      shape.limits.chunk_tokens = std::min(shape.limits.chunk_tokens, measured->model.chunk_tokens);
    }
  }

  std::vector<int64_t> balanced(const Shape& shape,
                                const std::vector<const MachineKind*>& stage_kinds) const {
    const int64_t num_layers = model_.spec.num_layers;
    std::vector<double> seconds;
    std::vector<int64_t> most;
    const double context = classes_.empty() ? 1024 : classes_[0].lengths.decode_context;
    for (const MachineKind* kind : stage_kinds) {
      const perf::StageRange one{num_layers - 1, 1, false, false};
      const perf::OperatorModel layer(model_.spec, kind->device, shape.quantisation, shape.layout,
                                      shape.limits, one);
      const perf::Iteration usual{.num_decoding = 32, .context_each = context};
      const double factor =
          shape.measured_stages.empty()
              ? 1
              : measured_factor(shape.measured_stages[seconds.size()], *kind, model_, shape)(usual);
      seconds.push_back(factor * (layer.seconds(usual) - kind->device.step_overhead_s));
      const auto budget = perf::memory_budget(model_.spec, kind->device, shape.quantisation,
                                              shape.layout, shape.limits, one);
      const double edge = static_cast<double>(model_.spec.vocab * model_.spec.hidden) *
                          shape.quantisation.embedding_bytes / static_cast<double>(shape.layout.tp);
      const double room =
          budget.usable_bytes - budget.activation_bytes - budget.reserve_bytes - edge;
      const double each = budget.weight_bytes + budget.kv.bytes(shape.limits.max_context);
      most.push_back(std::clamp<int64_t>(static_cast<int64_t>(room / each), 0, num_layers));
    }
    return perf::balance_layers(seconds, most, num_layers);
  }

  const std::vector<MachineKind>& kinds_;
  const ModelChoice& model_;
  size_t model_index_;
  const std::vector<RequestClass>& classes_;
  const Network& network_;
  const ShapeOptions& options_;
};

void enumerate(const std::vector<MachineKind>& kinds, size_t k, Group& group,
               std::vector<Group>& all) {
  if (all.size() >= kMostGroups) return;
  if (k == kinds.size()) {
    if (group.stages() >= 2) all.push_back(group);
    return;
  }
  const auto available = static_cast<int64_t>(kinds[k].machines.size());
  for (int64_t n = 0; n <= available && group.stages() + (n > 0 ? 1 : 0) <= kMostStages; ++n) {
    group.machines_by_kind[k] = n;
    if (group.stages() <= kMostStages) enumerate(kinds, k + 1, group, all);
  }
  group.machines_by_kind[k] = 0;
}

double rate_of(const Shape& shape) {
  double sum = 0;
  for (const ClassPerformance& performance : shape.classes) sum += performance.requests_per_s;
  return sum;
}

// Beyond eight machines: starts from all machines of the kind with the most memory and adds,
// removes or swaps one machine while requests/s a machine grows.
std::vector<Shape> local_search(const std::vector<MachineKind>& kinds, const Builder& builder,
                                const perf::Quantisation& quantisation) {
  std::vector<Shape> found;
  for (size_t start = 0; start < kinds.size(); ++start) {
    Group group{std::vector<int64_t>(kinds.size(), 0)};
    Shape best;
    double best_rate = 0;
    // Grow until it fits.
    for (size_t k = start; group.stages() < kMostLocalStages;) {
      const auto available = static_cast<int64_t>(kinds[k].machines.size());
      if (group.machines_by_kind[k] < available) {
        ++group.machines_by_kind[k];
      } else if ((k = (k + 1) % kinds.size()) == start) {
        break;
      }
      if (group.stages() <= kMostStages) continue;
      best = builder.shape(group, quantisation);
      if (best.is_usable()) {
        best_rate = rate_of(best) / static_cast<double>(group.stages());
        break;
      }
    }
    if (best_rate <= 0) continue;
    for (bool improved = true; improved;) {
      improved = false;
      for (size_t k = 0; k < kinds.size(); ++k) {
        for (const int64_t step : {-1, 1}) {
          Group next = group;
          next.machines_by_kind[k] += step;
          if (next.machines_by_kind[k] < 0 || next.stages() < 2 ||
              next.stages() > kMostLocalStages ||
              next.machines_by_kind[k] > static_cast<int64_t>(kinds[k].machines.size())) {
            continue;
          }
          Shape candidate = builder.shape(next, quantisation);
          const double rate = rate_of(candidate) / static_cast<double>(next.stages());
          if (!candidate.is_usable() || rate <= best_rate * 1.001) continue;
          group = next;
          best = std::move(candidate);
          best_rate = rate;
          improved = true;
        }
      }
    }
    found.push_back(std::move(best));
  }
  return found;
}

}  // namespace

std::vector<Shape> shapes_across(const std::vector<MachineKind>& kinds, const ModelChoice& model,
                                 size_t model_index, const std::vector<RequestClass>& classes,
                                 const Network& network, const ShapeOptions& options) {
  const Builder builder(kinds, model, model_index, classes, network, options);
  std::vector<Group> groups;
  Group group{std::vector<int64_t>(kinds.size(), 0)};
  enumerate(kinds, 0, group, groups);
  std::vector<Shape> shapes;
  for (const perf::Quantisation& quantisation : model.quantisations) {
    for (const Group& each : groups) {
      Shape shape = builder.shape(each, quantisation);
      if (shape.is_usable()) shapes.push_back(std::move(shape));
    }
    if (shapes.empty()) {
      for (Shape& shape : local_search(kinds, builder, quantisation))
        shapes.push_back(std::move(shape));
    }
  }
  return shapes;
}

}  // namespace trex::plan
