#include "plan/duties.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/text.h"

namespace trex::plan {
namespace {

size_t kind_of_machine(const Problem& problem, const std::string& machine,
                       const JsonObject& instance) {
  std::vector<std::string> names;
  for (size_t k = 0; k < problem.kinds.size(); ++k) {
    for (const std::string& name : problem.kinds[k].machines) {
      if (name == machine) return k;
      names.push_back(name);
    }
  }
  throw instance.error("machines", "machines of the inventory", in_quotes(machine),
                       did_you_mean(machine, names));
}

size_t shape_of(const Problem& problem, const JsonObject& instance) {
  const auto machines = instance.strings("machines");
  if (machines.empty()) throw instance.error("machines", "at least one", "none");
  const size_t kind = kind_of_machine(problem, machines[0], instance);
  const std::string model = instance.string("model");
  std::vector<std::string> models;
  for (const ModelChoice& choice : problem.models) models.push_back(choice.name);
  if (std::find(models.begin(), models.end(), model) == models.end()) {
    throw instance.error("model", "one of " + listed(models), in_quotes(model),
                         did_you_mean(model, models));
  }
  const std::string quantisation = instance.string("quantisation");
  const JsonObject layout = instance.object("layout");
  const perf::Layout wanted{.tp = layout.integer("tp"),
                            .pp = layout.integer("pp"),
                            .dp = layout.integer("dp"),
                            .ep = layout.integer("ep")};
  for (size_t s = 0; s < problem.shapes.size(); ++s) {
    const Shape& shape = problem.shapes[s];
    if (shape.kind != kind || problem.models[shape.model].name != model ||
        shape.quantisation.name != quantisation)
      continue;
    if (shape.layout.text() == wanted.text() && shape.crosses_machines() == (machines.size() > 1))
      return s;
  }
  throw instance.error(
      "layout", "a shape that the inventory and the options allow",
      fmt::format("{} {} {} on {}", model, quantisation, wanted.text(), problem.kinds[kind].text()),
      "plan with --quantisation and limits like those of the running instances");
}

Duties duties_of(const std::vector<PlannedInstance>& instances) {
  Duties duties;
  for (const PlannedInstance& instance : instances)
    ++duties[instance.machines[0]][{instance.shape}];
  return duties;
}

std::vector<RunningInstance> running_instances(const Problem& problem, const JsonObject& plan) {
  std::vector<RunningInstance> running;
  std::set<std::pair<std::string, int64_t>> taken;
  for (const JsonObject& instance : plan.objects("instances")) {
    const Duty duty{shape_of(problem, instance), role_of(instance)};
    const std::string machine = instance.strings("machines")[0];
    const std::vector<int64_t> devices = instance.integers("devices");
    const Shape& shape = problem.shapes[duty.shape];
    if (!shape.crosses_machines() &&
        static_cast<int64_t>(devices.size()) != shape.layout.devices()) {
      throw instance.error(
          "devices",
          fmt::format("{} of them, as {} says", shape.layout.devices(), shape.layout.text()),
          std::to_string(devices.size()));
    }
    for (const int64_t device : devices) {
      const int64_t most = problem.kinds[shape.kind].num_devices - 1;
      if (device < 0 || device > most)
        throw instance.error("devices", fmt::format("0 to {} on {}", most, machine),
                             std::to_string(device));
      if (!taken.insert({machine, device}).second) {
        throw instance.error("devices", "devices of its own",
                             fmt::format("device {} of {} twice", device, machine));
      }
    }
    running.push_back(
        {instance.string_or("name", fmt::format("{}-{}", machine, running.size())), machine, duty});
  }
  return running;
}

// Prompts that nobody answers, or answers without prompts, cannot be meant.
void expect_both_sides(const Problem& problem, const std::vector<RunningInstance>& running,
                       const JsonObject& plan) {
  std::map<size_t, std::set<Role>> roles;
  for (const RunningInstance& instance : running)
    roles[problem.shapes[instance.duty.shape].model].insert(instance.duty.role);
  for (const auto& [model, own] : roles) {
    if (own.contains(Role::Prefill) == own.contains(Role::Decode)) continue;
    const std::string missing =
        to_string(own.contains(Role::Prefill) ? Role::Decode : Role::Prefill);
    throw plan.error("instances",
                     fmt::format("prefill and decode instances of {}", problem.models[model].name),
                     fmt::format("no {} instance", missing),
                     fmt::format("give one of them the role {}, or none of them a role", missing));
  }
}

Duties duties_of(const std::vector<RunningInstance>& running) {
  Duties duties;
  for (const RunningInstance& instance : running) ++duties[instance.machine][instance.duty];
  return duties;
}

std::string text_of(const Problem& problem, const std::map<Duty, int64_t>& duties) {
  std::vector<std::string> parts;
  for (const auto& [duty, count] : duties) {
    const Shape& shape = problem.shapes[duty.shape];
    const std::string role = duty.role == Role::Both ? "" : " " + to_string(duty.role);
    parts.push_back(
        fmt::format("{}x {} {}{}", count, problem.models[shape.model].name, shape.text(), role));
  }
  return parts.empty() ? "nothing" : joined(parts, " + ");
}

double price_of(const Problem& problem, const Duties& duties) {
  double usd_h = 0;
  for (const auto& [machine, own] : duties) {
    for (const auto& [duty, count] : own)
      usd_h += price_of(problem.shapes[duty.shape], problem.kinds) * static_cast<double>(count);
  }
  return usd_h;
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string advice_of(const DutyDiff& diff) {
  if (diff.current_scale <= 0) return "  a class has no instance that serves it: change now\n";
  const double gain =
      diff.is_cost ? (diff.planned_usd_h > 0 ? diff.current_usd_h / diff.planned_usd_h - 1 : 0)
                   : diff.planned_scale / diff.current_scale - 1;
  const bool is_short = diff.is_cost && diff.current_scale < 1;
  return gain < kWorthGain && !is_short
             ? fmt::format("  less than {:.0f} %: leave it as it is\n", 100 * kWorthGain)
             : "";
}

std::string headline(const DutyDiff& diff) {
  if (diff.is_cost) {
    return fmt::format(
        "\nagainst what runs now: {:.2f} USD/h carry {:.0f} % of the rates, the plan {:.2f} USD/h "
        "and {:.0f} %\n",
        diff.current_usd_h, 100 * diff.current_scale, diff.planned_usd_h, 100 * diff.planned_scale);
  }
  const std::string gain =
      diff.current_scale > 0
          ? fmt::format(" ({:+.0f} %)", 100 * (diff.planned_scale / diff.current_scale - 1))
          : "";
  return fmt::format("\nagainst what runs now: carries {:.3g}, the plan {:.3g}{}\n",
                     diff.current_scale, diff.planned_scale, gain);
}

}  // namespace

DutyDiff diff_duties(const ServingPlan& plan, const Json& current, const std::string& where) {
  const JsonObject object(current, where);
  if (object.string("format") != "trex.serving_plan") {
    throw object.error("format", "\"trex.serving_plan\"", in_quotes(object.string("format")));
  }
  const Problem& problem = plan.all_shapes;
  const std::vector<RunningInstance> instances = running_instances(problem, object);
  expect_both_sides(problem, instances, object);
  const Duties running = duties_of(instances);
  // The plan's instances by the indices of all shapes.
  Duties planned;
  for (const auto& [machine, shapes] : duties_of(plan.instances)) {
    for (const auto& [duty, count] : shapes) {
      const auto& pipeline = plan.problem.shapes[duty.shape].pipeline;
      const auto same =
          std::find_if(problem.shapes.begin(), problem.shapes.end(),
                       [&](const Shape& shape) { return shape.pipeline == pipeline; });
      planned[machine][{static_cast<size_t>(same - problem.shapes.begin())}] = count;
    }
  }
  DutyDiff diff{.current_scale = carried_by(problem, running),
                .planned_scale = carried_by(problem, planned),
                .states_rates = problem.classes[0].requests_per_s > 0,
                .is_cost = problem.objective == Objective::Cost,
                .current_usd_h = price_of(problem, running),
                .planned_usd_h = price_of(problem, planned)};
  std::set<std::string> machines;
  for (const auto& [machine, shapes] : running) machines.insert(machine);
  for (const auto& [machine, shapes] : planned) machines.insert(machine);
  for (const std::string& machine : machines) {
    const auto from = running.count(machine) > 0 ? running.at(machine) : std::map<Duty, int64_t>{};
    const auto to = planned.count(machine) > 0 ? planned.at(machine) : std::map<Duty, int64_t>{};
    if (from == to) continue;
    Duties changed = running;
    changed[machine] = to;
    const double scale = carried_by(problem, changed);
    diff.changes.push_back({machine, text_of(problem, from), text_of(problem, to),
                            diff.current_scale > 0 ? scale / diff.current_scale - 1 : 0,
                            diff.current_usd_h - price_of(problem, changed)});
  }
  std::stable_sort(diff.changes.begin(), diff.changes.end(),
                   [&](const DutyChange& a, const DutyChange& b) {
                     return diff.is_cost ? a.saves_usd_h > b.saves_usd_h : a.gain > b.gain;
                   });
  diff.instances = instances;
  diff.running = running;
  diff.planned = planned;
  diff.phases = phase_loads(problem, running);
  if (const auto flip = best_flip(problem, {problem}, running))
    diff.role_advice = advice_of(problem, diff, *flip);
  return diff;
}

RoleAdvice advice_of(const Problem& problem, const DutyDiff& diff, const RoleFlip& flip) {
  const auto one = std::find_if(
      diff.instances.begin(), diff.instances.end(),
      [&](const RunningInstance& i) { return i.machine == flip.machine && i.duty == flip.from; });
  return {one->name, problem.models[problem.shapes[flip.from.shape].model].name, flip};
}

std::string role_text(const RoleAdvice& advice) {
  const RoleFlip& flip = advice.flip;
  const std::string side = to_string(flip.to);
  return fmt::format(
      "turn instance {} from {} to {}: the load of {}'s {} instances falls from {} to {}, "
      "requests/s rise by {:.0f} %",
      advice.instance, to_string(flip.from.role), side, advice.model, side,
      percent(flip.load_before), percent(flip.load_after), 100 * flip.gain);
}

Json role_json(const RoleAdvice& advice) {
  const RoleFlip& flip = advice.flip;
  return {{"instance", advice.instance},   {"machine", flip.machine},
          {"model", advice.model},         {"from", to_string(flip.from.role)},
          {"to", to_string(flip.to)},      {"load_before", flip.load_before},
          {"load_after", flip.load_after}, {"gain", flip.gain}};
}

std::string duties_table(const DutyDiff& diff) {
  std::string text = headline(diff);
  for (const DutyChange& change : diff.changes) {
    const std::string alone =
        diff.current_scale <= 0 ? "no comparison: a class has no instance now"
        : diff.is_cost
            ? fmt::format("alone {:+.2f} USD/h and {:+.0f} %", -change.saves_usd_h,
                          100 * change.gain)
            : fmt::format("alone {:+.0f} %{}", 100 * change.gain,
                          change.gain < kWorthGain ? " (with the others, or leave it)" : "");
    text += fmt::format("  {}: {} -> {}: {}\n", change.machine, change.from, change.to, alone);
  }
  for (const PhaseLoad& p : diff.phases) {
    if (!diff.states_rates) break;
    text += fmt::format("  {}: its prefill instances are loaded to {}, its decode instances to {}",
                        p.model, percent(p.prefill), percent(p.decode));
    text += p.network > 0 ? fmt::format(", the network between them to {}\n", percent(p.network))
                          : "\n";
  }
  text += diff.changes.empty() ? "  nothing to change\n" : advice_of(diff);
  return text;
}

std::string scale_hint(const DutyDiff& diff) {
  std::string text;
  if (diff.role_advice) text += "  " + role_text(*diff.role_advice) + "\n";
  if (!diff.states_rates) return text;
  if (diff.current_scale < 1)
    return text + fmt::format("  scale out: {:.0f} % of the stated rates are carried\n",
                              100 * diff.current_scale);
  if (diff.current_scale > 1 / (1 - kWorthGain))
    text += fmt::format("  scale in: {:.0f} % of what runs is idle\n",
                        100 * (1 - 1 / diff.current_scale));
  return text;
}

Json duties_json(const DutyDiff& diff) {
  Json changes = Json::array();
  for (const DutyChange& c : diff.changes) {
    changes.push_back({{"machine", c.machine},
                       {"from", c.from},
                       {"to", c.to},
                       {"gain", c.gain},
                       {"saves_usd_h", c.saves_usd_h},
                       {"worth_it_alone", c.gain >= kWorthGain}});
  }
  Json phases = Json::array();
  for (const PhaseLoad& p : diff.phases) {
    phases.push_back({{"model", p.model},
                      {"prefill_load", p.prefill},
                      {"decode_load", p.decode},
                      {"network_load", p.network}});
  }
  return {{"current_scale", diff.current_scale},
          {"planned_scale", diff.planned_scale},
          {"current_usd_h", diff.current_usd_h},
          {"planned_usd_h", diff.planned_usd_h},
          {"changes", changes},
          {"roles", phases},
          {"role_flip", diff.role_advice ? role_json(*diff.role_advice) : Json()}};
}

}  // namespace trex::plan
