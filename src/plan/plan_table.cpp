#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "plan/check.h"
#include "plan/explain.h"
#include "plan/launch.h"
#include "plan/plan_json.h"

namespace trex::plan {
namespace {

constexpr size_t kBarWidth = 30;

std::string bar(double value, double largest) {
  const auto filled = largest > 0 ? static_cast<size_t>(kBarWidth * value / largest + 0.5) : 0;
  return std::string(std::min(filled, kBarWidth), '#');
}

// Instances of one shape, in one row.
struct Row {
  int64_t count = 0;
  const PlannedInstance* first = nullptr;
};

std::string chosen_rows(const ServingPlan& plan) {
  const Problem& problem = plan.problem;
  std::map<size_t, Row> rows;
  for (const PlannedInstance& instance : plan.instances) {
    Row& row = rows[instance.shape];
    if (row.count++ == 0) row.first = &instance;
  }
  std::string text = fmt::format("{:<5} {:<24} {:<20} {:<18} {:<12} {:>6} {:>9} {:>9} {:>8} {:>8}  {}\n", "count", "model", "devices each",
                                 "shape", "class", "batch", "req/s", "tokens/s", "TTFT ms", "TPOT ms", "measured?");
  for (const auto& [s, row] : rows) {
    const Shape& shape = problem.shapes[s];
    for (size_t c = 0; c < problem.classes.size(); ++c) {
      const ClassPerformance& p = shape.classes[c];
      if (p.requests_per_s <= 0) continue;
      text += fmt::format("{:<5} {:<24} {:<20} {:<18} {:<12} {:>6} {:>9.2f} {:>9.0f} {:>8.0f} {:>8.1f}  {}\n", row.count,
                          problem.models[shape.model].name, row.first->device_text, shape.text(), problem.classes[c].name,
                          p.closed_form.batch, p.requests_per_s, p.requests_per_s * problem.classes[c].lengths.mean_output,
                          1e3 * p.first_token_s, 1e3 * p.per_token_s,
                          evidence_of(shape, *row.first));
    }
  }
  return text + "one instance each: TPn: n devices share each layer, PPn: n stages; TTFT: to the first token when idle; TPOT: for each later one at a full batch\n";
}

std::string summary(const ServingPlan& plan) {
  const Problem& problem = plan.problem;
  std::string text;
  for (const RequestClass& c : problem.classes) {
    const double planned = plan.selection.scale * nominal_rate(c);
    text += fmt::format("class {}: {:.2f} requests/s planned, {:.0f} output tokens/s, at {:.0f} % utilisation", c.name, planned,
                        planned * c.lengths.mean_output, c.is_bulk ? 95.0 : 85.0);
    text += c.requests_per_s > 0 ? fmt::format("; asked for {:.2f}\n", c.requests_per_s) : "\n";
  }
  if (plan.selection.cost_usd_h > 0) text += fmt::format("price of the devices in use: {:.2f} USD/h\n", plan.selection.cost_usd_h);
  return text + fmt::format("{} shapes considered\n", plan.shapes_considered);
}

std::string alternatives(const ServingPlan& plan) {
  const bool is_cost = plan.problem.objective == Objective::Cost;
  const double own = is_cost ? plan.selection.cost_usd_h : plan.selection.scale;
  double most = own;
  for (const Alternative& a : plan.alternatives) most = std::max(most, is_cost ? a.cost_usd_h : a.scale);
  std::string text = fmt::format("\nbest losers ({} with that choice forced, and why it lost)\n", is_cost ? "USD/h of the whole plan" : scale_text(plan.problem) + " that the whole plan carries");
  text += fmt::format("{:>9.2f} |{:<{}}| this plan\n", own, bar(own, most), kBarWidth);
  for (const Alternative& a : plan.alternatives) {
    const double value = is_cost ? a.cost_usd_h : a.scale;
    const bool cannot = is_cost && a.problem == nullptr;
    text += fmt::format("{:>9} |{:<{}}| {}: {}\n", cannot ? "cannot" : fmt::format("{:.2f}", value), bar(value, most), kBarWidth, a.text, a.reason);
  }
  return text;
}

std::string sensitivity(const ServingPlan& plan) {
  std::string text = "\nif a device turns out 20 % slower\n";
  for (const Sensitivity& s : plan.sensitivity) {
    const bool is_cost = plan.problem.objective == Objective::Cost;
    const std::string again = !is_cost ? fmt::format("{:.2f} after planning again", s.scale)
                              : s.scale > 0 ? fmt::format("{:.2f} USD/h after planning again", s.cost_usd_h) : "no plan carries all of them";
    const std::string kept = is_cost ? fmt::format("{:.0f} % of the stated rates", 100 * s.unchanged_scale) : fmt::format("{:.2f}", s.unchanged_scale);
    text += fmt::format("  {:<18} {} as planned, {}{}\n", s.device, kept, again, s.same_choice ? " (same choice)" : "");
  }
  return text;
}

}  // namespace

std::string scale_text(const Problem& problem) {
  if (problem.classes[0].requests_per_s > 0) return "times the stated rates";
  return problem.classes.size() == 1 ? "requests/s" : "requests/s of each class";
}

std::string explanation_of(const ServingPlan& plan) {
  const Problem& problem = plan.problem;
  std::string text = "\nwhat each chosen shape does with its memory and time (per device; full batch)\n";
  std::vector<size_t> seen;
  for (const PlannedInstance& instance : plan.instances) {
    if (std::find(seen.begin(), seen.end(), instance.shape) != seen.end()) continue;
    seen.push_back(instance.shape);
    const Shape& shape = problem.shapes[instance.shape];
    text += fmt::format("  {} {} on {}: weights {:.1f} GB, activations {:.1f}, reserve {:.1f}, cache {:.1f} of {:.1f} GB\n",
                        problem.models[shape.model].name, shape.text(), instance.device_text, shape.memory.weight_bytes * 1e-9,
                        shape.memory.activation_bytes * 1e-9, shape.memory.reserve_bytes * 1e-9, shape.memory.kv_bytes * 1e-9,
                        shape.memory.device_bytes * 1e-9);
    for (size_t c = 0; c < problem.classes.size(); ++c) {
      const ClassPerformance& p = shape.classes[c];
      if (p.requests_per_s <= 0) continue;
      text += fmt::format("    {}: a request costs {:.1f} ms of prompt and {:.1f} ms of its share of decoding; {:.0f} % of an iteration waits for links\n",
                          problem.classes[c].name, 1e3 * p.closed_form.prompt_s,
                          1e3 * problem.classes[c].lengths.mean_output * p.closed_form.decode_s / static_cast<double>(p.closed_form.batch),
                          100 * communication_share(shape, problem.classes[c].lengths));
      if (p.closed_form.batch < 32) text += "      fewer than 32 sequences at once: closed form reduced by 1 - 0.5/sqrt(B); simulate before buying\n";
    }
    text += fmt::format("    compact form for router and simulator: median error {:.1f} % of the {}\n", 100 * instance.fit_error,
                        shape.measured ? "measurements, " + instance.model.evidence.source : "operator model");
  }
  text += "\nlaunch (put your checkpoint's path or name where the model's stands)\n";
  for (const PlannedInstance& instance : plan.instances) {
    for (const LaunchLine& line : launch_lines(plan, instance)) {
      if (!line.command.empty()) text += fmt::format("  {} ({}): {}\n", instance.name, line.engine, line.command);
    }
  }
  return text;
}

std::string table_of(const ServingPlan& plan, bool explain) {
  std::string text = chosen_rows(plan) + "\n" + summary(plan);
  for (const std::string& note : notes_of(plan)) text += "note: " + note + "\n";
  if (!plan.calibrated) text += "UNCALIBRATED rows rest on data sheets and guessed efficiencies: profile the device before deciding on them\n";
  if (!plan.checked.empty()) text += check_table(plan);
  if (!plan.alternatives.empty()) text += alternatives(plan);
  if (!plan.sensitivity.empty()) text += sensitivity(plan);
  if (explain) text += explanation_of(plan);
  return text;
}

}  // namespace trex::plan
