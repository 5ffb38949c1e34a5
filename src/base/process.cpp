#include "base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/clock.h"
#include "base/error.h"

namespace trex {
namespace {

class Pipe {
 public:
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error("pipe", "a pipe", errno);
    read_ = ends[0];
    write_ = ends[1];
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int read_end() const { return read_; }
  int write_end() const { return write_; }
  void close_read() {
    if (read_ >= 0) ::close(std::exchange(read_, -1));
  }
  void close_write() {
    if (write_ >= 0) ::close(std::exchange(write_, -1));
  }

 private:
  int read_ = -1, write_ = -1;
};

// Only calls that are safe between fork and exec in a program with threads.
[[noreturn]] void become(const char* const* arguments, const char* folder, bool captured,
                         const Pipe& in, const Pipe& out, const Pipe& err, const Pipe& failure) {
  // If we are killed, nobody is left to enforce the limits. A child that shares our terminal stays
  // in our group, so that Ctrl-C reaches it, and may clean up.
  if (captured) ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, captured ? SIGKILL : SIGTERM);
  ::signal(SIGPIPE, SIG_DFL);
  ::dup2(in.read_end(), STDIN_FILENO);
  if (captured) {
    ::dup2(out.write_end(), STDOUT_FILENO);
    ::dup2(err.write_end(), STDERR_FILENO);
  }
  if (folder == nullptr || ::chdir(folder) == 0) {
    ::execvp(arguments[0], const_cast<char* const*>(arguments));
  }
  const int error = errno;
  const ssize_t ignored = ::write(failure.write_end(), &error, sizeof error);
  (void)ignored;
  ::_exit(127);
}

// Reads what is there into `text`, keeping at most `limit` bytes. False at end of file.
bool drain(int descriptor, std::string& text, size_t limit, bool& cut) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (got == 0) return false;
  const size_t room = limit - text.size();
  if (static_cast<size_t>(got) > room) cut = true;
  text.append(buffer.data(), std::min(room, static_cast<size_t>(got)));
  return true;
}

// Feeds input and collects output until all pipes are closed or a limit is passed.
void converse(const ProcessRequest& request, Pipe& in, Pipe& out, Pipe& err, const Stopwatch& watch,
              ProcessResult& result) {
  std::string_view unsent = request.input;
  ::fcntl(in.write_end(), F_SETFL, O_NONBLOCK);
  bool in_open = true, out_open = !request.inherit_output, err_open = !request.inherit_output;
  if (unsent.empty()) {
    in.close_write();
    in_open = false;
  }
  while (in_open || out_open || err_open) {
    int wait_ms = -1;
    if (request.time_limit) {
      const double left = static_cast<double>(request.time_limit->count()) - watch.seconds() * 1e3;
      if (left <= 0) {
        result.timed_out = true;
        return;
      }
      wait_ms = static_cast<int>(left) + 1;
    }
    std::array<pollfd, 3> polled{{{in_open ? in.write_end() : -1, POLLOUT, 0},
                                  {out_open ? out.read_end() : -1, POLLIN, 0},
                                  {err_open ? err.read_end() : -1, POLLIN, 0}}};
    if (::poll(polled.data(), polled.size(), wait_ms) < 0 && errno != EINTR) {
      throw system_error(request.arguments[0], "to hear from the child", errno);
    }
    if (polled[0].revents != 0) {
      const ssize_t sent = ::write(in.write_end(), unsent.data(), unsent.size());
      if (sent > 0) unsent.remove_prefix(static_cast<size_t>(sent));
      const bool reader_left = sent < 0 && errno != EAGAIN && errno != EINTR;
      if (unsent.empty() || reader_left) {
        in.close_write();
        in_open = false;
      }
    }
    if (polled[1].revents != 0) {
      out_open = drain(out.read_end(), result.output, request.output_limit, result.output_cut);
    }
    if (polled[2].revents != 0) {
      err_open = drain(err.read_end(), result.errors, request.output_limit, result.output_cut);
    }
    if (result.output_cut) return;
  }
}

// Kills the group and reaps the child if the caller leaves early.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    if (pid_ <= 0) return;
    kill_group();
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill_group() const {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);  // before its setpgid the group does not exist
  }

  // Waits until it ends or the limit passes, then fills in status and usage.
  void reap(const ProcessRequest& request, const Stopwatch& watch, ProcessResult& result) {
    int status = 0;
    struct rusage usage {};
    while (true) {
      const bool limited = request.time_limit && !result.timed_out && !result.output_cut;
      const pid_t ended = ::wait4(pid_, &status, limited ? WNOHANG : 0, &usage);
      if (ended == pid_) break;
      if (ended < 0 && errno != EINTR) throw system_error("wait4", "to reap a child", errno);
      if (!limited) continue;
      if (watch.seconds() * 1e3 >= static_cast<double>(request.time_limit->count())) {
        result.timed_out = true;
        kill_group();
        continue;
      }
      ::poll(nullptr, 0, 1);
    }
    ::kill(-pid_, SIGKILL);  // grandchildren that outlived it
    pid_ = -1;
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    result.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    result.peak_memory_bytes = usage.ru_maxrss * 1024;
  }

 private:
  pid_t pid_;
};

}  // namespace

ProcessResult run_process(const ProcessRequest& request) {
  const SystemClock clock;
  const Stopwatch watch(clock);
  std::vector<const char*> arguments;
  for (const std::string& argument : request.arguments) arguments.push_back(argument.c_str());
  arguments.push_back(nullptr);

  // A child that leaves its input unread must not end us.
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, nullptr);

  Pipe in, out, err, failure;
  const pid_t pid = ::fork();
  if (pid < 0) throw system_error(request.arguments[0], "a new process", errno);
  if (pid == 0) {
    become(arguments.data(), request.folder ? request.folder->c_str() : nullptr,
           !request.inherit_output, in, out, err, failure);
  }
  Child child(pid);
  in.close_read();
  out.close_write();
  err.close_write();
  failure.close_write();
  int start_error = 0;
  if (::read(failure.read_end(), &start_error, sizeof start_error) == sizeof start_error) {
    throw system_error(request.arguments[0], "a program that can be started", start_error);
  }

  ProcessResult result;
  converse(request, in, out, err, watch, result);
  if (result.timed_out || result.output_cut) child.kill_group();
  child.reap(request, watch, result);
  result.wall_seconds = watch.seconds();
  return result;
}

Path program_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

}  // namespace trex
