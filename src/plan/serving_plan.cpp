#include "plan/serving_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "plan/across_machines.h"
#include "plan/explain.h"
#include "plan/what_if.h"

namespace trex::plan {
namespace {

bool any_usable(const std::vector<Shape>& shapes, size_t model) {
  return std::any_of(shapes.begin(), shapes.end(),
                     [&](const Shape& s) { return s.model == model && s.is_usable(); });
}

// Average over the class shares: what the instance completes when the mix is the plan's.
double router_weight(const Problem& problem, const std::vector<std::vector<double>>& shares,
                     size_t s) {
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
  for (const auto& performance : problem.shapes[s].classes)
    best = std::max(best, performance.requests_per_s);
  return best;
}

double typical_context(const Problem& problem, const Shape& shape) {
  double longest = 0;
  for (size_t c = 0; c < problem.classes.size(); ++c) {
    if (shape.classes[c].requests_per_s <= 0) continue;
    longest = std::max(
        longest, problem.classes[c].lengths.mean_input + problem.classes[c].lengths.mean_output);
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
    auto derived = perf::derive_instance_model(
        *shape.pipeline, shape.memory, shape.limits, shape.layout, typical_context(problem, shape),
        fmt::format("{} {} on {}", model.name, shape.text(), kind.device.name));
    if (shape.measured) {
      // The engine's limits and the cache are the plan's, the times are the measured ones.
      derived.model.time = shape.measured->model.time;
      derived.model.sampled_batch = shape.measured->model.sampled_batch;
      derived.model.sampled_context = shape.measured->model.sampled_context;
      derived.model.evidence = shape.measured->model.evidence;
      derived.fit.on_held_out.median = shape.measured->error.median;
    }
    for (const Place& place : places[s]) {
      PlannedInstance instance{.shape = s,
                               .devices = place.devices,
                               .model = derived.model,
                               .fit_error = derived.fit.on_held_out.median};
      if (shape.crosses_machines()) {
        for (const auto& [k, m] : place.machines)
          instance.machines.push_back(problem.kinds[k].machines[m]);
        instance.device_text = fmt::format("{} machines", place.machines.size());
      } else {
        instance.machines.push_back(kind.machines[place.machine]);
        instance.device_text = fmt::format("{}x {}", place.devices.size(), kind.device.name);
      }
      instance.name = fmt::format("{}-{}", instance.machines[0], used[instance.machines[0]]++);
      instance.weight = router_weight(problem, shares, s);
      for (size_t c = 0; c < problem.classes.size(); ++c) {
        instance.class_share.push_back(
            shares.empty() ? 0 : shares[c][s] / static_cast<double>(selection.counts[s]));
      }
      instances.push_back(std::move(instance));
    }
  }
  return instances;
}

namespace {

void expect_prices(const Inventory& inventory, const std::string& where) {
  for (const Machine& machine : inventory.machines) {
    if (machine.has_price) continue;
    throw input_error(where, "price_usd_h",
                      "a price of every machine, since the cheapest are asked for",
                      fmt::format("none for {}, and {} has no list price", in_quotes(machine.name),
                                  machine.device));
  }
}

// A mean request must fit into a sequence; a longer one of a trace is refused by the engines.
void expect_context(const std::vector<RequestClass>& classes, int64_t max_context,
                    ServingPlan& plan, const std::string& where) {
  for (const RequestClass& c : classes) {
    const double mean = c.lengths.mean_input + c.lengths.mean_output;
    if (mean > static_cast<double>(max_context)) {
      throw input_error(
          where, "class " + c.name,
          fmt::format("requests of at most {} tokens in the mean, as --max-context says",
                      max_context),
          fmt::format("{:.0f}", mean), "raise --max-context");
    }
    if (c.longest_tokens <= max_context) continue;
    plan.notes.push_back(fmt::format(
        "class {}: the longest request has {} tokens; engines refuse more than --max-context {}",
        c.name, c.longest_tokens, max_context));
  }
}

// Every file of measurements must be of use, and none is believed beyond twice what it measured.
void note_measurements(const Problem& all,
                       const std::vector<std::shared_ptr<const perf::MeasuredModel>>& files,
                       ServingPlan& plan, const std::string& where) {
  for (const auto& file : files) {
    const auto is_twin = [&](const auto& other) {
      return other != file && other->deployment.text() == file->deployment.text();
    };
    if (std::any_of(files.begin(), files.end(), is_twin)) {
      throw input_error(where, "--measured", "one file of each deployment",
                        file->deployment.text() + " twice");
    }
    const auto is_it = [&](const Shape& shape) {
      const auto& stages = shape.measured_stages;
      return shape.measured == file ||
             std::find(stages.begin(), stages.end(), file) != stages.end();
    };
    if (std::none_of(all.shapes.begin(), all.shapes.end(), is_it)) {
      throw input_error(where, "--measured",
                        "a deployment that this inventory, its models and --quantisation allow",
                        file->deployment.text(),
                        "for a pipeline across machines measure the pipeline itself, of equal "
                        "machines, or the whole model on one machine of every kind in it");
    }
    double longest = 0;
    for (const RequestClass& c : all.classes)
      longest = std::max(longest, static_cast<double>(c.longest_tokens));
    if (longest > 2 * file->model.sampled_context) {
      plan.notes.push_back(
          fmt::format("{} was measured up to {:.0f} tokens of context; the longest request has "
                      "{:.0f}: its times are extrapolated",
                      file->deployment.text(), file->model.sampled_context, longest));
    }
  }
  const bool is_used = std::any_of(
      plan.problem.shapes.begin(), plan.problem.shapes.end(),
      [](const Shape& s) { return s.measured != nullptr || !s.measured_stages.empty(); });
  if (is_used)
    plan.notes.push_back(
        "measured shapes compete with modelled ones: measure the close losers too before deciding "
        "between them");
}

}  // namespace

Problem make_problem(const Inventory& inventory, const perf::Catalogue& catalogue,
                     std::vector<ModelChoice> models, const PlanOptions& options,
                     std::vector<Shape>& rejected) {
  Problem problem{.kinds = kinds_of(inventory, catalogue),
                  .models = std::move(models),
                  .classes = inventory.classes,
                  .objective = options.objective,
                  .network = inventory.network};
  for (size_t m = 0; m < problem.models.size(); ++m) {
    for (size_t k = 0; k < problem.kinds.size(); ++k) {
      for (Shape& shape :
           shapes_of(problem.kinds[k], k, problem.models[m], m, problem.classes, options.shapes)) {
        (shape.is_usable() ? problem.shapes : rejected).push_back(std::move(shape));
      }
    }
    if (options.across_machines || !any_usable(problem.shapes, m)) {
      for (Shape& shape : shapes_across(problem.kinds, problem.models[m], m, problem.classes,
                                        inventory.network, options.shapes)) {
        problem.shapes.push_back(std::move(shape));
      }
    }
  }
  return problem;
}

ServingPlan plan_serving(const Inventory& inventory, const perf::Catalogue& catalogue,
                         std::vector<ModelChoice> models, const PlanOptions& options,
                         const std::string& where) {
  if (options.objective == Objective::Cost) expect_prices(inventory, where);
  ServingPlan plan;
  expect_context(inventory.classes, options.shapes.limits.max_context, plan, where);
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
    throw input_error(where, "class.requests_per_s", "rates that the inventory can serve",
                      fmt::format("{:.0f} % of them at most", 100 * largest_scale(plan.problem)),
                      "add machines, lower the rates, or allow another quantisation");
  }
  // A dominated shape is a loser worth showing: the naive choices are among them.
  for (const Shape& shape : all.shapes) {
    const bool is_kept =
        std::any_of(plan.problem.shapes.begin(), plan.problem.shapes.end(),
                    [&](const Shape& kept) { return kept.pipeline == shape.pipeline; });
    if (!is_kept) rejected.push_back(shape);
  }
  if (options.num_alternatives > 0) {
    plan.alternatives = losers(plan, rejected, options.num_alternatives);
    for (int round = 0; round < 3 && adopt_better(plan); ++round) {
      plan.alternatives = losers(plan, rejected, options.num_alternatives);
    }
    plan.sensitivity = sensitivity_of(plan.problem, plan.selection);
  }
  describe_selection(plan);
  note_measurements(all, options.shapes.measured, plan, where);
  return plan;
}

void describe_selection(ServingPlan& plan) {
  plan.instances = instances_of(plan.problem, plan.selection);
  plan.calibrated = std::all_of(plan.instances.begin(), plan.instances.end(),
                                [](const auto& i) { return i.model.evidence.calibrated; });
}

std::vector<std::string> notes_of(const ServingPlan& plan) {
  std::vector<std::string> notes = plan.notes;
  const bool is_simulated =
      std::any_of(plan.checked.begin(), plan.checked.end(),
                  [](const CheckedPlan& c) { return c.is_taken && c.closed_form_rank > 1; });
  if (!plan.selection.is_proved && !is_simulated) {
    notes.push_back(fmt::format(
        "the search was cut at its limit: another plan may be better, by {:.2g} % at most",
        100 * plan.selection.gap));
  }
  return notes;
}

}  // namespace trex::plan
