// trex eval: asks (or takes recorded replies), runs the programs in the replies, scores.
#include <fmt/format.h>

#include "app/commands.h"
#include "app/stage_arguments.h"
#include "base/error.h"
#include "base/parallel_for.h"
#include "eval/eval_settings.h"
#include "eval/evaluate.h"
#include "eval/summary.h"

namespace trex::app {
namespace {

constexpr int kFormatVersion = 1;

// Everything that decides a record; other settings may change between a run and its resumption.
Json manifest_of(const eval::EvalSettings& settings) {
  Json data = Json::array();
  for (const Path& file : *settings.data) data.push_back(content_hash_of(file));
  const auto text_or_null = [](const std::optional<Path>& path) {
    return path ? Json(path->string()) : Json(nullptr);
  };
  return {{"version", kFormatVersion},
          {"benchmark", *settings.benchmark},
          {"data", data},
          {"limit", settings.limit ? Json(*settings.limit) : Json(nullptr)},
          {"replies", settings.replies ? Json(content_hash_of(*settings.replies)) : Json(nullptr)},
          {"checkpoint", text_or_null(settings.checkpoint)},
          {"max_new_tokens", settings.max_new_tokens},
          {"time_limit_ms", settings.time_limit.count()}};
}

std::vector<eval::Item> load_items(const eval::Benchmark& benchmark,
                                   const eval::EvalSettings& settings) {
  auto items = benchmark.load(*settings.data);
  if (settings.limit && static_cast<size_t>(*settings.limit) < items.size()) {
    items.resize(static_cast<size_t>(*settings.limit));
  }
  if (items.empty()) throw input_error("settings", "data", "files with at least one row", "none");
  return items;
}

// The file of replies in `out`, asked for or copied.
Path obtain_replies(const eval::EvalSettings& settings, const Path& out) {
  const Path replies = out / "replies.jsonl";
  if (settings.replies) {
    write_file(replies, read_file(*settings.replies));
  } else if (!is_done(out / "asked")) {
    eval::ask_checkpoint(*settings.checkpoint, out / "prompts.jsonl", replies,
                         settings.max_new_tokens);
    mark_done(out / "asked");
  }
  return replies;
}

Json summary_json(const eval::EvalSettings& settings, const eval::Summary& summary,
                  const eval::Evaluation& evaluation) {
  Json json{{"version", kFormatVersion}, {"benchmark", *settings.benchmark}};
  json.update(eval::to_json(summary));
  json["seconds"] = evaluation.seconds;
  json["num_graded_in_these_seconds"] = evaluation.num_graded;
  json["memory_limit"] =
      sandbox::can_limit_memory() ? "of all processes together" : "of each process";
  return json;
}

}  // namespace

int cmd_eval(const Arguments& arguments) {
  CLI::App options(
      "Score a model on a benchmark: run the program of every reply in the sandbox and "
      "compare its optimal value with the label.",
      "trex eval");
  bool as_json = false;
  options.add_flag("--json", as_json, "Print the summary as JSON instead of a table");
  StageArguments stage;
  eval::EvalSettings settings;
  if (!parse_stage(options, arguments, stage, settings)) return 0;
  const std::string where = stage.file ? stage.file->string() : "trex eval";
  const eval::Benchmark& benchmark = eval::find_benchmark(*settings.benchmark, where);
  if (settings.replies.has_value() == settings.checkpoint.has_value()) {
    throw input_error(where, "", "replies or checkpoint", settings.replies ? "both" : "neither");
  }

  const auto items = load_items(benchmark, settings);
  eval::check_manifest(stage.out / "manifest.json", manifest_of(settings));
  write_file(stage.out / "prompts.jsonl", eval::prompt_lines(benchmark, items));
  const auto replies = eval::read_replies(obtain_replies(settings, stage.out), items);
  const auto progress = progress_on_stderr();
  const auto evaluation =
      eval::evaluate({.benchmark = benchmark,
                      .items = items,
                      .replies = replies,
                      .limits = {.time = settings.time_limit},
                      .workers = static_cast<int>(settings.workers.value_or(num_cores())),
                      .records = stage.out / "records.jsonl",
                      .code_version = std::string(kVersion)},
                     *progress);
  const auto summary = eval::summarise(evaluation.records);
  const Json json = summary_json(settings, summary, evaluation);
  write_file(stage.out / "summary.json", json.dump(2) + "\n");
  fmt::print("{}", as_json ? to_line(json) + "\n" : eval::table_of(*settings.benchmark, summary));
  return 0;
}

}  // namespace trex::app
