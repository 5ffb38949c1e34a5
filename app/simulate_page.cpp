#include "app/simulate_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "report/page.h"

namespace trex::app {
namespace {

using simulate::Comparison;
using simulate::Outcome;
using simulate::PolicyRuns;
using simulate::Record;

constexpr size_t kPointsOfCurve = 200;

// Share of requests that took at most x seconds, up to `most_s`.
report::Series distribution(const PolicyRuns& runs, double (*seconds_of)(const Record&),
                            double most_s) {
  std::vector<double> values;
  for (const Record& record : runs.first.records) {
    if (record.outcome == Outcome::Completed) values.push_back(seconds_of(record));
  }
  std::sort(values.begin(), values.end());
  report::Series series{.name = runs.policy, .points = {}};
  if (values.empty()) return series;
  for (size_t i = 0; i <= kPointsOfCurve; ++i) {
    const size_t position = i * (values.size() - 1) / kPointsOfCurve;
    if (values[position] > most_s) break;
    series.points.emplace_back(values[position], 100.0 * static_cast<double>(position + 1) /
                                                     static_cast<double>(values.size()));
  }
  return series;
}

double latency_of(const Record& record) { return simulate::seconds(record.ended - record.arrived); }
double ttft_of(const Record& record) {
  return simulate::seconds(record.first_token - record.arrived);
}

// One policy that does not keep up would squeeze all others into the left edge: a curve leaves the
// chart at five times the best policy's 99th percentile.
void add_distribution(report::Page& page, const Comparison& comparison, const char* title,
                      const char* p99, double (*seconds_of)(const Record&)) {
  double best_s = std::numeric_limits<double>::infinity();
  for (const PolicyRuns& runs : comparison.policies)
    best_s = std::min(best_s, runs.estimate(p99).mean);
  report::LineChart chart{.title = title,
                          .x_label = "seconds, up to 5 x the best p99",
                          .y_label = "% of requests",
                          .series = {}};
  for (const PolicyRuns& runs : comparison.policies) {
    chart.series.push_back(distribution(runs, seconds_of, 5 * best_s));
  }
  page.chart(chart);
}

// One line an instance of a number taken from each sample.
template <class Value>
report::LineChart over_time(const PolicyRuns& runs, std::string title, std::string unit,
                            const Value& value) {
  report::LineChart chart{
      .title = std::move(title), .x_label = "seconds", .y_label = std::move(unit), .series = {}};
  for (size_t i = 0; i < runs.first.instances.size(); ++i) {
    report::Series series{.name = runs.first.instances[i].name, .points = {}};
    for (size_t s = 0; s < runs.first.samples.size(); ++s) {
      series.points.emplace_back(runs.first.samples[s].at_s, value(s, i));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

void add_policy(report::Page& page, const simulate::ClusterFile& cluster, const PolicyRuns& runs,
                bool is_open) {
  page.begin_fold(fmt::format("{}: utilisation, queues and decisions", runs.policy), is_open);
  const auto& samples = runs.first.samples;
  page.chart(over_time(runs, "Slots in use", "% of slots", [&](size_t s, size_t i) {
    const auto slots = static_cast<double>(cluster.instances[i].iterations.model.max_sequences);
    return 100 * static_cast<double>(samples[s].instances[i].running) / slots;
  }));
  auto queues = over_time(
      runs, "Waiting, at engines and in the central queue", "requests",
      [&](size_t s, size_t i) { return static_cast<double>(samples[s].instances[i].waiting); });
  report::Series central{.name = "central queue", .points = {}};
  for (const auto& sample : samples)
    central.points.emplace_back(sample.at_s, static_cast<double>(sample.queued));
  queues.series.push_back(std::move(central));
  page.chart(queues);
  page.chart(
      over_time(runs, "Decisions: requests sent so far", "requests",
                [&](size_t s, size_t i) { return static_cast<double>(samples[s].dispatched[i]); }));
  report::Table table{
      .header = {"instance", "requests", "busy", "output tokens", "computed prompt tokens",
                 "cached", "pre-emptions", "speed estimate"},
      .rows = {}};
  for (const auto& instance : runs.first.instances) {
    table.rows.push_back(
        {instance.name, fmt::format("{}", instance.dispatched),
         fmt::format("{:.1f} %", 100 * simulate::seconds(instance.totals.busy) /
                                     std::max(simulate::seconds(runs.first.makespan), 1e-9)),
         fmt::format("{}", instance.totals.output_tokens),
         fmt::format("{}", instance.totals.computed_tokens),
         fmt::format("{}", instance.totals.cached_tokens),
         fmt::format("{}", instance.totals.preemptions), fmt::format("{:.3f}", instance.sigma)});
  }
  page.table(table);
  page.end_fold();
}

// The table's columns: what is shown, its name, and how many of it make one of the unit.
struct Column {
  const char* title;
  const char* number;
  double scale;
};
constexpr Column kColumns[] = {{"latency s", "latency_mean_s", 1},
                               {"p99", "latency_p99_s", 1},
                               {"TTFT s", "ttft_mean_s", 1},
                               {"p99", "ttft_p99_s", 1},
                               {"TPOT ms", "tpot_mean_s", 1e3},
                               {"tokens/s", "output_tokens_per_s", 1},
                               {"steady", "steady_output_tokens_per_s", 1},
                               {"good %", "goodput_share", 100}};

std::string interval(const PolicyRuns& runs, const Column& column) {
  const simulate::Estimate estimate = runs.estimate(column.number);
  const double mean = estimate.mean * column.scale;
  if (runs.by_seed.size() < 2) return fmt::format("{:.4g}", mean);
  return fmt::format("{:.4g} ± {:.2g}", mean, estimate.half_width * column.scale);
}

void add_summary(report::Page& page, const Comparison& comparison) {
  report::Table table{.header = {"policy"}, .rows = {}};
  for (const Column& column : kColumns) table.header.emplace_back(column.title);
  for (const PolicyRuns& runs : comparison.policies) {
    std::vector<std::string> row{runs.policy};
    for (const Column& column : kColumns) row.push_back(interval(runs, column));
    table.rows.push_back(std::move(row));
  }
  page.table(table);
  if (comparison.policies[0].by_seed.size() > 1)
    page.paragraph("Means with 95 % intervals over the seeds. The charts show the first seed.");
}

}  // namespace

std::string simulate_page(const simulate::ClusterFile& cluster, const Comparison& comparison) {
  const size_t seeds = comparison.policies[0].by_seed.size();
  report::Page page(
      "Routing policies compared",
      fmt::format("{} requests, {} instances, {} seed{}", comparison.first_workload.requests.size(),
                  cluster.instances.size(), seeds, seeds == 1 ? "" : "s"));
  page.figures(
      {{fmt::format("{:.2f}/s", comparison.capacity_per_s), "sustained by all instances together"},
       {comparison.offered_per_s > 0 ? fmt::format("{:.2f}/s", comparison.offered_per_s)
                                     : "all at once",
        "offered"}});
  add_summary(page, comparison);
  page.heading("Latency");
  add_distribution(page, comparison, "Time from arrival to the last token", "latency_p99_s",
                   latency_of);
  add_distribution(page, comparison, "Time to the first token", "ttft_p99_s", ttft_of);
  page.heading("Instances");
  for (const PolicyRuns& runs : comparison.policies) {
    add_policy(page, cluster, runs, comparison.policies.size() == 1 || runs.policy == "cap");
  }
  return page.html();
}

}  // namespace trex::app
