#include "sandbox/cgroup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <sstream>

#include "base/text.h"

namespace trex::sandbox {
namespace {

const Path kRoot = "/sys/fs/cgroup";

bool write_value(const Path& file, int64_t value) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const std::string text = std::to_string(value);
  const bool written =
      ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(descriptor);
  return written;
}

std::string read_text(const Path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Our own group in a version 1 hierarchy, so that limits above us stay in force; its root when the
// path that the kernel tells is not the one we see (a container).
Path own_group(const std::string& controller) {
  const Path root = kRoot / controller;
  for (const std::string& line : split(read_text("/proc/self/cgroup"), '\n')) {
    const auto parts = split(line, ':');
    if (parts.size() == 3 && parts[1] == controller && parts[2].size() > 1) {
      const Path own = root / parts[2].substr(1);
      if (std::filesystem::exists(own)) return own;
    }
  }
  return root;
}

// A new group below `parent` with the limit written into `file`; empty when that is not allowed.
Path make_group(const Path& parent, const std::string& name, const char* file, int64_t limit) {
  const Path folder = parent / name;
  if (::mkdir(folder.c_str(), 0755) != 0) return {};
  if (write_value(folder / file, limit)) return folder;
  ::rmdir(folder.c_str());
  return {};
}

// Groups of ours whose process is gone: it was killed between a run's start and end. One with
// processes in it stays.
void remove_orphans(const Path& parent) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(parent, ignored)) {
    const auto parts = split(entry.path().filename().string(), '-');
    if (parts.size() != 3 || parts[0] != "trex") continue;
    const bool is_alive = std::filesystem::exists(Path("/proc") / parts[1], ignored);
    if (!is_alive) ::rmdir(entry.path().c_str());
  }
}

// Where groups may be made, found and tidied once.
struct Parents {
  bool is_version_2 = std::filesystem::exists(kRoot / "cgroup.controllers");
  Path memory = is_version_2 ? kRoot : own_group("memory");
  Path pids = is_version_2 ? kRoot : own_group("pids");

  Parents() {
    remove_orphans(memory);
    remove_orphans(pids);
  }
};

}  // namespace

RunGroups::RunGroups(int64_t memory_bytes, int64_t processes) {
  if (::geteuid() != 0) return;
  static const Parents parents;
  static std::atomic<int64_t> next{0};
  const std::string name = fmt::format("trex-{}-{}", ::getpid(), next++);
  if (parents.is_version_2) {
    memory_ = make_group(parents.memory, name, "memory.max", memory_bytes);
    if (memory_.empty()) return;
    write_value(memory_ / "memory.swap.max", 0);
    write_value(memory_ / "pids.max", processes);
    folders_ = {memory_};
    return;
  }
  memory_ = make_group(parents.memory, name, "memory.limit_in_bytes", memory_bytes);
  const Path pids = make_group(parents.pids, name, "pids.max", processes);
  for (const Path& folder : {memory_, pids}) {
    if (!folder.empty()) folders_.push_back(folder);
  }
}

RunGroups::~RunGroups() {
  for (const Path& folder : folders_) {
    // Killed processes take a moment to leave; a group with processes cannot be removed.
    for (int tries = 0; ::rmdir(folder.c_str()) != 0 && errno == EBUSY && tries < 2000; ++tries) {
      for (const std::string& line : split(read_text(folder / "cgroup.procs"), '\n')) {
        if (const auto pid = parse_integer(line)) ::kill(static_cast<pid_t>(*pid), SIGKILL);
      }
      ::poll(nullptr, 0, 1);
    }
  }
}

std::vector<Path> RunGroups::join_files() const {
  std::vector<Path> files;
  // "tasks" moves one thread, all that the launcher has. The kernel lets every process of the
  // machine pass a barrier before it moves a whole process, which takes milliseconds.
  const bool is_version_2 = std::filesystem::exists(kRoot / "cgroup.controllers");
  const char* file = is_version_2 ? "cgroup.procs" : "tasks";
  for (const Path& folder : folders_) files.push_back(folder / file);
  return files;
}

bool RunGroups::ran_out_of_memory() const {
  if (memory_.empty()) return false;
  for (const char* file : {"memory.oom_control", "memory.events"}) {
    for (const std::string& line : split(read_text(memory_ / file), '\n')) {
      const auto words = split(line, ' ');
      if (words.size() == 2 && words[0] == "oom_kill") return words[1] != "0";
    }
  }
  return false;
}

}  // namespace trex::sandbox
