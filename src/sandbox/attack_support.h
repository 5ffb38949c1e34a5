// What the tests of the sandbox share. An attack is a small Python program. Its test shows two
// things: that the attack is really made (it succeeds outside the sandbox, where that does no harm,
// or tells how far it got), and that it fails inside.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#include "base/process.h"
#include "base/text.h"
#include "sandbox/sandbox.h"

namespace trex::sandbox {

inline Execution run_python(const std::string& code,
                            const Limits& limits = {.wall = std::chrono::seconds(60)}) {
  return run({.arguments = {kPython, "-sPB", "main.py"}, .files = {{"main.py", code}}}, limits);
}

// The same code without a sandbox: for attacks that do no harm.
inline ProcessResult run_unconfined(const std::string& code) {
  return run_process(
      {.arguments = {kPython, "-sPB", "-c", code}, .time_limit = std::chrono::seconds(20)});
}

// Processes of this machine whose command line has the marker, without this one.
inline int count_processes(const std::string& marker) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const auto pid = parse_integer(entry.path().filename().string());
    if (!pid || *pid == ::getpid()) continue;
    std::ifstream in(entry.path() / "cmdline");
    std::ostringstream words;
    words << in.rdbuf();
    if (words.str().find(marker) != std::string::npos) ++count;
  }
  return count;
}

// The kernel takes a killed namespace down in its own time: up to two seconds are fair.
inline bool nothing_left_of(const std::string& marker) {
  for (int tries = 0; tries < 200; ++tries) {
    if (count_processes(marker) == 0) return true;
    ::usleep(10'000);
  }
  return false;
}

// A name that occurs nowhere else on this machine.
inline std::string unique_marker(const char* name) {
  return std::string(name) + "-" + std::to_string(::getpid());
}

}  // namespace trex::sandbox
