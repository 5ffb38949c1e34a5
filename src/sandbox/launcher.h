// The two halves of trex-sandbox, the small static program that stands between us and bubblewrap:
//
//   trex-sandbox enter ...      outside: opens the channels, gives up root, becomes bwrap
//   trex-sandbox supervise ...  inside, as process 1: sets limits and filter, starts the program,
//                               reports how it ended, takes everything else down with it
//
// It shares no code with the rest of trex, so that it starts in a fraction of a millisecond.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trex::sandbox {

using Words = std::vector<std::string>;

// What bubblewrap passes on. The first two are the program's (sandbox.h); the third is ours.
inline constexpr int kReportChannel = 3;
inline constexpr int kSecretChannel = 4;
inline constexpr int kStatusChannel = 5;

inline constexpr const char* kInsideLauncher = "/.trex-sandbox";

// The user that a program is inside, and that root becomes outside: Debian's nobody.
inline constexpr unsigned kUnprivilegedId = 65534;

// Prints `trex-sandbox: expected <expected>; got <errno's text>` and ends with 125.
[[noreturn]] void give_up(const std::string& expected);

// enter STATUS_FILE REPORT_FILE SECRET FOLDER_BYTES [mount SOURCE TARGET]... [env NAME VALUE]...
//       [cgroup PROCS_FILE]... -- supervise's words
[[noreturn]] void enter(const Words& words);

// supervise CPU_SECONDS ADDRESS_SPACE PROCESSES OPEN_FILES FILE_BYTES STACK_BYTES -- program...
[[noreturn]] void supervise(const Words& words);

// Kills the calling process at system calls that only an attack makes, and refuses some others.
// Stays in force for everything that it starts.
void install_filter();

}  // namespace trex::sandbox
