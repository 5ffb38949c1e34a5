// trex-sandbox, the small static program that stands between us and a program that nobody has read:
//
//   enter      outside: opens the channels, joins the groups, gives up root, makes the namespaces
//   confine    inside, as process 1: builds what the program sees, gives up every capability
//   supervise  then sets limits and filter, starts the program, reports how it ended, and takes
//              everything else down with it
//
// It shares no code with the rest of trex, so that it starts in a fraction of a millisecond.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trex::sandbox {

using Words = std::vector<std::string>;

// Where the descriptors lie. The first two are the program's (sandbox.h); the third is ours.
inline constexpr int kReportChannel = 3;
inline constexpr int kSecretChannel = 4;
inline constexpr int kStatusChannel = 5;

// The user that a program is inside, and that root becomes outside: Debian's nobody.
inline constexpr unsigned kUnprivilegedId = 65534;

enum class BindKind { Files, FilesIfThere, Device };

// A part of this machine that the program sees, read-only.
struct Bind {
  std::string source, target;  // absolute
  BindKind kind = BindKind::Files;
  int tree = -1;  // its detached mount; -1 before take_trees and for what is not there
};

struct ProgramLimits {
  uint64_t cpu_seconds, address_space_bytes, processes, open_files, file_bytes, stack_bytes;
};

struct Request {
  std::string status_file, report_file, secret;
  std::string folder_bytes;  // size of /tmp
  std::vector<Bind> binds;
  Words environment;  // NAME=VALUE
  Words cgroups;      // files to write "0" into
  ProgramLimits limits;
  Words program;
};

// Prints `trex-sandbox: expected <expected>; got <errno's text>` and ends with 125.
[[noreturn]] void give_up(const std::string& expected);

// Whole run; ends when process 1 inside has ended.
[[noreturn]] void enter(Request request);

// Detaches a read-only copy of every source that has none yet. Needs the capabilities of the mount
// namespace's owner.
void take_trees(std::vector<Bind>& binds);

// Makes the calling process, which has every capability in new namespaces, see only what the
// request names, as an unprivileged user without capabilities.
void confine(Request& request);

// Starts the program and ends with it; the caller is process 1 of its namespace.
[[noreturn]] void supervise(const Request& request);

// Kills the calling process at system calls that only an attack makes, and refuses some others.
// Stays in force for everything that it starts.
void install_filter();

}  // namespace trex::sandbox
