#include "plan/plan_page.h"

#include <fmt/format.h>

#include "plan/launch.h"
#include "plan/plan_json.h"
#include "report/page.h"

namespace trex::plan {
namespace {

report::Table instance_table(const ServingPlan& plan) {
  const Problem& problem = plan.problem;
  report::Table table{.header = {"instance", "devices", "model", "shape", "class", "batch", "req/s", "TTFT ms", "TPOT ms", "weight", "rests on"}};
  for (const PlannedInstance& instance : plan.instances) {
    const Shape& shape = problem.shapes[instance.shape];
    for (size_t c = 0; c < problem.classes.size(); ++c) {
      const ClassPerformance& p = shape.classes[c];
      if (p.requests_per_s <= 0) continue;
      table.rows.push_back({instance.name, instance.device_text, problem.models[shape.model].name, shape.text(), problem.classes[c].name,
                            std::to_string(p.closed_form.batch), fmt::format("{:.2f}", p.requests_per_s), fmt::format("{:.0f}", 1e3 * p.first_token_s),
                            fmt::format("{:.1f}", 1e3 * p.per_token_s), fmt::format("{:.2f}", instance.weight),
                            evidence_of(shape, instance)});
    }
  }
  return table;
}

report::Table check_rows(const ServingPlan& plan) {
  const bool is_cost = plan.problem.objective == Objective::Cost;
  report::Table table{.header = {"rank", "closed form's", "plan", "good %", "requests/s", "TTFT ms", "TPOT ms", is_cost ? "USD/h" : "scale"}};
  const auto cell = [](const simulate::Estimate& e, double unit) { return fmt::format("{:.4g} ± {:.2g}", e.mean * unit, e.half_width * unit); };
  for (const CheckedPlan& c : plan.checked) {
    table.rows.push_back({std::to_string(table.rows.size() + 1), std::to_string(c.closed_form_rank), c.text + (c.is_taken ? " (taken)" : ""), cell(c.goodput, 100),
                          cell(c.requests_per_s, 1), cell(c.first_token_s, 1e3), cell(c.per_token_s, 1e3), fmt::format("{:.2f}", is_cost ? c.cost_usd_h : c.scale)});
  }
  return table;
}

report::BarChart check_chart(const ServingPlan& plan) {
  report::BarChart chart{.title = "Requests that keep their limits in the simulation", .y_label = "%"};
  std::vector<report::Bar> bars;
  for (const CheckedPlan& c : plan.checked) {
    chart.labels.push_back(std::to_string(bars.size() + 1));  // by their rows in the table
    const double low = c.goodput.mean - c.goodput.half_width, high = c.goodput.mean + c.goodput.half_width;
    bars.push_back({100 * c.goodput.mean, 100 * low, 100 * high});
  }
  chart.bars.emplace_back("good", std::move(bars));
  return chart;
}

report::BarChart alternatives_chart(const ServingPlan& plan) {
  const bool is_cost = plan.problem.objective == Objective::Cost;
  report::BarChart chart{.title = "This plan and its best losers", .y_label = is_cost ? "USD/h" : scale_text(plan.problem)};
  std::vector<report::Bar> bars;
  const auto add = [&](const std::string& label, double value) {
    chart.labels.push_back(label);
    bars.push_back({value, value, value});
  };
  add("plan", is_cost ? plan.selection.cost_usd_h : plan.selection.scale);
  for (size_t i = 0; i < plan.alternatives.size(); ++i) {  // named by their rows in the table below
    const Alternative& a = plan.alternatives[i];
    if (!is_cost || a.problem != nullptr) add(std::to_string(i + 1), is_cost ? a.cost_usd_h : a.scale);
  }
  chart.bars.emplace_back(is_cost ? "USD/h" : "scale", std::move(bars));
  return chart;
}

}  // namespace

std::string page_of(const ServingPlan& plan) {
  const bool is_cost = plan.problem.objective == Objective::Cost;
  report::Page page("Serving plan", fmt::format("{} instances, {} shapes considered", plan.instances.size(), plan.shapes_considered));
  std::vector<std::pair<std::string, std::string>> figures;
  for (const RequestClass& c : plan.problem.classes) {
    const std::string asked = c.requests_per_s > 0 ? fmt::format(", asked for {:.2f}", c.requests_per_s) : "";
    figures.emplace_back(fmt::format("{:.2f} requests/s", plan.selection.scale * nominal_rate(c)), "class " + c.name + asked);
  }
  if (plan.selection.cost_usd_h > 0) figures.emplace_back(fmt::format("{:.2f} USD/h", plan.selection.cost_usd_h), "price of the devices in use");
  page.figures(figures);
  if (!plan.calibrated) page.note("uncalibrated", "Some rows rest on data sheets and guessed efficiencies. Profile those devices before deciding.");
  for (const std::string& note : notes_of(plan)) page.note("note", note);
  page.heading("Instances");
  page.table(instance_table(plan));
  if (!plan.checked.empty()) {
    page.heading("Check by simulation");
    page.paragraph(plan.verdict);
    page.chart(check_chart(plan));
    page.table(check_rows(plan));
  }
  if (!plan.alternatives.empty()) {
    page.heading("Alternatives");
    page.chart(alternatives_chart(plan));
    report::Table table{.header = {"#", "what", is_cost ? "USD/h" : "scale", "why it lost"}};
    for (const Alternative& a : plan.alternatives) {
      const std::string value = !is_cost ? fmt::format("{:.2f}", a.scale) : a.problem == nullptr ? "cannot" : fmt::format("{:.2f}", a.cost_usd_h);
      table.rows.push_back({std::to_string(table.rows.size() + 1), a.text, value, a.reason});
    }
    page.table(table);
  }
  if (!plan.sensitivity.empty()) {
    page.heading("If a device turns out 20 % slower");
    report::Table table{.header = {"device", is_cost ? "plan carries" : "this plan", is_cost ? "new plan USD/h" : "a new plan", "same choice"}};
    for (const Sensitivity& s : plan.sensitivity) {
      const std::string again = !is_cost ? fmt::format("{:.2f}", s.scale) : s.scale > 0 ? fmt::format("{:.2f}", s.cost_usd_h) : "none";
      const std::string kept = is_cost ? fmt::format("{:.0f} %", 100 * s.unchanged_scale) : fmt::format("{:.2f}", s.unchanged_scale);
      table.rows.push_back({s.device, kept, again, s.same_choice ? "yes" : "no"});
    }
    page.table(table);
  }
  page.heading("Details and launch lines");
  page.code(explanation_of(plan));
  page.begin_fold("gateway.toml");
  page.code(gateway_config(plan));
  page.end_fold();
  return page.html();
}

}  // namespace trex::plan
