#include "app/simulate_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace trex::app {
namespace {

using simulate::Comparison;
using simulate::PolicyRuns;

// What is shown, its name among named_numbers(), and how many of it make one of the unit.
struct Column {
  const char* title;
  const char* number;
  double scale;
  bool is_on_page = true;
};
constexpr Column kColumns[] = {{"latency s", "latency_mean_s", 1},
                               {"p99", "latency_p99_s", 1},
                               {"TTFT s", "ttft_mean_s", 1},
                               {"p99", "ttft_p99_s", 1},
                               {"TPOT ms", "tpot_mean_s", 1e3},
                               {"p99", "tpot_p99_s", 1e3, false},
                               {"tokens/s", "output_tokens_per_s", 1, false},
                               {"steady tokens/s", "steady_output_tokens_per_s", 1},
                               {"good %", "goodput_share", 100}};

std::string cell(const PolicyRuns& runs, const Column& column) {
  const simulate::Estimate estimate = runs.estimate(column.number);
  const std::string mean = readable_number(estimate.mean * column.scale, 4);
  if (runs.by_seed.size() < 2) return mean;
  return fmt::format("{} ±{}", mean, readable_number(estimate.half_width * column.scale, 2));
}

// "12 refused, 3.4 failed", a run; empty where all were served whole.
std::string unserved(const PolicyRuns& runs) {
  std::string text;
  for (const auto& [number, words] : {std::pair{"refused", "refused"},
                                      {"expired", "waited too long"},
                                      {"failed", "failed"},
                                      {"cut", "cut at an instance's longest context"}}) {
    const double mean = runs.estimate(number).mean;
    if (mean > 0) text += fmt::format("{}{:.4g} {}", text.empty() ? "" : ", ", mean, words);
  }
  return text;
}

}  // namespace

std::string readable_number(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{}", value == 0 ? 0 : value);
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
  const bool is_whole = value == std::round(value) && std::abs(value) >= 1;
  return fmt::format("{:.{}f}", value, is_whole ? 0 : std::clamp(digits - 1 - magnitude, 0, 9));
}

std::vector<const PolicyRuns*> by_latency(const Comparison& comparison) {
  std::vector<const PolicyRuns*> order;
  double most = 0;
  for (const PolicyRuns& runs : comparison.policies) {
    order.push_back(&runs);
    most = std::max(most, runs.estimate("completed").mean);
  }
  const auto key = [&](const PolicyRuns* runs) {
    return std::pair(runs->estimate("completed").mean < 0.99 * most,
                     runs->estimate("latency_mean_s").mean);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const PolicyRuns* a, const PolicyRuns* b) { return key(a) < key(b); });
  return order;
}

report::Table summary_table(const Comparison& comparison, Columns columns) {
  report::Table table{.header = {"policy"}, .rows = {}};
  const auto order = by_latency(comparison);
  for (const PolicyRuns* runs : order) table.rows.push_back({runs->policy});
  for (const Column& column : kColumns) {
    if (columns == Columns::Page && !column.is_on_page) continue;
    table.header.emplace_back(column.title);
    for (size_t i = 0; i < order.size(); ++i) table.rows[i].push_back(cell(*order[i], column));
  }
  return table;
}

std::vector<std::string> notes_on(const Comparison& comparison) {
  std::vector<std::string> notes;
  if (comparison.too_long > 0) {
    notes.push_back(fmt::format(
        "{} of {} requests have prompts of {} tokens or more, the longest context of all "
        "instances: every policy refuses them",
        comparison.too_long, comparison.first_workload.requests.size(),
        comparison.longest_context));
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> by_text;
  for (const PolicyRuns* runs : by_latency(comparison)) {
    const std::string text = unserved(*runs);
    const auto place = std::find_if(by_text.begin(), by_text.end(),
                                    [&](const auto& known) { return known.first == text; });
    if (place == by_text.end()) {
      by_text.push_back({text, {runs->policy}});
    } else {
      place->second.push_back(runs->policy);
    }
  }
  for (const auto& [text, policies] : by_text) {
    if (text.empty()) continue;
    const bool is_all = by_text.size() == 1 && policies.size() > 1;
    notes.push_back(
        fmt::format("{}: of {} requests {}{}", is_all ? "every policy" : joined(policies, ", "),
                    comparison.first_workload.requests.size(), text,
                    comparison.policies[0].by_seed.size() > 1 ? ", mean of the seeds" : ""));
  }
  return notes;
}

}  // namespace trex::app
