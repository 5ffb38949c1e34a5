#include "plan/serving_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "plan/across_machines.h"
#include "plan/explain.h"

namespace trex::plan {
namespace {

// Plans whose scales differ by less serve the same.
constexpr double kTie = 1e-6;

bool any_usable(const std::vector<Shape>& shapes, size_t model) {
  return std::any_of(shapes.begin(), shapes.end(), [&](const Shape& s) { return s.model == model && s.is_usable(); });
}

// The chosen shape of a kind and model that serves most a device.
const Shape* winner_for(const Problem& problem, const Selection& selection, const Shape& loser) {
  const Shape* best = nullptr;
  double best_rate = 0;
  for (size_t s = 0; s < problem.shapes.size(); ++s) {
    const Shape& shape = problem.shapes[s];
    if (selection.counts[s] == 0 || shape.kind != loser.kind || shape.model != loser.model) continue;
    double rate = 0;
    for (const auto& performance : shape.classes) rate += performance.requests_per_s;
    rate /= static_cast<double>(shape.layout.devices());
    if (rate > best_rate) best = &shape, best_rate = rate;
  }
  return best;
}

// Average over the class shares: what the instance completes when the mix is the plan's.
double router_weight(const Problem& problem, const std::vector<std::vector<double>>& shares, size_t s) {
  double demand = 0;
  double time = 0;
  for (size_t c = 0; c < problem.classes.size(); ++c) {
    const double rate = problem.shapes[s].classes[c].requests_per_s;
    if (rate <= 0 || shares.empty()) continue;
    const double sent = shares[c][s] * nominal_rate(problem.classes[c]);
    demand += sent;
    time += sent / rate;
  }
  if (time > 0) return demand / time;
  double best = 0;
  for (const auto& performance : problem.shapes[s].classes) best = std::max(best, performance.requests_per_s);
  return best;
}

double typical_context(const Problem& problem, const Shape& shape) {
  double longest = 0;
  for (size_t c = 0; c < problem.classes.size(); ++c) {
    if (shape.classes[c].requests_per_s <= 0) continue;
    longest = std::max(longest, problem.classes[c].lengths.mean_input + problem.classes[c].lengths.mean_output);
  }
  return longest;
}

}  // namespace

std::vector<PlannedInstance> instances_of(const Problem& problem, const Selection& selection) {
  const auto places = pack(problem, selection.counts);
  const auto shares = class_shares(problem, selection);
  std::map<std::string, int> used;
  std::vector<PlannedInstance> instances;
  for (size_t s = 0; s < places.size(); ++s) {
    if (places[s].empty()) continue;
    const Shape& shape = problem.shapes[s];
    const ModelChoice& model = problem.models[shape.model];
    const MachineKind& kind = problem.kinds[shape.kind];
    const auto derived = perf::derive_instance_model(
        *shape.pipeline, shape.memory, shape.limits, shape.layout, typical_context(problem, shape),
        fmt::format("{} {} on {}", model.name, shape.text(), kind.device.name));
    for (const Place& place : places[s]) {
      PlannedInstance instance{.shape = s, .devices = place.devices, .model = derived.model,
                               .fit_error = derived.fit.on_held_out.median};
      if (shape.crosses_machines()) {
        for (const auto& [k, m] : place.machines) instance.machines.push_back(problem.kinds[k].machines[m]);
        instance.device_text = fmt::format("{} machines", place.machines.size());
      } else {
        instance.machines.push_back(kind.machines[place.machine]);
        instance.device_text = fmt::format("{}x {}", place.devices.size(), kind.device.name);
      }
      instance.name = fmt::format("{}-{}", instance.machines[0], used[instance.machines[0]]++);
      instance.weight = router_weight(problem, shares, s);
      for (size_t c = 0; c < problem.classes.size(); ++c) {
        instance.class_share.push_back(shares.empty() ? 0 : shares[c][s] / static_cast<double>(selection.counts[s]));
      }
      instances.push_back(std::move(instance));
    }
  }
  return instances;
}

namespace {

// The plan with one kind of machine left to this shape alone, as far as the model goes.
struct Forced {
  Problem problem;
  Selection selection;
};

Forced forced_to(const Problem& problem, const Shape& forced) {
  Forced changed{problem, {}};
  std::erase_if(changed.problem.shapes, [&](const Shape& s) { return !s.crosses_machines() && s.kind == forced.kind && s.model == forced.model; });
  changed.problem.shapes.push_back(forced);
  changed.selection = search(changed.problem);
  return changed;
}

// An alternative that serves as much is a tie, whatever its shape does a device.
std::string reason_of(const Shape& shape, const Problem& problem, const Selection& selection, const Selection& forced) {
  const bool is_cost = problem.objective == Objective::Cost;
  if (forced.is_feasible && shape.is_usable() && !shape.crosses_machines()) {
    const bool ties = is_cost ? forced.cost_usd_h <= selection.cost_usd_h * (1 + kTie) : forced.scale >= selection.scale * (1 - kTie);
    if (ties) return forced.counts.back() > 0 ? "a tie: serves as much" : "not needed: its devices serve more in another use";
  }
  return reason_against(shape, winner_for(problem, selection, shape), problem);
}

// Shapes of the kinds in use, most promising first; each kind's shapes alone decide its part, so at
// most `most` searches are made.
std::vector<Alternative> losers(const Problem& problem, const Selection& selection, const std::vector<Shape>& rejected,
                                size_t most) {
  std::vector<const Shape*> candidates;
  for (size_t s = 0; s < problem.shapes.size(); ++s) {
    if (selection.counts[s] == 0) candidates.push_back(&problem.shapes[s]);
  }
  for (const Shape& shape : rejected) candidates.push_back(&shape);
  const auto rate = [](const Shape* shape) {
    double sum = 0;
    for (const auto& performance : shape->classes) sum += performance.requests_per_s;
    return sum / static_cast<double>(std::max<int64_t>(shape->layout.devices(), 1));
  };
  // By the share of their kind's winner, so that slow kinds of machine are heard too.
  const auto share = [&](const Shape* shape) {
    const Shape* winner = winner_for(problem, selection, *shape);
    return winner == nullptr ? rate(shape) * 1e-9 : rate(shape) / rate(winner);
  };
  std::vector<std::pair<double, const Shape*>> ranked;
  for (const Shape* shape : candidates) ranked.emplace_back(share(shape), shape);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Alternative> alternatives;
  for (const auto& [ratio, shape] : ranked) {
    if (alternatives.size() >= most) break;
    Alternative alternative{.text = fmt::format("{} {} on {}", problem.models[shape->model].name, shape->text(),
                                                shape->crosses_machines() ? "several machines" : problem.kinds[shape->kind].text())};
    Selection forced;
    if (shape->is_usable() && !shape->crosses_machines()) {
      Forced changed = forced_to(problem, *shape);
      forced = std::move(changed.selection);
      if (forced.is_feasible) {
        alternative.scale = forced.scale;
        alternative.problem = std::make_shared<const Problem>(std::move(changed.problem));
        alternative.selection = forced;
      }
    }
    alternative.reason = reason_of(*shape, problem, selection, forced);
    alternatives.push_back(std::move(alternative));
  }
  std::stable_sort(alternatives.begin(), alternatives.end(), [](const auto& a, const auto& b) { return a.scale > b.scale; });
  return alternatives;
}

// Where the optimum is not proved, a what-if question may find a better plan: then that is the plan.
bool adopt_better(ServingPlan& plan) {
  if (plan.selection.is_proved || plan.problem.objective == Objective::Cost || plan.alternatives.empty()) return false;
  const Alternative best = plan.alternatives[0];  // sorted
  if (best.problem == nullptr || best.scale <= plan.selection.scale * (1 + kTie)) return false;
  Selection selection = best.selection;
  selection.counts.assign(plan.problem.shapes.size(), 0);
  for (size_t s = 0; s < best.problem->shapes.size(); ++s) {
    if (best.selection.counts[s] == 0) continue;
    const Shape& shape = best.problem->shapes[s];
    const auto same = std::find_if(plan.problem.shapes.begin(), plan.problem.shapes.end(), [&](const Shape& own) { return own.pipeline == shape.pipeline; });
    const auto index = static_cast<size_t>(same - plan.problem.shapes.begin());
    if (same == plan.problem.shapes.end()) plan.problem.shapes.push_back(shape), selection.counts.push_back(0);
    selection.counts[index] = best.selection.counts[s];
  }
  plan.selection = std::move(selection);
  return true;
}

perf::DeviceSpec slowed(perf::DeviceSpec device, double factor) {
  for (auto& [arithmetic, rate] : device.peak) rate.value *= factor;
  device.memory_bandwidth.value *= factor;
  for (auto& link : device.links) link.bytes_per_s *= factor;
  for (auto& [ranks, fit] : device.all_reduce) fit.beta_s_per_byte /= factor;
  return device;
}

// Evaluates the problem's own shapes again on slower devices of one name.
Problem slowed_problem(const Problem& problem, const std::string& device) {
  Problem changed = problem;
  for (MachineKind& kind : changed.kinds) {
    if (kind.device.name == device) kind.device = slowed(kind.device, 0.8);
  }
  for (Shape& shape : changed.shapes) {
    std::vector<const MachineKind*> stage_kinds;
    bool touched = false;
    for (int64_t i = 0; i < shape.layout.pp; ++i) {
      const size_t k = shape.crosses_machines() ? shape.stage_kinds[static_cast<size_t>(i)] : shape.kind;
      stage_kinds.push_back(&changed.kinds[k]);
      touched = touched || changed.kinds[k].device.name == device;
    }
    if (!touched) continue;
    const std::vector<perf::StageLink> links(static_cast<size_t>(shape.layout.pp - 1), perf::StageLink{25e9, 10e-6});
    evaluate(shape, stage_kinds, changed.models[shape.model], changed.classes, links);
  }
  return changed;
}

std::vector<Sensitivity> sensitivity_of(const Problem& problem, const Selection& selection) {
  std::vector<Sensitivity> all;
  for (const MachineKind& kind : problem.kinds) {
    const std::string& device = kind.device.name;
    if (std::any_of(all.begin(), all.end(), [&](const Sensitivity& s) { return s.device == device; })) continue;
    const Problem slower = slowed_problem(problem, device);
    const Selection again = search(slower);
    const double kept = scale_of(slower, selection.counts);
    all.push_back({device, again.is_feasible ? again.scale : 0, kept,
                   again.counts == selection.counts});
  }
  return all;
}

}  // namespace

Problem make_problem(const Inventory& inventory, const perf::Catalogue& catalogue, std::vector<ModelChoice> models,
                     const PlanOptions& options, std::vector<Shape>& rejected) {
  Problem problem{.kinds = kinds_of(inventory, catalogue), .models = std::move(models), .classes = inventory.classes,
                  .objective = options.objective};
  for (size_t m = 0; m < problem.models.size(); ++m) {
    for (size_t k = 0; k < problem.kinds.size(); ++k) {
      for (Shape& shape : shapes_of(problem.kinds[k], k, problem.models[m], m, problem.classes, options.shapes)) {
        (shape.is_usable() ? problem.shapes : rejected).push_back(std::move(shape));
      }
    }
    if (options.across_machines || !any_usable(problem.shapes, m)) {
      for (Shape& shape : shapes_across(problem.kinds, problem.models[m], m, problem.classes, inventory.network, options.shapes)) {
        problem.shapes.push_back(std::move(shape));
      }
    }
  }
  return problem;
}

ServingPlan plan_serving(const Inventory& inventory, const perf::Catalogue& catalogue, std::vector<ModelChoice> models,
                         const PlanOptions& options, const std::string& where) {
  ServingPlan plan;
  std::vector<Shape> rejected;
  Problem all = make_problem(inventory, catalogue, std::move(models), options, rejected);
  plan.shapes_considered = static_cast<int64_t>(all.shapes.size() + rejected.size());
  for (size_t m = 0; m < all.models.size(); ++m) {
    if (any_usable(all.shapes, m)) continue;
    const NoFit no_fit = explain_no_fit(all.models[m], rejected, all.kinds, m);
    throw input_error(where, "model", no_fit.expected, no_fit.got, no_fit.hint);
  }
  plan.problem = all;
  plan.all_shapes = all;
  plan.problem.shapes = without_dominated(all.shapes, all.kinds);
  plan.selection = search_thoroughly(plan.problem);
  if (!plan.selection.is_feasible) {
    Problem growing = plan.problem;
    growing.objective = Objective::Throughput;
    throw input_error(where, "class.requests_per_s", "rates that the inventory can serve",
                      fmt::format("{:.0f} % of them at most", 100 * search(growing).scale),
                      "add machines, lower the rates, or allow another quantisation");
  }
  // A dominated shape is a loser worth showing: the naive choices are among them.
  for (const Shape& shape : all.shapes) {
    const bool is_kept = std::any_of(plan.problem.shapes.begin(), plan.problem.shapes.end(), [&](const Shape& kept) {
      return kept.pipeline == shape.pipeline;
    });
    if (!is_kept) rejected.push_back(shape);
  }
  if (options.num_alternatives > 0) {
    plan.alternatives = losers(plan.problem, plan.selection, rejected, options.num_alternatives);
    for (int round = 0; round < 3 && adopt_better(plan); ++round) {
      plan.alternatives = losers(plan.problem, plan.selection, rejected, options.num_alternatives);
    }
    plan.sensitivity = sensitivity_of(plan.problem, plan.selection);
  }
  plan.instances = instances_of(plan.problem, plan.selection);
  plan.calibrated = std::all_of(plan.instances.begin(), plan.instances.end(), [](const auto& i) { return i.model.evidence.calibrated; });
  if (!plan.selection.is_proved) plan.notes.push_back("the solver's time ran out: the plan is good, not proved best");
  return plan;
}

}  // namespace trex::plan
