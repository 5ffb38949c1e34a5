#include "plan/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "plan/explain.h"

namespace trex::plan {
namespace {

constexpr double kSlower = 0.8;

// Plans whose scales differ by less serve the same.
constexpr double kTie = 1e-6;

// The chosen shape of a kind and model that serves most a device.
const Shape* winner_for(const Problem& problem, const Selection& selection, const Shape& loser) {
  const Shape* best = nullptr;
  double best_rate = 0;
  for (size_t s = 0; s < problem.shapes.size(); ++s) {
    const Shape& shape = problem.shapes[s];
    if (selection.counts[s] == 0 || shape.kind != loser.kind || shape.model != loser.model)
      continue;
    double rate = 0;
    for (const auto& performance : shape.classes) rate += performance.requests_per_s;
    rate /= static_cast<double>(shape.layout.devices());
    if (rate > best_rate) best = &shape, best_rate = rate;
  }
  return best;
}

// The plan with one kind of machine left to this shape alone, as far as the model goes.
struct Forced {
  Problem problem;
  Selection selection;
};

Forced forced_to(const Problem& problem, const Shape& forced) {
  Forced changed{problem, {}};
  std::erase_if(changed.problem.shapes, [&](const Shape& s) {
    return !s.crosses_machines() && s.kind == forced.kind && s.model == forced.model;
  });
  changed.problem.shapes.push_back(forced);
  changed.selection = search(changed.problem);
  return changed;
}

// An alternative that serves as much, or as cheaply, is a tie, whatever its shape does a device.
std::string reason_of(const Shape& shape, const ServingPlan& plan, const Forced* forced) {
  const Problem& problem = plan.problem;
  const bool is_cost = problem.objective == Objective::Cost;
  if (forced != nullptr && !forced->selection.is_feasible) {
    return fmt::format("carries {:.0f} % of the stated rates at most",
                       100 * largest_scale(forced->problem));
  }
  if (forced != nullptr) {
    const Selection& selection = forced->selection;
    const bool ties = is_cost ? selection.cost_usd_h <= plan.selection.cost_usd_h * (1 + kTie)
                              : selection.scale >= plan.selection.scale * (1 - kTie);
    const bool is_used = selection.counts.back() > 0;
    if (ties && is_cost)
      return is_used ? "a tie: costs as much"
                     : "not needed: other devices serve the rates as cheaply";
    if (ties)
      return is_used ? "a tie: serves as much"
                     : "not needed: its devices serve more in another use";
  }
  return reason_against(shape, winner_for(problem, plan.selection, shape), problem);
}

// Most served first, or cheapest first; what cannot be comes last.
void sort_alternatives(std::vector<Alternative>& alternatives, Objective objective) {
  std::stable_sort(alternatives.begin(), alternatives.end(),
                   [&](const Alternative& a, const Alternative& b) {
                     if (objective == Objective::Throughput) return a.scale > b.scale;
                     if ((a.problem == nullptr) != (b.problem == nullptr))
                       return b.problem == nullptr;
                     return a.cost_usd_h < b.cost_usd_h;
                   });
}

}  // namespace

std::vector<Alternative> losers(const ServingPlan& plan, const std::vector<Shape>& rejected,
                                size_t most) {
  const Problem& problem = plan.problem;
  const Selection& selection = plan.selection;
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
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Alternative> alternatives;
  for (const auto& [ratio, shape] : ranked) {
    if (alternatives.size() >= most) break;
    Alternative alternative{
        .text = fmt::format(
            "{} {} on {}", problem.models[shape->model].name, shape->text(),
            shape->crosses_machines() ? "several machines" : problem.kinds[shape->kind].text())};
    std::optional<Forced> forced;
    if (shape->is_usable() && !shape->crosses_machines()) forced = forced_to(problem, *shape);
    alternative.reason = reason_of(*shape, plan, forced ? &*forced : nullptr);
    if (forced && forced->selection.is_feasible) {
      alternative.scale = forced->selection.scale;
      alternative.cost_usd_h = forced->selection.cost_usd_h;
      alternative.problem = std::make_shared<const Problem>(std::move(forced->problem));
      alternative.selection = std::move(forced->selection);
    }
    alternatives.push_back(std::move(alternative));
  }
  sort_alternatives(alternatives, problem.objective);
  return alternatives;
}

void take(ServingPlan& plan, const Alternative& alternative) {
  const bool is_cost = plan.problem.objective == Objective::Cost;
  const double gap = plan.selection.gap;
  const double bound =
      is_cost ? plan.selection.cost_usd_h * (1 - gap) : plan.selection.scale / (1 - gap);
  Selection selection = alternative.selection;
  selection.counts.assign(plan.problem.shapes.size(), 0);
  for (size_t s = 0; s < alternative.problem->shapes.size(); ++s) {
    if (alternative.selection.counts[s] == 0) continue;
    const Shape& shape = alternative.problem->shapes[s];
    const auto same =
        std::find_if(plan.problem.shapes.begin(), plan.problem.shapes.end(),
                     [&](const Shape& own) { return own.pipeline == shape.pipeline; });
    const auto index = static_cast<size_t>(same - plan.problem.shapes.begin());
    if (same == plan.problem.shapes.end())
      plan.problem.shapes.push_back(shape), selection.counts.push_back(0);
    selection.counts[index] = alternative.selection.counts[s];
  }
  selection.gap =
      std::max(0.0, is_cost ? 1 - bound / selection.cost_usd_h : 1 - selection.scale / bound);
  selection.is_proved = selection.gap <= kProvedGap;
  plan.selection = std::move(selection);
}

bool adopt_better(ServingPlan& plan) {
  if (plan.selection.is_proved || plan.problem.objective == Objective::Cost ||
      plan.alternatives.empty())
    return false;
  const Alternative best = plan.alternatives[0];  // sorted
  if (best.problem == nullptr || best.scale <= plan.selection.scale * (1 + kTie)) return false;
  take(plan, best);
  return true;
}

namespace {

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
    if (kind.device.name == device) kind.device = slowed(kind.device, kSlower);
  }
  for (Shape& shape : changed.shapes) {
    std::vector<const MachineKind*> stage_kinds;
    bool touched = false;
    std::vector<size_t> slower_stages;
    for (int64_t i = 0; i < shape.layout.pp; ++i) {
      const size_t k =
          shape.crosses_machines() ? shape.stage_kinds[static_cast<size_t>(i)] : shape.kind;
      stage_kinds.push_back(&changed.kinds[k]);
      const bool is_slower = changed.kinds[k].device.name == device;
      if (is_slower) slower_stages.push_back(static_cast<size_t>(i));
      touched = touched || is_slower;
    }
    if (!touched) continue;
    const perf::StageLink link =
        shape.crosses_machines()
            ? perf::StageLink{problem.network.bytes_per_s, problem.network.latency_s}
            : perf::link_within(stage_kinds[0]->device);
    const std::vector<perf::StageLink> links(static_cast<size_t>(shape.layout.pp - 1), link);
    const auto slow_down = [](std::shared_ptr<const perf::MeasuredModel>& measured) {
      auto slower = std::make_shared<perf::MeasuredModel>(*measured);
      slower->model = slower->model.at_speed(kSlower);
      measured = std::move(slower);
    };
    if (shape.measured) slow_down(shape.measured);
    for (const size_t i : slower_stages) {
      if (!shape.measured_stages.empty()) slow_down(shape.measured_stages[i]);
    }
    evaluate(shape, stage_kinds, changed.models[shape.model], changed.classes, links);
  }
  return changed;
}

}  // namespace

std::vector<Sensitivity> sensitivity_of(const Problem& problem, const Selection& selection) {
  std::vector<Sensitivity> all;
  for (const MachineKind& kind : problem.kinds) {
    const std::string& device = kind.device.name;
    if (std::any_of(all.begin(), all.end(),
                    [&](const Sensitivity& s) { return s.device == device; }))
      continue;
    const Problem slower = slowed_problem(problem, device);
    const Selection again = search(slower);
    const double kept = scale_of(slower, selection.counts);
    all.push_back({device, again.is_feasible ? again.scale : 0, again.cost_usd_h, kept,
                   again.counts == selection.counts});
  }
  return all;
}

double largest_scale(Problem problem) {
  problem.objective = Objective::Throughput;
  return search(problem).scale;
}

}  // namespace trex::plan
