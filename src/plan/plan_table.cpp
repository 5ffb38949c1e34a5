#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text_table.h"
#include "plan/check.h"
#include "plan/explain.h"
#include "plan/launch.h"
#include "plan/plan_json.h"

namespace trex::plan {
namespace {

std::string bar(double value, double largest, size_t width) {
  const auto filled =
      largest > 0 ? static_cast<size_t>(static_cast<double>(width) * value / largest + 0.5) : 0;
  return std::string(std::min(filled, width), '#');
}

std::string line_of(const std::string& text, size_t width, size_t indent) {
  return wrapped(text, width, indent) + "\n";
}

// Instances of one shape.
struct Group {
  int64_t count = 0;
  const PlannedInstance* first = nullptr;
};

}  // namespace

TextTable chosen_table(const ServingPlan& plan) {
  const Problem& problem = plan.problem;
  std::map<size_t, Group> groups;
  for (const PlannedInstance& instance : plan.instances) {
    Group& group = groups[instance.shape];
    if (group.count++ == 0) group.first = &instance;
  }
  TextTable table({{"count"},
                   {"model"},
                   {"devices each"},
                   {"shape"},
                   {"class"},
                   {"batch", true},
                   {"req/s", true},
                   {"tokens/s", true},
                   {"TTFT ms", true},
                   {"TPOT ms", true},
                   {"rests on"}});
  for (const auto& [s, group] : groups) {
    const Shape& shape = problem.shapes[s];
    std::vector<std::string> cells{std::to_string(group.count), problem.models[shape.model].name,
                                   group.first->device_text, shape.text()};
    for (size_t c = 0; c < problem.classes.size(); ++c) {
      const ClassPerformance& p = shape.classes[c];
      if (p.requests_per_s <= 0) continue;
      std::vector<std::string> row = cells;
      row.insert(row.end(),
                 {problem.classes[c].name, std::to_string(p.closed_form.batch),
                  fmt::format("{:.2f}", p.requests_per_s),
                  fmt::format("{:.0f}", p.requests_per_s * problem.classes[c].lengths.mean_output),
                  fmt::format("{:.0f}", 1e3 * p.first_token_s),
                  fmt::format("{:.1f}", 1e3 * p.per_token_s), evidence_of(shape, *group.first)});
      table.add(std::move(row));
      cells.assign(cells.size(), "");  // said once
    }
  }
  if (problem.models.size() == 1) table.drop("model");
  if (problem.classes.size() == 1) table.drop("class");
  return table;
}

namespace {

std::string chosen_rows(const ServingPlan& plan, size_t width) {
  const Problem& problem = plan.problem;
  std::string title = fmt::format("{} instances", plan.instances.size());
  if (plan.instances.size() == 1) title = "1 instance";
  if (problem.models.size() == 1) title += " of " + problem.models[0].name;
  if (problem.classes.size() == 1) title += ", class " + problem.classes[0].name;
  TextTable table = chosen_table(plan);
  if (width > 0 && table.width() > width) table.drop("tokens/s");  // in sum they follow below
  return title + "\n" + table.text(width) +
         line_of(
             "numbers of one instance; TPn: n devices share each layer, PPn: n stages; TTFT: to "
             "the first token when idle; TPOT: for each later one at a full batch",
             width, 0);
}

std::string summary(const ServingPlan& plan, size_t width) {
  const Problem& problem = plan.problem;
  std::string text;
  for (const RequestClass& c : problem.classes) {
    const double planned = plan.selection.scale * nominal_rate(c);
    const std::string asked =
        c.requests_per_s > 0 ? fmt::format("; asked for {:.2f}", c.requests_per_s) : "";
    text += line_of(fmt::format("class {}: {:.2f} requests/s planned, {:.0f} output tokens/s, at "
                                "{:.0f} % utilisation{}",
                                c.name, planned, planned * c.lengths.mean_output,
                                c.is_bulk ? 95.0 : 85.0, asked),
                    width, 2);
  }
  if (plan.selection.cost_usd_h > 0)
    text += fmt::format("price of the devices in use: {:.2f} USD/h\n", plan.selection.cost_usd_h);
  return text + fmt::format("{} shapes considered\n", plan.shapes_considered);
}

std::string alternatives(const ServingPlan& plan, size_t width) {
  const bool is_cost = plan.problem.objective == Objective::Cost;
  const double own = is_cost ? plan.selection.cost_usd_h : plan.selection.scale;
  double most = own;
  for (const Alternative& a : plan.alternatives)
    most = std::max(most, is_cost ? a.cost_usd_h : a.scale);
  const size_t bar_width = width == 0 || width >= 120 ? 30 : 10;
  std::string text =
      "\n" +
      line_of(fmt::format("best losers ({} with that choice forced, and why it lost)",
                          is_cost ? "USD/h of the whole plan"
                                  : scale_text(plan.problem) + " that the whole plan carries"),
              width, 0);
  const auto add = [&](const std::string& value, double length, const std::string& what) {
    text += line_of(
        fmt::format("{:>9} |{:<{}}| {}", value, bar(length, most, bar_width), bar_width, what),
        width, 13 + bar_width);
  };
  add(fmt::format("{:.2f}", own), own, "this plan");
  for (const Alternative& a : plan.alternatives) {
    const double value = is_cost ? a.cost_usd_h : a.scale;
    add(a.problem == nullptr ? "cannot" : fmt::format("{:.2f}", value),
        a.problem == nullptr ? 0 : value, a.text + ": " + reason_text(a));
  }
  return text;
}

std::string sensitivity(const ServingPlan& plan, size_t width) {
  const bool is_cost = plan.problem.objective == Objective::Cost;
  std::string text =
      "\n" + line_of(fmt::format("if a device turns out 20 % slower ({})",
                                 is_cost ? "stated rates carried, and USD/h of a new plan"
                                         : scale_text(plan.problem)),
                     width, 0);
  for (const Sensitivity& s : plan.sensitivity) {
    const std::string again = !is_cost ? fmt::format("{:.2f} after planning again", s.scale)
                              : s.scale > 0
                                  ? fmt::format("{:.2f} USD/h after planning again", s.cost_usd_h)
                                  : "no plan carries all of them";
    const std::string kept =
        is_cost ? fmt::format("{:.0f} % of the stated rates", 100 * s.unchanged_scale)
                : fmt::format("{:.2f}", s.unchanged_scale);
    text += line_of(fmt::format("  {:<18} {} as planned, {}{}", s.device, kept, again,
                                s.same_choice ? " (same choice)" : ""),
                    width, 4);
  }
  return text;
}

}  // namespace

std::string reason_text(const Alternative& a) {
  const size_t needs = a.reason.find(" needs ");
  return a.problem == nullptr && needs != std::string::npos ? a.reason.substr(needs + 1) : a.reason;
}

std::string scale_text(const Problem& problem) {
  if (problem.classes[0].requests_per_s > 0) return "times the stated rates";
  return problem.classes.size() == 1 ? "requests/s" : "requests/s of each class";
}

std::string explanation_of(const ServingPlan& plan) {
  const Problem& problem = plan.problem;
  std::string text =
      "\nwhat each chosen shape does with its memory and time (per device; full batch)\n";
  std::vector<size_t> seen;
  for (const PlannedInstance& instance : plan.instances) {
    if (std::find(seen.begin(), seen.end(), instance.shape) != seen.end()) continue;
    seen.push_back(instance.shape);
    const Shape& shape = problem.shapes[instance.shape];
    text += fmt::format(
        "  {} {} on {}: weights {:.1f} GB, activations {:.1f}, reserve {:.1f}, cache {:.1f} of "
        "{:.1f} GB\n",
        problem.models[shape.model].name, shape.text(), instance.device_text,
        shape.memory.weight_bytes * 1e-9, shape.memory.activation_bytes * 1e-9,
        shape.memory.reserve_bytes * 1e-9, shape.memory.kv_bytes * 1e-9,
        shape.memory.device_bytes * 1e-9);
    for (size_t c = 0; c < problem.classes.size(); ++c) {
      const ClassPerformance& p = shape.classes[c];
      if (p.requests_per_s <= 0) continue;
      text += fmt::format(
          "    {}: a request costs {:.1f} ms of prompt and {:.1f} ms of its share of decoding; "
          "{:.0f} % of an iteration waits for links\n",
          problem.classes[c].name, 1e3 * p.closed_form.prompt_s,
          1e3 * problem.classes[c].lengths.mean_output * p.closed_form.decode_s /
              static_cast<double>(p.closed_form.batch),
          100 * communication_share(shape, problem.classes[c].lengths));
      if (p.closed_form.batch < 32)
        text +=
            "      fewer than 32 sequences at once: closed form reduced by 1 - 0.5/sqrt(B); "
            "simulate before buying\n";
    }
    text += fmt::format(
        "    compact form for router and simulator: median error {:.1f} % of the {}\n",
        100 * instance.fit_error,
        shape.measured ? "measurements, " + instance.model.evidence.source : "operator model");
  }
  return text;
}

std::string launch_text(const ServingPlan& plan) {
  std::string text = "\nlaunch (put your checkpoint's path or name where the model's stands)\n";
  for (const PlannedInstance& instance : plan.instances) {
    for (const LaunchLine& line : launch_lines(plan, instance)) {
      if (!line.command.empty())
        text += fmt::format("  {} ({}): {}\n", instance.name, line.engine, line.command);
    }
  }
  return text;
}

std::string table_of(const ServingPlan& plan, bool explain, size_t width) {
  std::string text = chosen_rows(plan, width) + "\n" + summary(plan, width);
  for (const std::string& note : notes_of(plan)) text += line_of("note: " + note, width, 2);
  if (!plan.calibrated) {
    text += line_of(
        "UNCALIBRATED rows rest on data sheets and guessed efficiencies: profile the device before "
        "deciding on them",
        width, 2);
  }
  if (!plan.checked.empty()) text += check_table(plan, width);
  if (!plan.alternatives.empty()) text += alternatives(plan, width);
  if (!plan.sensitivity.empty()) text += sensitivity(plan, width);
  if (explain) text += explanation_of(plan) + launch_text(plan);
  return text;
}

}  // namespace trex::plan
