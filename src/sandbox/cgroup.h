// Control groups: a limit on the memory and processes of a whole run, where we may make groups
// (root, with version 1 controllers or a version 2 hierarchy mounted writable). Elsewhere runs do
// without; each process is still limited by itself.
#pragma once

#include <cstdint>
#include <vector>

#include "base/files.h"

namespace trex::sandbox {

// The groups of one run, removed with it. Not copyable; one thread.
class RunGroups {
 public:
  // Without groups when this machine does not let us make them.
  RunGroups(int64_t memory_bytes, int64_t processes);
  // Kills what is left in the groups and waits for its end.
  ~RunGroups();
  RunGroups(const RunGroups&) = delete;
  RunGroups& operator=(const RunGroups&) = delete;

  bool limits_memory() const { return !memory_.empty(); }

  // Writing "0" into these files makes the writer join, which has one thread.
  std::vector<Path> join_files() const;

  // Whether the kernel killed one of its processes for want of memory.
  bool ran_out_of_memory() const;

 private:
  std::vector<Path> folders_;
  Path memory_;  // the one of folders_ that limits memory; empty if none does
};

}  // namespace trex::sandbox
