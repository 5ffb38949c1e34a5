#include "plan/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace trex::plan {
namespace {

// The class that a shape serves best, for comparisons.
size_t main_class(const Shape& shape) {
  const auto best = std::max_element(
      shape.classes.begin(), shape.classes.end(),
      [](const auto& a, const auto& b) { return a.requests_per_s < b.requests_per_s; });
  return static_cast<size_t>(best - shape.classes.begin());
}

double per_device(const Shape& shape, size_t c) {
  return shape.classes[c].requests_per_s /
         static_cast<double>(std::max<int64_t>(shape.layout.devices(), 1));
}

// The class in which the loser falls furthest behind the winner a device.
size_t weakest_class(const Shape& loser, const Shape& winner) {
  size_t weakest = main_class(loser);
  double least = std::numeric_limits<double>::infinity();
  for (size_t c = 0; c < loser.classes.size(); ++c) {
    if (winner.classes[c].requests_per_s <= 0) continue;
    const double ratio = per_device(loser, c) / per_device(winner, c);
    if (ratio < least) weakest = c, least = ratio;
  }
  return weakest;
}

}  // namespace

double communication_share(const Shape& shape, const perf::WorkloadMoments& lengths) {
  if (!shape.pipeline) return 0;
  double links = 0;
  double total = 0;
  const auto batch = static_cast<double>(shape.classes[main_class(shape)].closed_form.batch);
  for (const perf::OperatorModel& stage : shape.pipeline->stages()) {
    const auto time = stage.iteration({.num_decoding = batch / static_cast<double>(shape.layout.pp),
                                       .context_each = lengths.decode_context});
    links += time.of(perf::Operator::TensorParallel).total_s +
             time.of(perf::Operator::ExpertParallel).total_s;
    total += time.total_s();
  }
  return total > 0 ? links / total : 0;
}

std::string reason_against(const Shape& loser, const Shape* winner, const Problem& problem) {
  if (!loser.refused.empty()) return loser.refused;
  if (!loser.is_usable()) {
    for (const ClassPerformance& performance : loser.classes) {
      if (!performance.refused.empty()) return performance.refused;
    }
    return "serves none of the classes";
  }
  if (winner == nullptr || !winner->is_usable()) {
    return problem.objective == Objective::Cost ? "other devices serve the rates for less"
                                                : "its devices serve more in another use";
  }
  const size_t c = weakest_class(loser, *winner);
  const ClassPerformance& own = loser.classes[c];
  if (own.requests_per_s <= 0) {
    return fmt::format("cannot serve class {}{}", problem.classes[c].name,
                       own.refused.empty() ? "" : ": " + own.refused);
  }
  const std::string of_class =
      problem.classes.size() > 1 ? " of class " + problem.classes[c].name : "";
  const std::string against = fmt::format("{:.2f} requests/s{} a device against {:.2f}",
                                          per_device(loser, c), of_class, per_device(*winner, c));
  if (per_device(loser, c) >= per_device(*winner, c)) {
    if (loser.crosses_machines()) return against + ", but it takes whole machines";
    const int64_t machine = problem.kinds[loser.kind].num_devices;
    const int64_t left = machine % loser.layout.devices();
    if (left > 0)
      return fmt::format("{}, but leaves {} of {} devices of a machine unused", against, left,
                         machine);
    const bool is_cost = problem.objective == Objective::Cost;
    return against + (is_cost ? ", but the stated rates leave more of it idle"
                              : ", but its devices serve more in another use");
  }
  const auto& lengths = problem.classes[c].lengths;
  if (own.closed_form.batch < 32 && own.closed_form.batch < winner->classes[c].closed_form.batch) {
    return fmt::format("cache for {} sequences only ({:.1f} GB left a device): {}",
                       own.closed_form.batch, loser.memory.kv_bytes * 1e-9, against);
  }
  const double links = communication_share(loser, lengths);
  if (links > 0.15 && links > 1.2 * communication_share(*winner, lengths)) {
    return fmt::format("{:.0f} % of an iteration waits for links: {}", 100 * links, against);
  }
  if (loser.quantisation.weight_bytes > winner->quantisation.weight_bytes) {
    return fmt::format("reads {:.1f} times the weight bytes: {}",
                       loser.quantisation.weight_bytes / winner->quantisation.weight_bytes,
                       against);
  }
  if (loser.layout.devices() > winner->layout.devices()) {
    return fmt::format("fixed costs of an iteration do not shrink with more devices: {}", against);
  }
  return against;
}

NoFit explain_no_fit(const ModelChoice& model, const std::vector<Shape>& rejected,
                     const std::vector<MachineKind>& kinds, size_t model_index) {
  const Shape* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const Shape& shape : rejected) {
    if (shape.model != model_index || shape.memory.device_bytes <= 0) continue;
    const double missing = shape.memory.missing_bytes(shape.limits.max_context);
    if (missing < least) nearest = &shape, least = missing;
  }
  const std::string expected = fmt::format("a machine that can hold {}", model.name);
  if (nearest == nullptr) {
    std::string reason = "no shape";
    for (const Shape& shape : rejected) {
      if (shape.model == model_index && !shape.refused.empty()) reason = shape.refused;
    }
    return {expected, reason, "allow another quantisation"};
  }
  if (least <= 0) {
    const std::string why = reason_against(*nearest, nullptr, {});
    return {fmt::format("a shape of {} that keeps the limits of its classes", model.name), why,
            "loosen the limit or allow another quantisation"};
  }
  const MachineKind& kind = kinds[nearest->kind];
  // What would make it fit: fewer bytes a weight, a shorter context, or more devices.
  const double weights = nearest->memory.weight_bytes;
  const double bits = 8 * nearest->quantisation.weight_bytes * (1 - least / weights);
  std::string hint;
  if (least < weights && bits >= 3) hint = fmt::format("weights of at most {:.1f} bits", bits);
  const double without_cache = nearest->memory.kv.bytes(nearest->limits.max_context);
  if (least < without_cache) {
    hint += fmt::format("{}--max-context {}", hint.empty() ? "" : ", or ",
                        nearest->memory.kv.tokens_within(without_cache - least));
  }
  const double per_device_room = nearest->memory.usable_bytes - nearest->memory.activation_bytes -
                                 nearest->memory.reserve_bytes;
  const double all = (weights + without_cache) * static_cast<double>(nearest->layout.devices());
  if (per_device_room > 0) {
    hint += fmt::format("{}about {:.0f} devices of this kind", hint.empty() ? "" : ", or ",
                        std::ceil(all / per_device_room));
  }
  return {expected, fmt::format("on {} the nearest, {}", kind.text(), nearest->refused),
          hint + " would make it fit"};
}

}  // namespace trex::plan
