// trex data generate: operations-research documents and questions; trex data stats: what a file of
// them holds.
#include <fmt/format.h>

#include "app/commands.h"
#include "app/stage_arguments.h"
#include "base/error.h"
#include "base/progress.h"
#include "orgen/card.h"
#include "orgen/generate.h"

namespace trex::app {

int cmd_data_generate(const Arguments& arguments) {
  CLI::App options("Solver-verified operations-research documents or questions",
                   "trex data generate");
  std::string shard = "1/1";
  options.add_option("--shard", shard, "Make only part i of n: i/n");
  StageArguments stage;
  orgen::GenerateSettings settings;
  if (!parse_stage(options, arguments, stage, settings)) return 0;
  const auto progress = progress_on_stderr();
  const auto report = orgen::generate(settings, orgen::parse_shard(shard), stage.out, *progress);
  fmt::print("{} rows in {}\n", report.rows, report.file.string());
  return 0;
}

int cmd_data_stats(const Arguments& arguments) {
  CLI::App options("Counts, lengths and duplicates of a file of rows", "trex data stats");
  Path file;
  bool as_json = false;
  options.add_option("file", file, "documents.jsonl or questions.jsonl")->required();
  options.add_flag("--json", as_json, "Print one JSON object");
  if (!parse_arguments(options, arguments)) return 0;
  const Json card = orgen::card_of_file(file).json();
  fmt::print("{}{}", as_json ? to_line(card) : orgen::card_text(card), as_json ? "\n" : "");
  return 0;
}

}  // namespace trex::app
