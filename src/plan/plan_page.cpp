#include "plan/plan_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "plan/check.h"
#include "plan/launch.h"
#include "plan/plan_json.h"
#include "report/page.h"

namespace trex::plan {
namespace {

constexpr size_t kFewInstances = 4;  // shown without unfolding

report::Table chosen_rows(const ServingPlan& plan) {
  TextTable table = chosen_table(plan);
  if (plan.problem.models.size() > 1) table.drop("tokens/s");  // room for the models
  return {table.header(), table.rows()};
}

// The plans' names in front of their numbers, where a phone shows them.
report::Table checked_rows(const ServingPlan& plan) {
  const TextTable text = checked_table(plan);
  report::Table table{text.header(), text.rows()};
  std::rotate(table.header.begin() + 2, table.header.end() - 1, table.header.end());
  for (std::vector<std::string>& row : table.rows) {
    std::rotate(row.begin() + 2, row.end() - 1, row.end());
    for (std::string& cell : row) {  // a number and its interval stay on one line
      if (const size_t space = cell.find(" ±"); space != std::string::npos)
        cell.replace(space, 1, "\u00A0");
    }
  }
  return table;
}

// Where each instance stands, and how the router should weigh it.
report::Table instance_table(const ServingPlan& plan) {
  const Problem& problem = plan.problem;
  report::Table table{.header = {"instance", "devices", "device ids", "model", "shape", "weight"}};
  for (const PlannedInstance& instance : plan.instances) {
    const Shape& shape = problem.shapes[instance.shape];
    std::vector<std::string> ids;
    for (const int64_t id : instance.devices) ids.push_back(std::to_string(id));
    table.rows.push_back(
        {instance.name, instance.device_text,
         ids.empty() ? "all of " + joined(instance.machines, ", ") : joined(ids, ", "),
         problem.models[shape.model].name, shape.text(), fmt::format("{:.2f}", instance.weight)});
  }
  return table;
}

report::BarChart check_chart(const ServingPlan& plan) {
  report::BarChart chart{.title = "Requests that keep their limits in the simulation",
                         .y_label = "%"};
  std::vector<report::Bar> bars;
  for (const CheckedPlan& c : plan.checked) {
    chart.labels.push_back(std::to_string(bars.size() + 1));  // by their rows in the table
    const double low = c.goodput.mean - c.goodput.half_width,
                 high = c.goodput.mean + c.goodput.half_width;
    bars.push_back({100 * c.goodput.mean, 100 * low, 100 * high});
  }
  chart.bars.emplace_back("good", std::move(bars));
  return chart;
}

report::BarChart alternatives_chart(const ServingPlan& plan) {
  const bool is_cost = plan.problem.objective == Objective::Cost;
  report::BarChart chart{.title = "This plan and its best losers",
                         .y_label = is_cost ? "USD/h" : scale_text(plan.problem)};
  std::vector<report::Bar> bars;
  const auto add = [&](const std::string& label, double value) {
    chart.labels.push_back(label);
    bars.push_back({value, value, value});
  };
  add("plan", is_cost ? plan.selection.cost_usd_h : plan.selection.scale);
  for (size_t i = 0; i < plan.alternatives.size(); ++i) {  // named by their rows in the table below
    const Alternative& a = plan.alternatives[i];
    if (a.problem != nullptr) add(std::to_string(i + 1), is_cost ? a.cost_usd_h : a.scale);
  }
  chart.bars.emplace_back(is_cost ? "USD/h" : "scale", std::move(bars));
  return chart;
}

}  // namespace

std::string page_of(const ServingPlan& plan) {
  const bool is_cost = plan.problem.objective == Objective::Cost;
  report::Page page("Serving plan", fmt::format("{} instances, {} shapes considered",
                                                plan.instances.size(), plan.shapes_considered));
  std::vector<std::pair<std::string, std::string>> figures;
  for (const RequestClass& c : plan.problem.classes) {
    const std::string asked =
        c.requests_per_s > 0 ? fmt::format(", asked for {:.2f}", c.requests_per_s) : "";
    figures.emplace_back(fmt::format("{:.2f} requests/s", plan.selection.scale * nominal_rate(c)),
                         "class " + c.name + asked);
  }
  if (plan.selection.cost_usd_h > 0)
    figures.emplace_back(fmt::format("{:.2f} USD/h", plan.selection.cost_usd_h),
                         "price of the devices in use");
  page.figures(figures);
  if (!plan.calibrated)
    page.note("uncalibrated",
              "Some rows rest on data sheets and guessed efficiencies. Profile those devices "
              "before deciding.");
  for (const std::string& note : notes_of(plan)) page.note("note", note);
  page.heading("What to run");
  page.table(chosen_rows(plan));
  page.paragraph(
      "Numbers of one instance. TPn: n devices share each layer, PPn: n stages; TTFT: to the first "
      "token when idle; TPOT: for each later one at a full batch.");
  page.begin_fold("Every instance, its devices and its weight in the router",
                  plan.instances.size() <= kFewInstances);
  page.table(instance_table(plan));
  page.end_fold();
  if (!plan.checked.empty()) {
    page.heading("Check by simulation");
    const std::vector<std::string> lines = split(plan.verdict, '\n');
    page.paragraph(lines[0]);
    for (size_t i = 1; i < lines.size(); ++i)
      page.note("warning", lines[i].substr(lines[i].find(' ') + 1));
    page.chart(check_chart(plan));
    page.table(checked_rows(plan));
  }
  if (!plan.alternatives.empty()) {
    page.heading("Alternatives");
    page.chart(alternatives_chart(plan));
    report::Table table{
        .header = {"#", "what", is_cost ? "USD/h" : scale_text(plan.problem), "why it lost"}};
    for (const Alternative& a : plan.alternatives) {
      const std::string value =
          a.problem == nullptr ? "cannot" : fmt::format("{:.2f}", is_cost ? a.cost_usd_h : a.scale);
      table.rows.push_back({std::to_string(table.rows.size() + 1), a.text, value, reason_text(a)});
    }
    page.table(table);
  }
  if (!plan.sensitivity.empty()) {
    page.heading("If a device turns out 20 % slower");
    report::Table table{.header = {"device", is_cost ? "plan carries" : "this plan",
                                   is_cost ? "new plan USD/h" : "a new plan", "same choice"}};
    for (const Sensitivity& s : plan.sensitivity) {
      const std::string again = !is_cost      ? fmt::format("{:.2f}", s.scale)
                                : s.scale > 0 ? fmt::format("{:.2f}", s.cost_usd_h)
                                              : "none";
      const std::string kept = is_cost ? fmt::format("{:.0f} %", 100 * s.unchanged_scale)
                                       : fmt::format("{:.2f}", s.unchanged_scale);
      table.rows.push_back({s.device, kept, again, s.same_choice ? "yes" : "no"});
    }
    page.table(table);
  }
  page.heading("Details and launch lines");
  page.code(std::string(trimmed(explanation_of(plan))));
  page.begin_fold("Launch lines", plan.instances.size() <= kFewInstances);
  page.code(std::string(trimmed(launch_text(plan))));
  page.end_fold();
  page.begin_fold("gateway.toml");
  page.code(gateway_config(plan));
  page.end_fold();
  return page.html();
}

}  // namespace trex::plan
