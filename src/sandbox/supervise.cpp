// Inside half of trex-sandbox: process 1 of the program's PID namespace.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

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

[[noreturn]] void become_program(const Words& words) {
  const auto number = [&words](size_t i) { return std::strtoull(words[i].c_str(), nullptr, 10); };
  install_filter();
  limit(RLIMIT_CPU, number(0), /*slack=*/1);  // SIGXCPU first, which names the cause
  limit(RLIMIT_AS, number(1));
  limit(RLIMIT_NPROC, number(2));
  limit(RLIMIT_NOFILE, number(3));
  limit(RLIMIT_FSIZE, number(4));
  limit(RLIMIT_STACK, number(5));
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_MSGQUEUE, 0);
  std::vector<char*> program;
  for (size_t i = 7; i < words.size(); ++i) program.push_back(const_cast<char*>(words[i].c_str()));
  program.push_back(nullptr);
  ::close_range(kStatusChannel, ~0U, 0);
  ::execv(program[0], program.data());
  give_up("to start " + std::string(program[0]));
}

void report_ending(int status, const struct rusage& usage) {
  const double cpu = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                     static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ::dprintf(kStatusChannel, "ended %d %d %.6f %ld\n", code, signal, cpu, usage.ru_maxrss * 1024);
}

}  // namespace

void supervise(const Words& words) {
  // The program has our user id: without this it could write into our memory.
  if (::prctl(PR_SET_DUMPABLE, 0) != 0) give_up("to close our memory");
  const pid_t program = ::fork();
  if (program < 0) give_up("a process");
  if (program == 0) become_program(words);
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
