// trex simulate: routing policies compared on a simulated cluster.
#include <fmt/format.h>

#include "app/commands.h"
#include "app/simulate_page.h"
#include "app/simulate_table.h"
#include "base/error.h"
#include "base/text.h"
#include "base/text_table.h"
#include "simulate/compare.h"

namespace trex::app {
namespace {

using simulate::ClusterFile;
using simulate::Comparison;
using simulate::PolicyRuns;

void print_table(const Comparison& comparison) {
  const size_t seeds = comparison.policies[0].by_seed.size();
  const size_t requests = comparison.first_workload.requests.size();
  fmt::print("{} request{}, {} seed{}; capacity {:.2f} requests/s, offered {}\n", requests,
             requests == 1 ? "" : "s", seeds, seeds == 1 ? "" : "s (means with 95 % intervals)",
             comparison.capacity_per_s, comparison.offered);
  fmt::print(
      "by mean latency. TTFT: to the first token; TPOT: for each later one; steady: tokens/s "
      "between a tenth and nine\n"
      "tenths of the arrivals; good: within the limits of both\n\n");
  const report::Table table = summary_table(comparison, Columns::Terminal);
  std::vector<TextTable::Column> columns{{table.header[0]}};
  for (size_t i = 1; i < table.header.size(); ++i) columns.push_back({table.header[i], true});
  TextTable text(columns);
  for (const auto& row : table.rows) text.add(row);
  fmt::print("{}", text.text(columns_of_stdout()));
  for (const std::string& note : notes_on(comparison)) fmt::print("note: {}\n", note);
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
                                {"too_long", comparison.too_long},
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

std::string settings_help() {
  simulate::SimulateSettings simulation;
  simulate::InstanceSettings instance;
  simulate::FaultSettings fault;
  return fmt::format(
      "{}\nOf each [instance.NAME] in the file:\n{}\nOf each [fault.NAME] in the file:\n{}\n"
      "examples/cluster.toml is a cluster file.\n",
      config::help_text(config::fields_of(simulation)),
      config::help_text(config::fields_of(instance)), config::help_text(config::fields_of(fault)));
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
  options.add_option("cluster", file, "Cluster file: settings and [instance.NAME] tables")
      ->required();
  options.add_option("--trace", trace, "The trace, in place of the file's");
  options.add_option("--policies", policies, "all, or names with commas between");
  options.add_option("--seeds", seeds, "Runs of each policy (1)");
  options.add_option("--set", overrides, "key=value, in place of the file's");
  options.add_option("--html", page, "Also write a page with charts");
  options.add_option("--records", records,
                     "Also write every request of the first policy's first seed");
  options.add_flag("--json", as_json, "One JSON object a policy");
  if (!parse_arguments(options, arguments, settings_help())) return 0;
  if (seeds < 1 || seeds > 1000) throw usage_error("--seeds", "1 to 1000", std::to_string(seeds));
  if (!trace.empty())
    overrides.push_back("trace=" + simulate::find_trace(trace, "--trace").string());

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
