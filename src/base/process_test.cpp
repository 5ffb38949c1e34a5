#include "base/process.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include "base/error.h"
#include "base/parallel_for.h"
#include "base/text.h"

namespace trex {
namespace {

using namespace std::chrono_literals;

ProcessResult shell(const std::string& script, ProcessRequest request = {}) {
  request.arguments = {"/bin/sh", "-c", script};
  return run_process(request);
}

bool is_running(int64_t pid) {
  try {
    const std::string status = read_file("/proc/" + std::to_string(pid) + "/stat");
    return status.find(") Z") == std::string::npos;  // a zombie waits for its parent only
  } catch (const Error&) {
    return false;  // gone, and its entry with it
  }
}

// A killed process may take a moment to go; a test that never sees it gone runs into ctest's limit.
void expect_gone(int64_t pid) {
  while (is_running(pid)) ::usleep(1000);
}

TEST(RunProcess, GivesExitCodeAndBothStreams) {
  const auto result = shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_FALSE(result.succeeded());
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
  EXPECT_TRUE(shell("true").succeeded());
}

TEST(RunProcess, PassesArgumentsWithoutAShell) {
  const auto result = run_process({.arguments = {"printf", "%s|", "a b", "$HOME", "", "*"}});
  EXPECT_EQ(result.output, "a b|$HOME||*|");
}

TEST(RunProcess, FeedsMoreThanAPipeHolds) {
  const std::string input(1 << 20, 'x');
  EXPECT_EQ(run_process({.arguments = {"cat"}, .input = input}).output, input);
  EXPECT_EQ(trimmed(run_process({.arguments = {"wc", "-c"}, .input = input}).output), "1048576");
}

TEST(RunProcess, UnreadInputIsNoErrorAndSigpipeStaysAsItWas) {
  struct sigaction before {};
  ::sigaction(SIGPIPE, nullptr, &before);
  const auto result = run_process({.arguments = {"true"}, .input = std::string(1 << 20, 'x')});
  EXPECT_TRUE(result.succeeded());
  struct sigaction after {};
  ::sigaction(SIGPIPE, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST(RunProcess, WorksInTheFolder) {
  const TemporaryFolder folder;
  EXPECT_EQ(shell("pwd -P", {.folder = folder.path()}).output,
            std::filesystem::canonical(folder.path()).string() + "\n");
}

TEST(RunProcess, SaysWhichSignalEndedTheChild) {
  const auto result = shell("kill -SEGV $$");
  EXPECT_EQ(result.exit_code, std::nullopt);
  EXPECT_EQ(result.signal, SIGSEGV);
}

TEST(RunProcess, WhatCannotStartIsAnEnvironmentError) {
  const auto refusal = [](const ProcessRequest& request) -> std::string {
    try {
      run_process(request);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Environment);
      return error.what();
    }
    return "started";
  };
  EXPECT_EQ(refusal({.arguments = {"no-such-program-of-ours"}}),
            "no-such-program-of-ours: expected a program that can be started; got No such file or "
            "directory");
  EXPECT_EQ(refusal({.arguments = {"/etc/passwd"}}),
            "/etc/passwd: expected a program that can be started; got Permission denied");
}

TEST(RunProcess, TimeLimitEndsAChildThatSleepsAndOneThatClosedItsOutput) {
  for (const char* script : {"exec sleep 1000", "exec sleep 1000 >&- 2>&-"}) {
    const auto result = shell(script, {.time_limit = 50ms});
    EXPECT_TRUE(result.timed_out);
    EXPECT_EQ(result.signal, SIGKILL);
    EXPECT_GE(result.wall_seconds, 0.05);
  }
  EXPECT_FALSE(shell("true", {.time_limit = 100'000h}).timed_out);
}

TEST(RunProcess, OutputLimitKeepsTheBeginningAndEndsTheChild) {
  const auto result = shell("while :; do echo 0123456789; done", {.output_limit = 1000});
  EXPECT_TRUE(result.output_cut);
  EXPECT_EQ(result.output.size(), 1000u);
  EXPECT_EQ(result.output.substr(0, 12), "0123456789\n0");
  const auto exact = shell("printf 12345", {.output_limit = 5});
  EXPECT_FALSE(exact.output_cut);
  EXPECT_EQ(exact.output, "12345");
}

TEST(RunProcess, GrandchildrenDieWithTheLimit) {
  ProcessResult result;
  for (auto limit = 50ms; result.output.empty(); limit *= 2) {  // a busy machine starts it late
    result = shell("sleep 1000 & echo $!; wait", {.time_limit = limit});
    EXPECT_TRUE(result.timed_out);
  }
  expect_gone(parse_integer(trimmed(result.output)).value());
}

TEST(RunProcess, EndsWithTheChildThoughAGrandchildHoldsThePipes) {
  const auto result = shell("sleep 1000 & echo $!");
  EXPECT_EQ(result.exit_code, 0);
  expect_gone(parse_integer(trimmed(result.output)).value());
}

TEST(RunProcess, KeepsWhatTheChildWroteJustBeforeItsEnd) {
  const auto result = shell("head -c 60000 /dev/zero; head -c 50000 /dev/zero >&2");
  EXPECT_EQ(result.output.size(), 60000u);
  EXPECT_EQ(result.errors.size(), 50000u);
}

TEST(RunProcess, MeasuresTheChild) {
  const auto result = shell("i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done");
  EXPECT_GT(result.cpu_seconds, 0);
  EXPECT_GE(result.wall_seconds * 1.5 + 0.05, result.cpu_seconds);
  EXPECT_GT(result.peak_memory_bytes, 100'000);
}

TEST(RunProcess, SeveralThreadsDoNotMixTheirChildren) {
  std::vector<std::string> outputs(40);
  parallel_for(40, 4, [&](int64_t i) {
    outputs[static_cast<size_t>(i)] =
        shell("cat; echo " + std::to_string(i), {.input = "in "}).output;
  });
  for (size_t i = 0; i < outputs.size(); ++i)
    EXPECT_EQ(outputs[i], "in " + std::to_string(i) + "\n");
}

TEST(RunProcess, LeavesNoDescriptorOpen) {
  const auto num_open = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  shell("true");
  const auto before = num_open();
  for (int i = 0; i < 5; ++i) shell("echo x", {.input = "y"});
  EXPECT_THROW(run_process({.arguments = {"no-such-program-of-ours"}}), Error);
  EXPECT_EQ(num_open(), before);
}

TEST(ProgramFolder, HoldsThisTest) {
  EXPECT_TRUE(std::filesystem::exists(program_folder() / "base_test"));
}

}  // namespace
}  // namespace trex
