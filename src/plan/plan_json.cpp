#include "plan/plan_json.h"

#include "plan/check.h"
#include "plan/launch.h"

namespace trex::plan {
namespace {

Json memory_json(const perf::MemoryBudget& memory) {
  return {{"device_bytes", memory.device_bytes},   {"usable_bytes", memory.usable_bytes},
          {"weight_bytes", memory.weight_bytes},   {"activation_bytes", memory.activation_bytes},
          {"reserve_bytes", memory.reserve_bytes}, {"kv_bytes", memory.kv_bytes}};
}

Json classes_json(const Problem& problem, const Shape& shape, const PlannedInstance& instance) {
  Json classes = Json::array();
  for (size_t c = 0; c < problem.classes.size(); ++c) {
    const ClassPerformance& performance = shape.classes[c];
    if (performance.requests_per_s <= 0) continue;
    classes.push_back({{"class", problem.classes[c].name},
                       {"requests_per_s", performance.requests_per_s},
                       {"output_tokens_per_s",
                        performance.requests_per_s * problem.classes[c].lengths.mean_output},
                       {"batch", performance.closed_form.batch},
                       {"first_token_s", performance.first_token_s},
                       {"per_token_s", performance.per_token_s},
                       {"share", instance.class_share[c]},
                       {"calibrated", instance.model.evidence.calibrated}});
  }
  return classes;
}

Json launch_json(const ServingPlan& plan, const PlannedInstance& instance) {
  Json lines = Json::object();
  for (const LaunchLine& line : launch_lines(plan, instance)) {
    lines[line.engine] = line.command.empty() ? Json{{"cannot", line.reason}} : Json(line.command);
  }
  return lines;
}

Json instance_json(const ServingPlan& plan, const PlannedInstance& instance) {
  const Problem& problem = plan.problem;
  const Shape& shape = problem.shapes[instance.shape];
  const perf::Layout& layout = shape.layout;
  return {{"name", instance.name},
          {"machines", instance.machines},
          {"devices", instance.devices},
          {"device", problem.kinds[shape.kind].device.name},
          {"model", problem.models[shape.model].name},
          {"quantisation", shape.quantisation.name},
          {"layout", {{"tp", layout.tp}, {"pp", layout.pp}, {"dp", layout.dp}, {"ep", layout.ep}}},
          {"stage_layers", shape.stage_layers},
          {"memory", memory_json(shape.memory)},
          {"max_sequences", shape.limits.max_sequences},
          {"router_weight", instance.weight},
          {"classes", classes_json(problem, shape, instance)},
          {"instance_model", perf::to_json(instance.model)},
          {"instance_model_median_error", instance.fit_error},
          {"port", port_of(plan, instance)},
          {"launch", launch_json(plan, instance)}};
}

}  // namespace

std::string evidence_of(const Shape& shape, const PlannedInstance& instance) {
  if (shape.measured) return "measured";
  if (!shape.measured_stages.empty()) return "measured stages";
  return instance.model.evidence.calibrated ? "kernels" : "UNCALIBRATED";
}

Json to_json(const ServingPlan& plan) {
  const Problem& problem = plan.problem;
  Json json{{"format", "trex.serving_plan"},
            {"version", 1},
            {"objective", problem.objective == Objective::Cost ? "cost" : "throughput"},
            {"scale", plan.selection.scale},
            {"cost_usd_h", plan.selection.cost_usd_h},
            {"proved_best", plan.selection.is_proved},
            {"gap", plan.selection.gap},
            {"calibrated", plan.calibrated},
            {"shapes_considered", plan.shapes_considered}};
  json["classes"] = Json::array();
  for (const RequestClass& c : problem.classes) {
    json["classes"].push_back({{"name", c.name},
                               {"model", c.model},
                               {"mean_input", c.lengths.mean_input},
                               {"mean_output", c.lengths.mean_output},
                               {"stated_requests_per_s", c.requests_per_s},
                               {"planned_requests_per_s", plan.selection.scale * nominal_rate(c)}});
  }
  json["instances"] = Json::array();
  for (const PlannedInstance& instance : plan.instances)
    json["instances"].push_back(instance_json(plan, instance));
  json["alternatives"] = Json::array();
  for (const Alternative& a : plan.alternatives) {
    json["alternatives"].push_back(
        {{"what", a.text},
         {"scale", a.scale},
         {"cost_usd_h", a.problem == nullptr ? Json() : Json(a.cost_usd_h)},
         {"why_it_lost", a.reason}});
  }
  json["sensitivity"] = Json::array();
  for (const Sensitivity& s : plan.sensitivity) {
    json["sensitivity"].push_back({{"device", s.device},
                                   {"slower_by", 0.2},
                                   {"scale", s.scale},
                                   {"cost_usd_h", s.cost_usd_h},
                                   {"scale_without_new_plan", s.unchanged_scale},
                                   {"same_choice", s.same_choice}});
  }
  if (!plan.checked.empty()) json["check"] = check_json(plan);
  json["notes"] = notes_of(plan);
  return json;
}

}  // namespace trex::plan
