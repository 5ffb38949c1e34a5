// Running programs that nobody has read: model-written code, candidate kernels.
//
// A program runs in namespaces of its own (user, mount, PID, network, IPC, UTS) as an unprivileged
// user, with read-only system folders, its own small work folder, no network, an empty environment,
// resource limits and a filter of system calls. README.md names the layers.
//
//   Program program{.arguments = {kPython, "-sPB", "main.py"}, .files = {{"main.py", source}}};
//   const Execution execution = run(program, {.wall = 5s});
//   if (execution.ending == Ending::Exited && execution.exit_code == 0) ...
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"

namespace trex::sandbox {

// Debian's interpreter; the only one that a sandbox sees.
inline constexpr const char* kPython = "/usr/bin/python3";

// Where a program starts and finds its files. It may write here and in /tmp, nowhere else.
inline constexpr const char* kWorkFolder = "/tmp/work";

// Descriptors of a program besides the standard three. What is written to the first comes back as
// Execution::report; the second gives Program::secret, once.
inline constexpr int kReportDescriptor = 3;
inline constexpr int kSecretDescriptor = 4;

struct InputFile {
  std::string name;  // in the work folder, without a slash; read-only there
  std::string bytes;
};

// A file or folder of this machine that the program sees at `target` (absolute), read-only.
struct Mount {
  Path source;
  std::string target;
};

struct Program {
  std::vector<std::string> arguments;  // [0] is an absolute path inside the sandbox
  std::vector<InputFile> files;
  std::vector<Mount> mounts;
  // Besides PATH, HOME, LANG, one BLAS thread and the constant hash seed.
  std::vector<std::pair<std::string, std::string>> environment;
  std::string secret;
};

struct Limits {
  std::chrono::milliseconds wall{60'000};
  std::chrono::seconds cpu{70};                    // of one process
  int64_t address_space_bytes = int64_t{4} << 30;  // of one process
  int64_t memory_bytes = int64_t{2} << 30;         // of all together; see can_limit_memory
  int64_t processes = 64;                          // and threads
  int64_t open_files = 128;
  int64_t file_bytes = int64_t{16} << 20;    // of one file
  int64_t folder_bytes = int64_t{64} << 20;  // of work folder and /tmp together
  int64_t stack_bytes = int64_t{64} << 20;
  size_t output_bytes = size_t{1} << 20;  // of each stream
};

// How a program ended; each is an answer, not an error.
enum class Ending {
  Exited,     // by itself: exit_code
  Signalled,  // by a signal: signal
  WallLimit,  // killed when its time was up
  CpuLimit,
  MemoryLimit,  // killed by the kernel for the memory of all its processes
  OutputLimit,  // killed when it had written too much
  Violation,    // killed for a system call that no honest program makes
};

std::string_view to_string(Ending ending);

struct Execution {
  Ending ending = Ending::Exited;
  int exit_code = 0;           // only for Exited
  int signal = 0;              // only for Signalled
  std::string output, errors;  // the first Limits::output_bytes of each
  std::string report;          // what came through kReportDescriptor; untrusted like the rest
  double wall_seconds = 0;     // with the sandbox's own start and end
  double cpu_seconds =
      0;  // of the program and those children that it waited for; 0 if killed by us
  int64_t peak_memory_bytes = 0;
  bool memory_limited_together = false;  // as can_limit_memory says
};

// Runs to the end; nothing of the program is left afterwards: no process, no file. Throws
// Environment when the sandbox cannot be made (user namespaces forbidden, ...), saying what to do;
// never runs a program unconfined. Safe from several threads; run no more at once than there are
// cores, or wall limits lose their meaning.
Execution run(const Program& program, const Limits& limits = {});

// Whether Limits::memory_bytes is enforced here: true for root with writable memory cgroups.
// Otherwise each process still has its address space limited.
bool can_limit_memory();

// A file that was built with this program ("bin/trex-sandbox", "python"): looked for from the
// running executable's folder upwards. Throws Environment when it is not there.
Path built_file(const Path& relative);

}  // namespace trex::sandbox
