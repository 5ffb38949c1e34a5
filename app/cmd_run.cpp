// trex run: every stage of a recipe in order, each as a process of its own, then the report.
#include <fmt/format.h>

#include <csignal>

#include "app/commands.h"
#include "app/run_report.h"
#include "app/run_state.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/process.h"
#include "base/text.h"

namespace trex::app {
namespace {

using Keys = std::map<std::string, std::string>;

// What the recipe says of a stage's time, scaled by how this machine compares so far. Short stages
// say little about long ones, so the scale starts as if five minutes had taken what they usually
// do.
class TimeEstimate {
 public:
  void finished(const Stage& stage, double seconds) {
    if (stage.usual_seconds <= 0) return;
    usual_done_ += stage.usual_seconds;
    actual_done_ += seconds;
  }

  double of(const Stage& stage) const {
    const double scale = (actual_done_ + kBelief) / (usual_done_ + kBelief);
    return stage.usual_seconds * scale;
  }

 private:
  static constexpr double kBelief = 300;  // seconds
  double usual_done_ = 0, actual_done_ = 0;
};

double seconds_left(const Recipe& recipe, const Keys& keys, size_t first,
                    const TimeEstimate& estimate) {
  double left = 0;
  for (size_t i = first; i < recipe.stages.size(); ++i) {
    const Stage& stage = recipe.stages[i];
    if (next_step(stage, keys.at(stage.name)) != StageStep::Skip) left += estimate.of(stage);
  }
  return left;
}

ProcessRequest process_of(const Recipe& recipe, const Stage& stage) {
  std::vector<std::string> arguments{(program_folder() / "trex").string()};
  for (std::string& word : split(stage.kind->verb, ' ')) arguments.push_back(std::move(word));
  arguments.insert(arguments.end(),
                   {recipe.file.string(), "--stage", stage.name, "--out", stage.folder.string()});
  for (const std::string& text : stage.overrides) {
    arguments.push_back("--set");
    arguments.push_back(text);
  }
  return {.arguments = std::move(arguments), .inherit_output = true};
}

void run_stage(const Recipe& recipe, const Stage& stage, const std::string& key, StageStep step) {
  if (step == StageStep::Start) std::filesystem::remove_all(stage.folder);
  StageRecord record{.key = key};
  if (step == StageStep::Continue) record.seconds = read_record(stage)->seconds;
  write_record(stage, record);
  // Ctrl-C reaches the stage too; it finishes its step, and then we say how to go on.
  std::signal(SIGINT, [](int) {});
  const ProcessResult result = run_process(process_of(recipe, stage));
  record.seconds += result.wall_seconds;
  record.is_done = result.succeeded();
  write_record(stage, record);
  if (record.is_done) return;
  const std::string got = result.exit_code ? fmt::format("exit code {}", *result.exit_code)
                                           : fmt::format("signal {}", result.signal);
  throw Error(
      {.kind = result.exit_code ? static_cast<ErrorKind>(*result.exit_code) : ErrorKind::Failed,
       .where = fmt::format("stage {}", stage.name),
       .field = {},
       .expected = "to finish",
       .got = got,
       .hint = "the same command goes on from here"});
}

void run_stages(const Recipe& recipe, const Keys& keys) {
  TimeEstimate estimate;
  const SystemClock clock;
  const Stopwatch watch(clock);
  for (size_t i = 0; i < recipe.stages.size(); ++i) {
    const Stage& stage = recipe.stages[i];
    const std::string& key = keys.at(stage.name);
    const StageStep step = next_step(stage, key);
    const std::string title = fmt::format("stage {}/{} {} ({})", i + 1, recipe.stages.size(),
                                          stage.name, stage.kind->verb);
    if (step == StageStep::Skip) {
      fmt::print(stderr, "{}: nothing has changed, skipped\n", title);
      continue;
    }
    const std::string usual =
        stage.usual_seconds > 0 ? fmt::format("usually {}; ", readable_duration(estimate.of(stage)))
                                : std::string();
    fmt::print(stderr, "{}{}: {}{} gone, about {} left\n", title,
               step == StageStep::Continue ? ", continued" : "", usual,
               readable_duration(watch.seconds()),
               readable_duration(seconds_left(recipe, keys, i, estimate)));
    const double before = watch.seconds();
    run_stage(recipe, stage, key, step);
    estimate.finished(stage, watch.seconds() - before);
  }
}

}  // namespace

int cmd_run(const Arguments& arguments) {
  CLI::App options(
      "Every stage of a recipe in order, then a report. Stages whose inputs have not "
      "changed are skipped; an interrupted one goes on where it was.",
      "trex run");
  Path file;
  std::optional<Path> out;
  std::vector<std::string> overrides;
  options.add_option("recipe", file, "Recipe, TOML")->required();
  options.add_option("--out", out, "Folder of the run; runs/<recipe> if not given");
  options.add_option("--set", overrides, "STAGE.key=value, stronger than the file; repeatable");
  if (!parse_arguments(options, arguments)) return 0;

  const Recipe recipe = read_recipe(file, out.value_or(usual_out(file)), overrides);
  run_stages(recipe, stage_keys(recipe));
  const Path report = write_run_report(recipe, out.value_or(usual_out(file)));
  fmt::print("{}\n", report.string());
  return 0;
}

}  // namespace trex::app
