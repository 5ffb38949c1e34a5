// Outside half of trex-sandbox: everything that has to happen before the namespaces.
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "sandbox/launcher.h"

namespace trex::sandbox {
namespace {

int open_channel(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_APPEND);
  if (descriptor < 0) give_up("to open " + file);
  return descriptor;
}

// A pipe that holds the secret and nothing else, ready to be read once.
int secret_pipe(const std::string& secret) {
  int ends[2];
  if (::pipe(ends) != 0) give_up("a pipe");
  const ssize_t written = ::write(ends[1], secret.data(), secret.size());
  if (written != static_cast<ssize_t>(secret.size())) give_up("a secret that fits a pipe");
  ::close(ends[1]);
  return ends[0];
}

void place_channels(int report, int secret, int status) {
  // First out of the way of each other's places.
  const int high[] = {::fcntl(report, F_DUPFD, 20), ::fcntl(secret, F_DUPFD, 20),
                      ::fcntl(status, F_DUPFD, 20)};
  for (const int old : {report, secret, status}) ::close(old);
  const int places[] = {kReportChannel, kSecretChannel, kStatusChannel};
  for (int i = 0; i < 3; ++i) {
    if (::dup2(high[i], places[i]) < 0) give_up("a descriptor");
    ::close(high[i]);
  }
}

void join_cgroups(const Words& files) {
  for (const std::string& file : files) {
    const int descriptor = ::open(file.c_str(), O_WRONLY);
    if (descriptor < 0 || ::write(descriptor, "0", 1) != 1) give_up("to join " + file);
    ::close(descriptor);
  }
}

// A process limit does not bind root, so root must go before the namespaces are made.
void give_up_root() {
  if (::setgroups(0, nullptr) != 0 ||
      ::setresgid(kUnprivilegedId, kUnprivilegedId, kUnprivilegedId) != 0 ||
      ::setresuid(kUnprivilegedId, kUnprivilegedId, kUnprivilegedId) != 0) {
    give_up("to become an unprivileged user");
  }
}

void write_map(const char* file, const std::string& text) {
  const int descriptor = ::open(file, O_WRONLY);
  if (descriptor < 0 ||
      ::write(descriptor, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    give_up(std::string("a namespace's ") + file);
  }
  ::close(descriptor);
}

// Whoever we are outside, inside we are nobody; nobody else is known there.
void map_user(uid_t user, gid_t group) {
  const auto one_id = [](unsigned outside) {
    return std::to_string(kUnprivilegedId) + " " + std::to_string(outside) + " 1\n";
  };
  write_map("/proc/self/uid_map", one_id(user));
  write_map("/proc/self/setgroups", "deny\n");
  write_map("/proc/self/gid_map", one_id(group));
}

// Ends with the caller, also when that died before we asked for it.
void die_with(int parents_pipe) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up("to end with the launcher");
  pollfd parent{parents_pipe, 0, 0};
  if (::poll(&parent, 1, 0) != 0) ::_exit(125);
  ::close(parents_pipe);
}

[[noreturn]] void become_process_one(Request& request, uid_t user, gid_t group, int parents_pipe) {
  die_with(parents_pipe);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up("to forbid new privileges");
  map_user(user, group);
  ::setsid();  // no terminal to put words into
  confine(request);
  supervise(request);
}

}  // namespace

void enter(Request request) {
  const pid_t harness = ::getppid();
  const int status = open_channel(request.status_file);
  const int report = open_channel(request.report_file);
  place_channels(report, secret_pipe(request.secret), status);
  if (::geteuid() == 0) {
    join_cgroups(request.cgroups);
    // Nobody may not enter the folders above some sources (a checkout in /root).
    take_trees(request.binds);
    give_up_root();
  }
  // A change of user clears what the harness had set for its end, and makes /proc/self root's.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::prctl(PR_SET_DUMPABLE, 1) != 0) {
    give_up("to end with the harness");
  }
  if (::getppid() != harness) ::_exit(125);
  int alive[2];
  if (::pipe2(alive, O_CLOEXEC) != 0) give_up("a pipe");

  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  const auto inside =
      static_cast<pid_t>(::syscall(SYS_clone,
                                   CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                                       CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP | SIGCHLD,
                                   nullptr, nullptr, nullptr, nullptr));
  if (inside < 0) give_up("new namespaces");
  if (inside == 0) {
    ::close(alive[1]);
    become_process_one(request, user, group, alive[0]);
  }
  ::prctl(PR_SET_DUMPABLE, 0);
  int ending = 0;
  while (::waitpid(inside, &ending, 0) < 0) {
    if (errno != EINTR) give_up("to wait for process 1");
  }
  ::_exit(WIFEXITED(ending) ? WEXITSTATUS(ending) : 125);
}

}  // namespace trex::sandbox
