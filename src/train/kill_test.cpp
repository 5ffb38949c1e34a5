// Kills a training process at random moments until it has come through, and compares what it leaves
// with an uninterrupted run.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/rng.h"
#include "train/toy_run.h"

namespace trex::train {
namespace {

using std::chrono::milliseconds;

int64_t num_lines(const Path& file) {
  if (!std::filesystem::exists(file)) return 0;
  const std::string bytes = read_file(file);
  return std::count(bytes.begin(), bytes.end(), '\n');
}

// A process of its own that trains to the end. No thread of LibTorch exists before the fork.
pid_t start(const ToyRun& run, const std::string& out) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    run.train(out);
    ::_exit(0);
  } catch (const std::exception& error) {
    (void)!::write(2, error.what(), std::string_view(error.what()).size());
    ::_exit(1);
  }
}

// Its exit code; nothing when a signal ended it.
std::optional<int> wait_for(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

bool is_running(pid_t child) {
  siginfo_t ended{};
  return ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid == 0;
}

// Lets the process make a few steps more than the metrics show now, and a part of one.
void kill_after(pid_t child, const Path& metrics, int64_t more_steps, milliseconds then) {
  const int64_t goal = num_lines(metrics) + more_steps;
  while (num_lines(metrics) < goal && is_running(child)) {
    std::this_thread::sleep_for(milliseconds(2));
  }
  std::this_thread::sleep_for(then);
  ::kill(child, SIGKILL);
}

TEST(KilledRun, LeavesTheBytesOfAnUninterruptedOne) {
  ToyRun run;
  run.settings.steps = 60;
  run.settings.checkpoint_every = 2;
  ASSERT_EQ(wait_for(start(run, "whole")), 0);

  Rng rng(1, "kill");
  int num_killed = 0;
  std::optional<int> exit_code;
  for (int attempt = 0; attempt < 8 && !exit_code; ++attempt) {
    const pid_t child = start(run, "killed");
    kill_after(child, run.path("killed") / "metrics.jsonl", rng.between(3, 9),
               milliseconds(rng.between(0, 25)));
    exit_code = wait_for(child);
    num_killed += !exit_code.has_value();
  }
  EXPECT_GE(num_killed, 4);
  if (!exit_code) exit_code = wait_for(start(run, "killed"));
  ASSERT_EQ(exit_code, 0);

  for (const char* file : {"final/model.safetensors", "step_000060/optimizer.safetensors",
                           "step_000060/trainer.json"}) {
    EXPECT_EQ(read_file(run.path("whole") / file), read_file(run.path("killed") / file)) << file;
  }
  EXPECT_EQ(run.metrics("whole"), run.metrics("killed"));
}

}  // namespace
}  // namespace trex::train
