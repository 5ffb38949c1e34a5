#include <fmt/format.h>

#include <algorithm>
#include <map>

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
                          row.first->model.evidence.calibrated ? "kernels" : "UNCALIBRATED");
    }
  }
  return text;
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
  std::string text = "\nbest losers (the whole plan's scale with that choice forced, and why it lost)\n";
  const double most = std::max(plan.selection.scale, plan.alternatives.empty() ? 0.0 : plan.alternatives[0].scale);
  text += fmt::format("{:>9.2f} |{:<{}}| this plan\n", plan.selection.scale, bar(plan.selection.scale, most), kBarWidth);
  for (const Alternative& a : plan.alternatives) {
    text += fmt::format("{:>9.2f} |{:<{}}| {}: {}\n", a.scale, bar(a.scale, most), kBarWidth, a.text, a.reason);
  }
  return text;
}

std::string sensitivity(const ServingPlan& plan) {
  std::string text = "\nif a device turns out 20 % slower\n";
  for (const Sensitivity& s : plan.sensitivity) {
    text += fmt::format("  {:<18} {:.2f} as planned, {:.2f} after planning again{}\n", s.device, s.unchanged_scale, s.scale,
                        s.same_choice ? " (same choice)" : "");
  }
  return text;
}

std::string explanation(const ServingPlan& plan) {
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
    text += fmt::format("    compact form for router and simulator: median error {:.1f} % of the operator model\n", 100 * instance.fit_error);
  }
  text += "\nlaunch\n";
  for (const PlannedInstance& instance : plan.instances) {
    for (const LaunchLine& line : launch_lines(plan, instance)) {
      if (!line.command.empty()) text += fmt::format("  {} ({}): {}\n", instance.name, line.engine, line.command);
    }
  }
  return text;
}

}  // namespace

std::string table_of(const ServingPlan& plan, bool explain) {
  std::string text = chosen_rows(plan) + "\n" + summary(plan);
  for (const std::string& note : plan.notes) text += "note: " + note + "\n";
  if (!plan.calibrated) text += "UNCALIBRATED rows rest on data sheets and guessed efficiencies: profile the device before deciding on them\n";
  if (!plan.alternatives.empty()) text += alternatives(plan);
  if (!plan.sensitivity.empty()) text += sensitivity(plan);
  if (explain) text += explanation(plan);
  return text;
}

}  // namespace trex::plan
