#include "plan/plan_page.h"

#include <fmt/format.h>

#include "plan/launch.h"
#include "plan/plan_json.h"
#include "report/page.h"

namespace trex::plan {
namespace {

report::Table instance_table(const ServingPlan& plan) {
  const Problem& problem = plan.problem;
  report::Table table{.header = {"instance", "devices", "model", "shape", "class", "batch", "requests/s", "TTFT ms", "TPOT ms", "router weight", "measured?"}};
  for (const PlannedInstance& instance : plan.instances) {
    const Shape& shape = problem.shapes[instance.shape];
    for (size_t c = 0; c < problem.classes.size(); ++c) {
      const ClassPerformance& p = shape.classes[c];
      if (p.requests_per_s <= 0) continue;
      table.rows.push_back({instance.name, instance.device_text, problem.models[shape.model].name, shape.text(), problem.classes[c].name,
                            std::to_string(p.closed_form.batch), fmt::format("{:.2f}", p.requests_per_s), fmt::format("{:.0f}", 1e3 * p.first_token_s),
                            fmt::format("{:.1f}", 1e3 * p.per_token_s), fmt::format("{:.2f}", instance.weight),
                            instance.model.evidence.calibrated ? "kernels" : "UNCALIBRATED"});
    }
  }
  return table;
}

report::BarChart alternatives_chart(const ServingPlan& plan) {
  report::BarChart chart{.title = "This plan and its best losers", .y_label = "scale of the classes' rates"};
  std::vector<report::Bar> bars;
  chart.labels.push_back("this plan");
  bars.push_back({plan.selection.scale, plan.selection.scale, plan.selection.scale});
  for (const Alternative& a : plan.alternatives) {
    chart.labels.push_back(a.text);
    bars.push_back({a.scale, a.scale, a.scale});
  }
  chart.bars.emplace_back("scale", std::move(bars));
  return chart;
}

}  // namespace

std::string page_of(const ServingPlan& plan) {
  report::Page page("Serving plan", fmt::format("{} instances, {} shapes considered", plan.instances.size(), plan.shapes_considered));
  std::vector<std::pair<std::string, std::string>> figures;
  for (const RequestClass& c : plan.problem.classes) {
    figures.emplace_back(fmt::format("{:.2f} requests/s", plan.selection.scale * nominal_rate(c)), "class " + c.name);
  }
  if (plan.selection.cost_usd_h > 0) figures.emplace_back(fmt::format("{:.2f} USD/h", plan.selection.cost_usd_h), "list price of the devices in use");
  page.figures(figures);
  if (!plan.calibrated) page.note("uncalibrated", "Some rows rest on data sheets and guessed efficiencies. Profile those devices before deciding.");
  for (const std::string& note : plan.notes) page.note("note", note);
  page.heading("Instances");
  page.table(instance_table(plan));
  if (!plan.alternatives.empty()) {
    page.heading("Alternatives");
    page.chart(alternatives_chart(plan));
    report::Table table{.header = {"what", "scale", "why it lost"}};
    for (const Alternative& a : plan.alternatives) table.rows.push_back({a.text, fmt::format("{:.2f}", a.scale), a.reason});
    page.table(table);
  }
  if (!plan.sensitivity.empty()) {
    page.heading("If a device turns out 20 % slower");
    report::Table table{.header = {"device", "this plan", "a new plan", "same choice"}};
    for (const Sensitivity& s : plan.sensitivity) {
      table.rows.push_back({s.device, fmt::format("{:.2f}", s.unchanged_scale), fmt::format("{:.2f}", s.scale), s.same_choice ? "yes" : "no"});
    }
    page.table(table);
  }
  page.heading("Details and launch lines");
  page.code(table_of(plan, true));
  page.begin_fold("gateway.toml");
  page.code(gateway_config(plan));
  page.end_fold();
  return page.html();
}

}  // namespace trex::plan
