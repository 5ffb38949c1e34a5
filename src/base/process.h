// Child processes: arguments in, exit code and output out. No shell is involved.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"

namespace trex {

struct ProcessRequest {
  std::vector<std::string> arguments;  // [0] is the program, looked up in PATH if it has no slash
  std::string input;                   // its standard input
  std::optional<Path> folder;          // its working folder; ours if absent
  std::optional<std::chrono::milliseconds> time_limit;  // wall time; then the group is killed
  size_t output_limit = 64 << 20;  // bytes kept of each stream; the child is killed beyond it
  bool inherit_output = false;     // stdout and stderr go where ours go; nothing is captured
};

struct ProcessResult {
  std::optional<int> exit_code;  // absent when a signal ended it
  int signal = 0;
  bool timed_out = false;
  bool output_cut = false;  // it wrote more than the limit
  std::string output, errors;
  double wall_seconds = 0, cpu_seconds = 0;
  int64_t peak_memory_bytes = 0;

  bool succeeded() const { return exit_code == 0; }
};

// Runs to the end of the child. A captured child leads a process group of its own, which is killed
// as a whole when the child ends, a limit is passed or the caller unwinds. A child with inherited
// output stays in our group and gets SIGTERM when we die. Throws Environment when it cannot be
// started.
// Safe from several threads.
ProcessResult run_process(const ProcessRequest& request);

// The folder of the running executable, where its sibling programs are.
Path program_folder();

}  // namespace trex
