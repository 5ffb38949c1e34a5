// What capability-aware routing gains, each number beside its baseline in the same run. Everything
// is simulated, so nothing here depends on the machine; no time is measured.
//
//   serving_gains [--only NAME]...   JSON lines on standard output; --markdown prints tables
//   instead
//
// Exit code 1 when a statement does not hold.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/error.h"
#include "bench/serving_support.h"

int main(int argc, char** argv) {
  using namespace trex;
  struct Experiment {
    const char* name;
    void (*run)(bench::Report&);
  };
  const Experiment experiments[] = {{"four_engines", bench::four_engines},
                                    {"H1", bench::paper_pair},
                                    {"table94", bench::unlike_clusters},
                                    {"H4", bench::wrong_speeds},
                                    {"H4_drift", bench::drift},
                                    {"H4_prompts", bench::wrong_prompt_speeds},
                                    {"H5", bench::bursts},
                                    {"H6", bench::shared_prefixes},
                                    {"H7", bench::mixed_classes},
                                    {"H8", bench::fairness},
                                    {"H10", bench::unlike_strengths}};
  CLI::App options("What capability-aware routing gains, in simulation", "serving_gains");
  std::vector<std::string> only;
  bool as_markdown = false;
  options.add_option("--only", only,
                     "four_engines, H1, table94, H4, H4_drift, H4_prompts, H5, H6, H7, H8, H10");
  options.add_flag("--markdown", as_markdown, "Tables instead of JSON lines");
  CLI11_PARSE(options, argc, argv);
  try {
    bench::Report report;
    for (const Experiment& experiment : experiments) {
      if (!only.empty() && std::find(only.begin(), only.end(), experiment.name) == only.end())
        continue;
      fmt::print(stderr, "{}\n", experiment.name);
      experiment.run(report);
    }
    as_markdown ? report.print_markdown() : report.print_json_lines();
    return report.all_hold() ? 0 : 1;
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.exit_code();
  }
}
