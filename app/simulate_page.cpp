#include "app/simulate_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "app/simulate_table.h"
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
void add_distribution(report::Page& page, const std::vector<const PolicyRuns*>& shown,
                      const char* title, const char* p99, double (*seconds_of)(const Record&)) {
  double best_s = std::numeric_limits<double>::infinity();
  for (const PolicyRuns* runs : shown) best_s = std::min(best_s, runs->estimate(p99).mean);
  report::LineChart chart{.title = title,
                          .x_label = "seconds, up to 5 x the best p99",
                          .y_label = "% of requests",
                          .series = {}};
  for (const PolicyRuns* runs : shown) {
    chart.series.push_back(distribution(*runs, seconds_of, 5 * best_s));
  }
  page.chart(chart);
}

// So many lines keep colours of their own: the quickest policies and the two that others are
// measured by.
std::vector<const PolicyRuns*> policies_of_charts(const Comparison& comparison) {
  constexpr size_t kMostLines = 8;
  std::vector<const PolicyRuns*> order = by_latency(comparison);
  if (order.size() <= kMostLines) return order;
  std::vector<const PolicyRuns*> shown;
  for (size_t i = 0; i < order.size(); ++i) {
    const std::string& name = order[i]->policy;
    const bool is_baseline = name == "round_robin" || name == "weighted_least_requests";
    if (is_baseline || name == "cap" || i < kMostLines - 3) shown.push_back(order[i]);
  }
  return shown;
}

// What one line of a chart and one row of the table stand for: an instance, or many alike.
struct Group {
  std::string name;
  std::vector<size_t> members;
};

std::vector<Group> groups_of(const simulate::ClusterFile& cluster) {
  constexpr size_t kMostLines = 12;
  std::vector<Group> single, by_table;
  for (size_t i = 0; i < cluster.instances.size(); ++i) {
    single.push_back({cluster.instances[i].believed.name, {i}});
    if (by_table.empty() || by_table.back().name != cluster.tables[i]) {
      by_table.push_back({cluster.tables[i], {}});
    }
    by_table.back().members.push_back(i);
  }
  if (single.size() <= kMostLines) return single;
  if (by_table.size() > kMostLines) {
    Group all{"all instances", {}};
    for (size_t i = 0; i < cluster.instances.size(); ++i) all.members.push_back(i);
    return {all};
  }
  for (Group& group : by_table) {
    if (group.members.size() > 1) group.name += fmt::format(" (each of {})", group.members.size());
  }
  return by_table;
}

// One line a group of a number taken from each sample, the mean over its members.
template <class Value>
report::LineChart over_time(const PolicyRuns& runs, const std::vector<Group>& groups,
                            std::string title, std::string unit, const Value& value) {
  report::LineChart chart{
      .title = std::move(title), .x_label = "seconds", .y_label = std::move(unit), .series = {}};
  for (const Group& group : groups) {
    report::Series series{.name = group.name, .points = {}};
    for (const simulate::Sample& sample : runs.first.samples) {
      double sum = 0;
      for (const size_t i : group.members) sum += value(sample, i);
      series.points.emplace_back(sample.at_s, sum / static_cast<double>(group.members.size()));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

void add_instances(report::Page& page, const PolicyRuns& runs, const std::vector<Group>& groups) {
  report::Table table{
      .header = {"instance", "requests", "busy %", "output tokens", "prompt tokens computed",
                 "from cache", "pre-emptions", "time over expected"},
      .rows = {}};
  const double makespan_s = std::max(simulate::seconds(runs.first.makespan), 1e-9);
  for (const Group& group : groups) {
    simulate::EngineTotals sum;
    int64_t dispatched = 0;
    double sigma = 0;
    const auto count = static_cast<double>(group.members.size());
    for (const size_t i : group.members) {
      const simulate::InstanceResult& instance = runs.first.instances[i];
      dispatched += instance.dispatched;
      sigma += instance.sigma / count;
      sum.busy += instance.totals.busy;
      sum.output_tokens += instance.totals.output_tokens;
      sum.computed_tokens += instance.totals.computed_tokens;
      sum.cached_tokens += instance.totals.cached_tokens;
      sum.preemptions += instance.totals.preemptions;
    }
    table.rows.push_back(
        {group.name, fmt::format("{}", dispatched),
         fmt::format("{:.1f}", 100 * simulate::seconds(sum.busy) / makespan_s / count),
         fmt::format("{}", sum.output_tokens), fmt::format("{}", sum.computed_tokens),
         fmt::format("{}", sum.cached_tokens), fmt::format("{}", sum.preemptions),
         fmt::format("{:.3f}", sigma)});
  }
  page.table(table);
}

void add_policy(report::Page& page, const simulate::ClusterFile& cluster, const PolicyRuns& runs,
                bool is_open) {
  page.begin_fold(fmt::format("{}: utilisation, queues and decisions", runs.policy), is_open);
  using simulate::Sample;
  const std::vector<Group> groups = groups_of(cluster);
  page.chart(over_time(
      runs, groups, "Utilisation: slots in use", "% of slots", [&](const Sample& sample, size_t i) {
        const auto slots = static_cast<double>(cluster.instances[i].iterations.model.max_sequences);
        return 100 * static_cast<double>(sample.instances[i].running) / slots;
      }));
  const auto cache =
      over_time(runs, groups, "Utilisation: cache in use", "% of the cache",
                [](const Sample& sample, size_t i) { return 100 * sample.instances[i].kv_share; });
  const bool is_cache_used =
      std::any_of(runs.first.samples.begin(), runs.first.samples.end(), [](const Sample& sample) {
        return std::any_of(sample.instances.begin(), sample.instances.end(),
                           [](const simulate::EngineLoad& load) { return load.kv_share > 0; });
      });
  if (is_cache_used) page.chart(cache);
  auto queues = over_time(runs, groups, "Waiting, at engines and in the central queue", "requests",
                          [](const Sample& sample, size_t i) {
                            return static_cast<double>(sample.instances[i].waiting);
                          });
  report::Series central{.name = "central queue", .points = {}};
  for (const Sample& sample : runs.first.samples)
    central.points.emplace_back(sample.at_s, static_cast<double>(sample.queued));
  queues.series.push_back(std::move(central));
  page.chart(queues);
  page.chart(over_time(
      runs, groups, "Decisions: requests sent so far", "requests",
      [](const Sample& sample, size_t i) { return static_cast<double>(sample.dispatched[i]); }));
  add_instances(page, runs, groups);
  page.end_fold();
}

void add_summary(report::Page& page, const Comparison& comparison) {
  page.table(summary_table(comparison, Columns::Page));
  page.paragraph(
      "By mean latency. p99: of the number to its left. TTFT: time to the first token. TPOT: time "
      "for each later one. Steady tokens/s: of answers, between a tenth and nine tenths of the "
      "arrivals' time. Good: requests within the limits of both TTFT and TPOT.");
  if (comparison.policies[0].by_seed.size() > 1)
    page.paragraph("Means with 95 % intervals over the seeds. The charts show the first seed.");
  for (const std::string& note : notes_on(comparison)) page.note("Note", note);
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
                                     : comparison.offered,
        "offered"}});
  add_summary(page, comparison);
  page.heading("Latency");
  const auto shown = policies_of_charts(comparison);
  if (shown.size() < comparison.policies.size()) {
    page.paragraph(fmt::format("{} of the {} policies: the quickest, cap, and two to compare with.",
                               shown.size(), comparison.policies.size()));
  }
  add_distribution(page, shown, "Time from arrival to the last token", "latency_p99_s", latency_of);
  add_distribution(page, shown, "Time to the first token", "ttft_p99_s", ttft_of);
  page.heading("Instances");
  for (const PolicyRuns* runs : by_latency(comparison)) {
    add_policy(page, cluster, *runs, comparison.policies.size() == 1 || runs->policy == "cap");
  }
  return page.html();
}

}  // namespace trex::app
