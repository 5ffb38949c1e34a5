#include "plan/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/error.h"
#include "base/text.h"

namespace trex::plan {
namespace {

std::vector<int64_t> divisors(int64_t n) {
  std::vector<int64_t> all;
  for (int64_t d = 1; d <= n; ++d) {
    if (n % d == 0) all.push_back(d);
  }
  return all;
}

// The largest factor on the batch of a pipeline: each stage holds its own layers' cache only, so
// the stage with the least room decides.
perf::MemoryBudget tightest_memory(const Shape& shape,
                                   const std::vector<const MachineKind*>& stage_kinds,
                                   const perf::ModelSpec& model,
                                   const std::vector<perf::StageRange>& ranges) {
  perf::MemoryBudget tightest;
  double least = 0;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const auto budget = perf::memory_budget(model, stage_kinds[i]->device, shape.quantisation,
                                            shape.layout, shape.limits, ranges[i]);
    const double sequences = budget.kv_bytes / budget.kv.bytes(shape.limits.max_context);
    if (i == 0 || sequences < least) tightest = budget, least = sequences;
  }
  return tightest;
}

std::string memory_refusal(const Shape& shape, const perf::ModelSpec& model) {
  const double missing = shape.memory.missing_bytes(shape.limits.max_context);
  const double tolerated = shape.limits.tolerance * shape.memory.device_bytes;
  if (missing <= 0 || (shape.memory.kv_bytes > 0 && missing <= tolerated)) return "";
  return fmt::format(
      "{} of {} needs {:.1f} GB more a device (weights {:.1f} GB of {:.1f} GB usable, {} tokens of "
      "cache {:.2f} GB)",
      shape.text(), model.name, missing * 1e-9, shape.memory.weight_bytes * 1e-9,
      shape.memory.usable_bytes * 1e-9, shape.limits.max_context,
      shape.memory.kv.bytes(shape.limits.max_context) * 1e-9);
}

// A prompt by itself, chunk after chunk.
double first_token_s(const Shape& shape, double prompt_tokens) {
  const int64_t chunk_tokens = shape.limits.chunk_tokens;
  if (!shape.measured) return shape.pipeline->prompt_seconds(prompt_tokens, chunk_tokens);
  const perf::IterationCoefficients& time = shape.measured->model.time;
  return std::ceil(prompt_tokens / static_cast<double>(chunk_tokens)) * time.base_s +
         time.prompt_s(prompt_tokens);
}

ClassPerformance performance_of(const Shape& shape, const RequestClass& request_class) {
  ClassPerformance result;
  const auto& lengths = request_class.lengths;
  const int64_t batch = perf::admissible_batch(shape.memory, shape.layout, shape.limits,
                                               lengths.mean_input + lengths.mean_output);
  if (batch < 1) {
    result.refused = "no room for one mean request in the cache";
    return result;
  }
  const auto seconds = seconds_of(shape);
  result.closed_form = perf::closed_form(seconds, {batch, shape.limits.chunk_tokens}, lengths);
  result.first_token_s = first_token_s(shape, lengths.mean_input);
  result.per_token_s = result.closed_form.decode_s;
  const perf::Iteration alone{.num_decoding = 1, .context_each = lengths.decode_context};
  const double fastest_s = seconds(alone);
  const Limits& limits = request_class.limits;
  if (limits.first_token_s && result.first_token_s > *limits.first_token_s) {
    result.refused = fmt::format("first token after {:.0f} ms even when idle, limit {:.0f} ms",
                                 1e3 * result.first_token_s, 1e3 * *limits.first_token_s);
    return result;
  }
  if (limits.per_token_s && fastest_s > *limits.per_token_s) {
    result.refused = fmt::format("{:.1f} ms a token even when idle, limit {:.0f} ms",
                                 1e3 * fastest_s, 1e3 * *limits.per_token_s);
    return result;
  }
  result.requests_per_s = result.closed_form.requests_per_s * perf::small_batch_correction(batch);
  return result;
}

// The largest batch whose iteration keeps the per-token limit; the engine is launched with it.
void keep_token_limit(Shape& shape, const std::vector<RequestClass>& classes, size_t class_index) {
  const RequestClass& request_class = classes[class_index];
  ClassPerformance& performance = shape.classes[class_index];
  if (!request_class.limits.per_token_s || performance.requests_per_s <= 0) return;
  if (performance.per_token_s <= *request_class.limits.per_token_s) return;
  int64_t fits = 1;
  int64_t too_many = performance.closed_form.batch;
  while (too_many - fits > 1) {
    const int64_t middle = fits + (too_many - fits) / 2;
    const double seconds =
        seconds_of(shape)({.num_decoding = static_cast<double>(middle),
                           .context_each = request_class.lengths.decode_context});
    (seconds <= *request_class.limits.per_token_s ? fits : too_many) = middle;
  }
  shape.limits.max_sequences = std::min(shape.limits.max_sequences, fits);
}

}  // namespace

std::string MachineKind::text() const { return fmt::format("{}x {}", num_devices, device.name); }

std::vector<MachineKind> kinds_of(const Inventory& inventory, const perf::Catalogue& catalogue) {
  std::vector<MachineKind> kinds;
  for (const Machine& machine : inventory.machines) {
    const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const MachineKind& kind) {
      return std::tie(kind.device.name, kind.num_devices, kind.price_usd_h) ==
             std::tie(machine.device, machine.num_devices, machine.price_usd_h);
    });
    if (same != kinds.end()) {
      same->machines.push_back(machine.name);
    } else {
      kinds.push_back({catalogue.device(machine.device, machine.name),
                       machine.num_devices,
                       machine.price_usd_h,
                       {machine.name}});
    }
  }
  return kinds;
}

perf::IterationSeconds seconds_of(const Shape& shape) {
  return shape.measured ? perf::seconds_of(shape.measured->model) : shape.pipeline->function();
}

std::shared_ptr<const perf::MeasuredModel> measured_on(const MachineKind& kind,
                                                       const ModelChoice& model,
                                                       const perf::Quantisation& quantisation,
                                                       const perf::Layout& layout,
                                                       const ShapeOptions& options) {
  for (const auto& measured : options.measured) {
    const perf::Deployment& d = measured->deployment;
    if (d.model == model.spec.name && d.device == kind.device.name &&
        d.quantisation == quantisation.name && d.layout.text() == layout.text()) {
      return measured;
    }
  }
  return nullptr;
}

perf::IterationSeconds measured_factor(const std::shared_ptr<const perf::MeasuredModel>& measured,
                                       const MachineKind& kind, const ModelChoice& model,
                                       const Shape& shape) {
  const perf::Layout alone{.tp = shape.layout.tp};
  const auto whole = std::make_shared<const perf::OperatorModel>(
      model.spec, kind.device, shape.quantisation, alone, shape.limits,
      perf::whole_model(model.spec));
  return [whole, seconds = perf::seconds_of(measured->model)](const perf::Iteration& iteration) {
    return seconds(iteration) / whole->seconds(iteration);
  };
}

bool Shape::is_usable() const {
  return refused.empty() && std::any_of(classes.begin(), classes.end(),
                                        [](const auto& c) { return c.requests_per_s > 0; });
}

std::string Shape::text() const {
  return quantisation.name + " " + layout.text() + (crosses_machines() ? " across machines" : "");
}

int64_t Shape::devices_of_kind(size_t k, const std::vector<MachineKind>& kinds) const {
  if (crosses_machines()) return machines_by_kind[k] * kinds[k].num_devices;
  return k == kind ? layout.devices() : 0;
}

void evaluate(Shape& shape, const std::vector<const MachineKind*>& stage_kinds,
              const ModelChoice& model, const std::vector<RequestClass>& classes,
              const std::vector<perf::StageLink>& links) {
  shape.classes.assign(classes.size(), {});
  const auto ranges = perf::stage_ranges(shape.stage_layers);
  shape.memory = tightest_memory(shape, stage_kinds, model.spec, ranges);
  shape.refused = memory_refusal(shape, model.spec);
  if (!shape.refused.empty()) return;
  std::vector<perf::OperatorModel> stages;
  for (size_t i = 0; i < ranges.size(); ++i) {
    stages.emplace_back(model.spec, stage_kinds[i]->device, shape.quantisation, shape.layout,
                        shape.limits, ranges[i]);
  }
  std::vector<perf::IterationSeconds> factors;
  for (size_t i = 0; i < shape.measured_stages.size(); ++i)
    factors.push_back(measured_factor(shape.measured_stages[i], *stage_kinds[i], model, shape));
  shape.pipeline =
      std::make_shared<const perf::PipelineModel>(std::move(stages), links, std::move(factors));
  for (const bool again : {false, true}) {
    const int64_t before = shape.limits.max_sequences;
    for (size_t c = 0; c < classes.size(); ++c) {
      if (classes[c].model != model.name) continue;
      shape.classes[c] = performance_of(shape, classes[c]);
      if (!again) keep_token_limit(shape, classes, c);
    }
    if (shape.limits.max_sequences == before) break;
  }
}

std::vector<Shape> shapes_of(const MachineKind& kind, size_t kind_index, const ModelChoice& model,
                             size_t model_index, const std::vector<RequestClass>& classes,
                             const ShapeOptions& options) {
  std::vector<Shape> shapes;
  const auto add = [&](const perf::Layout& layout, const perf::Quantisation& quantisation) {
    Shape shape{.kind = kind_index,
                .model = model_index,
                .layout = layout,
                .quantisation = quantisation,
                .limits = options.limits};
    shape.classes.assign(classes.size(), {});
    shape.measured = measured_on(kind, model, quantisation, layout, options);
    if (shape.measured) {
      shape.limits.max_sequences =
          std::min(shape.limits.max_sequences, shape.measured->model.max_sequences);
      shape.limits.chunk_tokens = shape.measured->model.chunk_tokens;
    }
    const auto problem = perf::layout_problem(model.spec, layout);
    if (!kind.device.peak_flops(quantisation.arithmetic)) {
      shape.refused = fmt::format("{} cannot compute in {}", kind.device.name, quantisation.name);
    } else if (problem) {
      shape.refused = layout.text() + ": " + *problem;
    } else {
      shape.stage_layers = perf::equal_layers(model.spec.num_layers, layout.pp);
      evaluate(shape, std::vector<const MachineKind*>(static_cast<size_t>(layout.pp), &kind), model,
               classes,
               std::vector<perf::StageLink>(static_cast<size_t>(layout.pp - 1),
                                            perf::link_within(kind.device)));
    }
    shapes.push_back(std::move(shape));
  };
  for (const perf::Quantisation& quantisation : model.quantisations) {
    for (const int64_t tp : divisors(kind.num_devices)) {
      for (const int64_t pp : divisors(kind.num_devices / tp)) {
        if (pp > 1 && !options.pipelines) continue;
        add({.tp = tp, .pp = pp}, quantisation);
        if (!model.spec.is_moe()) continue;
        for (const int64_t dp : divisors(kind.num_devices / tp / pp)) {
          if (tp * dp > 1) add({.tp = tp, .pp = pp, .dp = dp, .ep = tp * dp}, quantisation);
        }
      }
    }
  }
  return shapes;
}

std::vector<Shape> without_dominated(std::vector<Shape> shapes,
                                     const std::vector<MachineKind>& kinds) {
  std::vector<bool> dominated(shapes.size(), false);
  for (size_t a = 0; a < shapes.size(); ++a) {
    for (size_t b = 0; b < shapes.size() && !dominated[a]; ++b) {
      if (a == b || dominated[b] || shapes[a].kind != shapes[b].kind ||
          shapes[a].model != shapes[b].model)
        continue;
      if (shapes[a].crosses_machines() || shapes[b].crosses_machines()) continue;
      const int64_t copies = shapes[a].devices_of_kind(shapes[a].kind, kinds) /
                             shapes[b].devices_of_kind(shapes[b].kind, kinds);
      if (copies < 1) continue;
      dominated[a] = true;
      for (size_t c = 0; c < shapes[a].classes.size(); ++c) {
        const double other = static_cast<double>(copies) * shapes[b].classes[c].requests_per_s;
        if (shapes[a].classes[c].requests_per_s > other) dominated[a] = false;
      }
    }
  }
  std::vector<Shape> kept;
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!dominated[i]) kept.push_back(std::move(shapes[i]));
  }
  return kept;
}

}  // namespace trex::plan
