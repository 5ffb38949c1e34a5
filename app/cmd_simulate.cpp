// trex simulate: routing policies compared on a simulated cluster.
#include <fmt/format.h>

#include "app/commands.h"
#include "app/simulate_page.h"
#include "base/error.h"
#include "base/text.h"
#include "simulate/compare.h"

namespace trex::app {
namespace {

using simulate::ClusterFile;
using simulate::Comparison;
using simulate::PolicyRuns;

// Columns of the table: what is shown, its name, and how many of it make one of the unit.
struct Column {
  const char* title;
  const char* number;
  double scale;
};
constexpr Column kColumns[] = {
    {"latency s", "latency_mean_s", 1},   {"p50", "latency_p50_s", 1},     {"p99", "latency_p99_s", 1},
    {"TTFT s", "ttft_mean_s", 1},         {"p99", "ttft_p99_s", 1},        {"TPOT ms", "tpot_mean_s", 1e3},
    {"p99", "tpot_p99_s", 1e3},           {"tok/s", "output_tokens_per_s", 1}, {"steady", "steady_output_tokens_per_s", 1},
    {"good %", "goodput_share", 100},     {"done", "completed", 1},
};

std::string cell(const PolicyRuns& runs, const Column& column) {
  const simulate::Estimate estimate = runs.estimate(column.number);
  const double mean = estimate.mean * column.scale;
  if (runs.by_seed.size() < 2) return fmt::format("{:.4g}", mean);
  return fmt::format("{:.4g} ±{:.2g}", mean, estimate.half_width * column.scale);
}

void print_table(const Comparison& comparison) {
  const size_t seeds = comparison.policies[0].by_seed.size();
  fmt::print("{} requests, {} seed{}; capacity {:.2f} requests/s, offered {}\n", comparison.first_workload.requests.size(),
             seeds, seeds == 1 ? "" : "s (means with 95 % intervals)", comparison.capacity_per_s,
             comparison.offered_per_s > 0 ? fmt::format("{:.2f}", comparison.offered_per_s) : "all at once");
  fmt::print("TTFT: to the first token; TPOT: for each later one; steady: tok/s between a tenth and nine tenths of the arrivals; "
             "good: within the limits of both\n\n");
  std::vector<std::vector<std::string>> rows{{"policy"}};
  for (const Column& column : kColumns) rows[0].emplace_back(column.title);
  for (const PolicyRuns& runs : comparison.policies) {
    rows.push_back({runs.policy});
    for (const Column& column : kColumns) rows.back().push_back(cell(runs, column));
  }
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    std::string line = fmt::format("{:<{}}", row[0], widths[0]);
    for (size_t i = 1; i < row.size(); ++i) line += fmt::format("  {:>{}}", row[i], widths[i]);
    fmt::print("{}\n", line);
  }
}

void print_json(const Comparison& comparison) {
  for (const PolicyRuns& runs : comparison.policies) {
    Json numbers = Json::object();
    for (const auto& [name, value] : simulate::named_numbers(runs.by_seed[0])) {
      const simulate::Estimate estimate = runs.estimate(name);
      numbers[name] = {{"mean", estimate.mean}, {"half_width_95", estimate.half_width}};
    }
    fmt::print("{}\n", to_line({{"version", 1},
                                {"policy", runs.policy},
                                {"seeds", runs.by_seed.size()},
                                {"capacity_per_s", comparison.capacity_per_s},
                                {"offered_per_s", comparison.offered_per_s},
                                {"numbers", numbers}}));
  }
}

void write_records(const Path& path, const Comparison& comparison) {
  std::string lines;
  const PolicyRuns& runs = comparison.policies[0];
  for (size_t i = 0; i < runs.first.records.size(); ++i) {
    lines += simulate::record_line(comparison.first_workload, runs.first, i) + "\n";
  }
  write_file(path, lines);
}

}  // namespace

int cmd_simulate(const Arguments& arguments) {
  CLI::App options("Routing policies compared on a simulated cluster", "trex simulate");
  Path file, page, records;
  std::string policies = "cap,round_robin,weighted_least_requests";
  std::string trace;
  std::vector<std::string> overrides;
  int64_t seeds = 1;
  bool as_json = false;
  options.add_option("cluster", file, "Cluster file: settings and [instance.NAME] tables")->required();
  options.add_option("--trace", trace, "The trace, in place of the file's");
  options.add_option("--policies", policies, "all, or names with commas between");
  options.add_option("--seeds", seeds, "Runs of each policy (1)");
  options.add_option("--set", overrides, "key=value, in place of the file's");
  options.add_option("--html", page, "Also write a page with charts");
  options.add_option("--records", records, "Also write every request of the first policy's first seed");
  options.add_flag("--json", as_json, "One JSON object a policy");
  simulate::SimulateSettings described;
  if (!parse_arguments(options, arguments, config::help_text(config::fields_of(described)))) return 0;
  if (seeds < 1 || seeds > 1000) throw usage_error("--seeds", "1 to 1000", std::to_string(seeds));
  if (!trace.empty()) overrides.push_back("trace=" + trace);

  const auto names = simulate::policies_from(policies);
  const ClusterFile cluster = simulate::load_cluster(file, overrides);
  const auto progress = progress_on_stderr();
  const Comparison comparison = simulate::compare(cluster, names, seeds, *progress);
  if (!page.empty()) write_file(page, simulate_page(cluster, comparison));
  if (!records.empty()) write_records(records, comparison);
  (as_json ? print_json : print_table)(comparison);
  return 0;
}

}  // namespace trex::app
