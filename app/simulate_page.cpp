#include "app/simulate_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/page.h"

namespace trex::app {
namespace {

using simulate::Comparison;
using simulate::Outcome;
using simulate::PolicyRuns;
using simulate::Record;

constexpr size_t kPointsOfCurve = 200;

// Share of requests that took at most x seconds.
report::Series distribution(const PolicyRuns& runs, double (*seconds_of)(const Record&)) {
  std::vector<double> values;
  for (const Record& record : runs.first.records) {
    if (record.outcome == Outcome::Completed) values.push_back(seconds_of(record));
  }
  std::sort(values.begin(), values.end());
  report::Series series{.name = runs.policy, .points = {}};
  if (values.empty()) return series;
  for (size_t i = 0; i <= kPointsOfCurve; ++i) {
    const size_t position = i * (values.size() - 1) / kPointsOfCurve;
    series.points.emplace_back(values[position], 100.0 * static_cast<double>(position + 1) / static_cast<double>(values.size()));
  }
  return series;
}

double latency_of(const Record& record) { return simulate::seconds(record.ended - record.arrived); }
double ttft_of(const Record& record) { return simulate::seconds(record.first_token - record.arrived); }

void add_distributions(report::Page& page, const Comparison& comparison) {
  report::LineChart latency{.title = "Time from arrival to the last token", .x_label = "seconds", .y_label = "% of requests", .series = {}};
  report::LineChart ttft{.title = "Time to the first token", .x_label = "seconds", .y_label = "% of requests", .series = {}};
  for (const PolicyRuns& runs : comparison.policies) {
    latency.series.push_back(distribution(runs, latency_of));
    ttft.series.push_back(distribution(runs, ttft_of));
  }
  page.chart(latency);
  page.chart(ttft);
}

// One line an instance of a number taken from each sample.
template <class Value>
report::LineChart over_time(const PolicyRuns& runs, std::string title, std::string unit, const Value& value) {
  report::LineChart chart{.title = std::move(title), .x_label = "seconds", .y_label = std::move(unit), .series = {}};
  for (size_t i = 0; i < runs.first.instances.size(); ++i) {
    report::Series series{.name = runs.first.instances[i].name, .points = {}};
    for (size_t s = 0; s < runs.first.samples.size(); ++s) {
      series.points.emplace_back(runs.first.samples[s].at_s, value(s, i));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

void add_policy(report::Page& page, const simulate::ClusterFile& cluster, const PolicyRuns& runs, bool is_open) {
  page.begin_fold(fmt::format("{}: utilisation, queues and decisions", runs.policy), is_open);
  const auto& samples = runs.first.samples;
  page.chart(over_time(runs, "Slots in use", "% of slots", [&](size_t s, size_t i) {
    const auto slots = static_cast<double>(cluster.instances[i].iterations.model.max_sequences);
    return 100 * static_cast<double>(samples[s].instances[i].running) / slots;
  }));
  auto queues = over_time(runs, "Waiting, at engines and in the central queue", "requests", [&](size_t s, size_t i) {
    return static_cast<double>(samples[s].instances[i].waiting);
  });
  report::Series central{.name = "central queue", .points = {}};
  for (const auto& sample : samples) central.points.emplace_back(sample.at_s, static_cast<double>(sample.queued));
  queues.series.push_back(std::move(central));
  page.chart(queues);
  page.chart(over_time(runs, "Decisions: requests sent so far", "requests", [&](size_t s, size_t i) {
    return static_cast<double>(samples[s].dispatched[i]);
  }));
  report::Table table{.header = {"instance", "requests", "busy", "output tokens", "computed prompt tokens", "cached", "pre-emptions", "speed estimate"}, .rows = {}};
  for (const auto& instance : runs.first.instances) {
    table.rows.push_back({instance.name, fmt::format("{}", instance.dispatched),
                          fmt::format("{:.1f} %", 100 * simulate::seconds(instance.totals.busy) / std::max(simulate::seconds(runs.first.makespan), 1e-9)),
                          fmt::format("{}", instance.totals.output_tokens), fmt::format("{}", instance.totals.computed_tokens),
                          fmt::format("{}", instance.totals.cached_tokens), fmt::format("{}", instance.totals.preemptions),
                          fmt::format("{:.3f}", instance.sigma)});
  }
  page.table(table);
  page.end_fold();
}

std::string interval(const PolicyRuns& runs, const char* number) {
  const simulate::Estimate estimate = runs.estimate(number);
  return runs.by_seed.size() > 1 ? fmt::format("{:.4g} ± {:.2g}", estimate.mean, estimate.half_width)
                                 : fmt::format("{:.4g}", estimate.mean);
}

}  // namespace

std::string simulate_page(const simulate::ClusterFile& cluster, const Comparison& comparison) {
  report::Page page("Routing policies compared",
                    fmt::format("{} requests, {} instances, {} seed(s)", comparison.first_workload.requests.size(),
                                cluster.instances.size(), comparison.policies[0].by_seed.size()));
  page.figures({{fmt::format("{:.2f}/s", comparison.capacity_per_s), "sustained by all instances together"},
                {comparison.offered_per_s > 0 ? fmt::format("{:.2f}/s", comparison.offered_per_s) : "all at once", "offered"}});
  const char* const numbers[] = {"latency_mean_s", "latency_p99_s", "ttft_mean_s", "ttft_p99_s", "tpot_mean_s",
                                 "output_tokens_per_s", "steady_output_tokens_per_s", "goodput_share"};
  report::Table table{.header = {"policy"}, .rows = {}};
  for (const char* number : numbers) table.header.emplace_back(number);
  for (const PolicyRuns& runs : comparison.policies) {
    std::vector<std::string> row{runs.policy};
    for (const char* number : numbers) row.push_back(interval(runs, number));
    table.rows.push_back(std::move(row));
  }
  page.table(table);
  if (comparison.policies[0].by_seed.size() > 1) page.paragraph("Means with 95 % intervals over the seeds. The charts show the first seed.");
  page.heading("Latency");
  add_distributions(page, comparison);
  page.heading("Instances");
  for (const PolicyRuns& runs : comparison.policies) {
    add_policy(page, cluster, runs, comparison.policies.size() == 1 || runs.policy == "cap");
  }
  return page.html();
}

}  // namespace trex::app
