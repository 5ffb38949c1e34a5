#include "sandbox/sandbox.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>

#include "base/check.h"
#include "base/error.h"
#include "base/process.h"
#include "base/text.h"
#include "sandbox/cgroup.h"

namespace trex::sandbox {
namespace {

static_assert(sizeof(long) == 8, "limits are passed as 64-bit numbers");

// What the supervisor wrote to the status channel.
struct Status {
  bool started = false, ended = false;
  int exit_code = 0, signal = 0;
  double cpu_seconds = 0;
  int64_t peak_memory_bytes = 0;
};

Status parse_status(const std::string& text) {
  Status status;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "started") status.started = true;
    if (word == "ended") {
      words >> status.exit_code >> status.signal >> status.cpu_seconds >> status.peak_memory_bytes;
      status.ended = !words.fail();
    }
  }
  return status;
}

// The files of one run on our side.
class RunFolder {
 public:
  explicit RunFolder(const Program& program) {
    write(status(), "");
    write(report(), "");
    for (const InputFile& file : program.files) {
      TREX_CHECK(!file.name.empty() && file.name.find('/') == std::string::npos, "\"{}\"",
                 file.name);
      write(input(file), file.bytes);
      // Whatever our umask: the program is another user.
      ::chmod(input(file).c_str(), 0644);
    }
  }

  Path status() const { return folder_.path() / "status"; }
  Path report() const { return folder_.path() / "report"; }
  Path input(const InputFile& file) const { return folder_.path() / ("input-" + file.name); }

 private:
  // Not write_file: these bytes need not outlive a power cut, and waiting for the disk would cost
  // more than all the rest of a run.
  static void write(const Path& path, const std::string& bytes) {
    std::ofstream out(path, std::ios::binary);
    out << bytes;
    out.close();
    if (!out) throw system_error(path.string(), "to write a file", errno);
  }

  TemporaryFolder folder_;
};

constexpr const char* kEnvironment[] = {"PATH=/usr/bin:/bin", "HOME=/tmp",
                                        "LANG=C.UTF-8",       "OPENBLAS_NUM_THREADS=1",
                                        "OMP_NUM_THREADS=1",  "PYTHONHASHSEED=0"};

std::vector<std::string> launcher_words(const Program& program, const Limits& limits,
                                        const RunFolder& folder, const RunGroups& groups) {
  std::vector<std::string> words{built_file("bin/trex-sandbox").string(), folder.status().string(),
                                 folder.report().string(), program.secret,
                                 std::to_string(limits.folder_bytes)};
  const auto add = [&words](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  for (const Mount& mount : program.mounts) {
    add({"mount", std::filesystem::canonical(mount.source).string(), mount.target});
  }
  for (const InputFile& file : program.files) {
    add({"mount", folder.input(file).string(), std::string(kWorkFolder) + "/" + file.name});
  }
  for (const char* variable : kEnvironment) add({"env", variable});
  for (const auto& [name, value] : program.environment) add({"env", name + "=" + value});
  for (const Path& file : groups.join_files()) add({"cgroup", file.string()});
  words.emplace_back("--");
  for (const int64_t limit :
       {static_cast<int64_t>(limits.cpu.count()), limits.address_space_bytes, limits.processes,
        limits.open_files, limits.file_bytes, limits.stack_bytes}) {
    words.push_back(std::to_string(limit));
  }
  words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  return words;
}

// The launcher failed before the program ran.
Error cannot_sandbox(const std::string& errors) {
  const std::string first(trimmed(split(errors, '\n').front()));
  const auto mentions = [&errors](std::string_view words) {
    return errors.find(words) != std::string::npos;
  };
  std::string hint;
  if (mentions("namespace") || mentions("to mount")) {
    hint =
        "user namespaces must be allowed: sysctl kernel.unprivileged_userns_clone=1 and "
        "user.max_user_namespaces above 0; a container needs --security-opt seccomp=unconfined "
        "--security-opt apparmor=unconfined --security-opt systempaths=unconfined";
  }
  return environment_error("sandbox", "namespaces that confine a program", in_quotes(first, 200),
                           hint);
}

Ending ending_of(const Status& status, const Limits& limits) {
  if (status.signal == SIGSYS) return Ending::Violation;
  const bool cpu_used_up = status.cpu_seconds >= 0.95 * static_cast<double>(limits.cpu.count());
  if (status.signal == SIGXCPU || (status.signal == SIGKILL && cpu_used_up))
    return Ending::CpuLimit;
  return status.signal != 0 ? Ending::Signalled : Ending::Exited;
}

}  // namespace

std::string_view to_string(Ending ending) {
  switch (ending) {
    case Ending::Exited:
      return "exited";
    case Ending::Signalled:
      return "signalled";
    case Ending::WallLimit:
      return "wall limit";
    case Ending::CpuLimit:
      return "CPU limit";
    case Ending::MemoryLimit:
      return "memory limit";
    case Ending::OutputLimit:
      return "output limit";
    case Ending::Violation:
      return "violation";
  }
  return "";
}

Execution run(const Program& program, const Limits& limits) {
  const RunFolder folder(program);
  const RunGroups groups(limits.memory_bytes, limits.processes + 2);  // both halves of the launcher
  ProcessResult process = run_process({.arguments = launcher_words(program, limits, folder, groups),
                                       .time_limit = limits.wall,
                                       .output_limit = limits.output_bytes});
  const Status status = parse_status(read_file(folder.status()));
  Execution execution{.exit_code = status.exit_code,
                      .signal = status.signal,
                      .output = std::move(process.output),
                      .errors = std::move(process.errors),
                      .report = read_file(folder.report()),
                      .wall_seconds = process.wall_seconds,
                      .cpu_seconds = status.cpu_seconds,
                      .peak_memory_bytes = status.peak_memory_bytes,
                      .memory_limited_together = groups.limits_memory()};
  if (process.timed_out) {
    execution.ending = Ending::WallLimit;
  } else if (process.output_cut) {
    execution.ending = Ending::OutputLimit;
  } else if (groups.ran_out_of_memory()) {
    execution.ending = Ending::MemoryLimit;
  } else if (!status.started || !status.ended) {
    throw cannot_sandbox(execution.errors);
  } else {
    execution.ending = ending_of(status, limits);
  }
  return execution;
}

bool can_limit_memory() { return RunGroups(int64_t{1} << 30, 64).limits_memory(); }

Path built_file(const Path& relative) {
  const Path start = program_folder();
  for (Path folder = start; folder.has_relative_path(); folder = folder.parent_path()) {
    if (std::filesystem::exists(folder / relative)) return folder / relative;
  }
  throw environment_error((start.parent_path() / relative).string(), "a part of trex",
                          "nothing there", "build it: cmake --build --preset release");
}

}  // namespace trex::sandbox
