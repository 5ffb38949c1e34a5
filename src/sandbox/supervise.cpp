// Inside half of trex-sandbox: process 1 of the program's PID namespace.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "sandbox/launcher.h"

namespace trex::sandbox {
namespace {

// Never above the limit that we live under ourselves: setting it would fail.
void limit(__rlimit_resource resource, rlim_t value, rlim_t slack = 0) {
  struct rlimit old {};
  ::getrlimit(resource, &old);
  const struct rlimit wanted {
    std::min(value, old.rlim_max), std::min(value + slack, old.rlim_max)
  };
  if (::setrlimit(resource, &wanted) != 0) give_up("to set a resource limit");
}

std::vector<char*> pointers_to(const Words& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

[[noreturn]] void become_program(const Request& request) {
  install_filter();
  const ProgramLimits& limits = request.limits;
  limit(RLIMIT_CPU, limits.cpu_seconds, /*slack=*/1);  // SIGXCPU first, which names the cause
  limit(RLIMIT_AS, limits.address_space_bytes);
  limit(RLIMIT_NPROC, limits.processes);
  limit(RLIMIT_NOFILE, limits.open_files);
  limit(RLIMIT_FSIZE, limits.file_bytes);
  limit(RLIMIT_STACK, limits.stack_bytes);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_MSGQUEUE, 0);
  const auto program = pointers_to(request.program), environment = pointers_to(request.environment);
  ::close_range(kStatusChannel, ~0U, 0);
  ::execve(program[0], program.data(), environment.data());
  give_up("to start " + request.program[0]);
}

void report_ending(int status, const struct rusage& usage) {
  const double cpu = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                     static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ::dprintf(kStatusChannel, "ended %d %d %.6f %ld\n", code, signal, cpu, usage.ru_maxrss * 1024);
}

}  // namespace

void supervise(const Request& request) {
  // The program has our user id: without this it could write into our memory.
  if (::prctl(PR_SET_DUMPABLE, 0) != 0) give_up("to close our memory");
  const pid_t program = ::fork();
  if (program < 0) give_up("a process");
  if (program == 0) become_program(request);
  ::close(kReportChannel);
  ::close(kSecretChannel);
  ::dprintf(kStatusChannel, "started\n");
  while (true) {
    int status = 0;
    struct rusage usage {};
    const pid_t ended = ::wait4(-1, &status, 0, &usage);
    if (ended < 0 && errno != EINTR) give_up("to wait for the program");
    if (ended != program) continue;  // an orphan that the program left to us
    report_ending(status, usage);
    ::_exit(0);  // with process 1, the kernel ends every process of the namespace
  }
}

}  // namespace trex::sandbox
