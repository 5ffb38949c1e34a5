// trex train: pre-training continued (CPT) or fine-tuning (SFT), from a recipe to a checkpoint.
#include <fmt/format.h>

#include <chrono>
#include <csignal>

#include "app/commands.h"
#include "app/stage_arguments.h"
#include "base/progress.h"
#include "base/text.h"
#include "train/run.h"

namespace trex::app {
namespace {

volatile std::sig_atomic_t stop_signal = 0;

// The first signal asks the run to stop after its step, a second one ends the program at once.
void stop_after_step(int signal) {
  stop_signal = signal;
  std::signal(signal, SIG_DFL);
}

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void print_summary(const train::RunSummary& summary) {
  if (summary.num_steps == 0) {
    fmt::print("untrained model in {}\n", summary.checkpoint.string());
    return;
  }
  fmt::print("trained {} steps, {} tokens: loss {:.4f}, next-token loss {:.4f}", summary.steps_done,
             summary.totals.tokens, summary.totals.loss, summary.totals.next_token_loss);
  if (summary.totals.eval_loss) fmt::print(", held-out loss {:.4f}", *summary.totals.eval_loss);
  fmt::print("; {:.0f} tokens/s, {:.1f} % of {:.0f} GFLOP/s; model in {}\n",
             summary.tokens_per_second, 100 * summary.mfu, summary.peak_gflops,
             summary.checkpoint.string());
}

}  // namespace

int cmd_train(const Arguments& arguments) {
  CLI::App options(
      "Trains a model on token shards. A folder with checkpoints of the same run is "
      "gone on from.",
      "trex train");
  StageArguments stage;
  train::TrainSettings settings;
  if (!parse_stage(options, arguments, stage, settings)) return 0;

  std::signal(SIGINT, stop_after_step);
  std::signal(SIGTERM, stop_after_step);
  const SystemClock clock;
  const auto progress = progress_on_stderr();
  const train::RunSummary summary =
      train::run_training(settings, stage.out,
                          {.clock = clock,
                           .unix_seconds = seconds_since_1970,
                           .progress = *progress,
                           .stop_requested = [] { return stop_signal != 0; }});
  if (!summary.is_finished()) {
    fmt::print(stderr, "stopped after step {} of {}; the same command goes on from {}\n",
               summary.steps_done, summary.num_steps, summary.checkpoint.string());
    return 128 + stop_signal;  // what a shell reports for a program that a signal ended
  }
  print_summary(summary);
  return 0;
}

}  // namespace trex::app
