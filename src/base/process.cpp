#include "base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/check.h"
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

// Writes without the signal that a closed reader raises: a child may leave its input unread, and a
// library must not change what SIGPIPE means for its program.
ssize_t write_quietly(int descriptor, std::string_view bytes) {
  sigset_t pipe_signal, before;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const ssize_t sent = ::write(descriptor, bytes.data(), bytes.size());
  const int error = errno;
  if (sent < 0 && error == EPIPE && sigismember(&before, SIGPIPE) == 0) {
    const timespec at_once{};
    while (::sigtimedwait(&pipe_signal, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return sent;
}

// A started child. Kills its group and reaps it if the caller leaves early.
class Child {
 public:
  explicit Child(pid_t pid)
      : pid_(pid), ending_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {
    if (ending_ < 0) {
      const int error = errno;
      abandon();
      throw system_error("pidfd_open", "to watch a child", error);
    }
  }
  ~Child() {
    if (pid_ > 0) abandon();
    if (ending_ >= 0) ::close(ending_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Readable once the child has ended; its number stays ours until reap().
  int ending() const { return ending_; }

  void kill_group() const {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);  // before its setpgid the group does not exist
  }

  // Waits for the end, then fills in status and usage.
  void reap(ProcessResult& result) {
    int status = 0;
    struct rusage usage {};
    while (::wait4(pid_, &status, 0, &usage) < 0) {
      if (errno != EINTR) throw system_error("wait4", "to reap a child", errno);
    }
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
  void abandon() const {
    kill_group();
    ::waitpid(pid_, nullptr, 0);
  }

  pid_t pid_;
  int ending_;
};

// Feeds input and collects output until the child has ended or a limit is passed. Its end is what
// counts, not that of the pipes: a grandchild may hold those open for ever.
class Conversation {
 public:
  Conversation(const ProcessRequest& request, Pipe& in, Pipe& out, Pipe& err, ProcessResult& result)
      : request_(request), in_(in), out_(out), err_(err), result_(result), unsent_(request.input) {
    for (const int end : {in_.write_end(), out_.read_end(), err_.read_end()}) {
      ::fcntl(end, F_SETFL, O_NONBLOCK);
    }
    if (unsent_.empty()) in_.close_write();
    if (request_.inherit_output) {
      out_.close_read();
      err_.close_read();
    }
  }

  void hold(const Child& child, const Stopwatch& watch) {
    while (!result_.output_cut) {
      const std::optional<int> wait_ms = time_left_ms(watch);
      if (!wait_ms) {
        result_.timed_out = true;
        return;
      }
      std::array<pollfd, 4> polled{{{in_.write_end(), POLLOUT, 0},  // closed ends are -1: ignored
                                    {out_.read_end(), POLLIN, 0},
                                    {err_.read_end(), POLLIN, 0},
                                    {child.ending(), POLLIN, 0}}};
      if (::poll(polled.data(), polled.size(), *wait_ms) < 0 && errno != EINTR) {
        throw system_error(request_.arguments[0], "to hear from the child", errno);
      }
      if (polled[0].revents != 0) feed();
      if (polled[1].revents != 0) drain(out_, result_.output);
      if (polled[2].revents != 0) drain(err_, result_.errors);
      if (polled[3].revents != 0) {
        while (drain(out_, result_.output)) {  // what it wrote before it ended is in the pipe
        }
        while (drain(err_, result_.errors)) {
        }
        return;
      }
    }
  }

 private:
  // For poll: -1 without a limit; nothing when the time is over.
  std::optional<int> time_left_ms(const Stopwatch& watch) const {
    if (!request_.time_limit) return -1;
    constexpr double kLongestWait = 1e9;
    const double left = static_cast<double>(request_.time_limit->count()) - watch.seconds() * 1e3;
    if (left <= 0) return std::nullopt;
    return static_cast<int>(std::min(left, kLongestWait)) + 1;
  }

  void feed() {
    const ssize_t sent = write_quietly(in_.write_end(), unsent_);
    if (sent > 0) unsent_.remove_prefix(static_cast<size_t>(sent));
    const bool reader_left = sent < 0 && errno != EAGAIN && errno != EINTR;
    if (unsent_.empty() || reader_left) in_.close_write();
  }

  // Takes what is there, keeping at most the limit. False when there was nothing.
  bool drain(Pipe& pipe, std::string& text) {
    if (pipe.read_end() < 0) return false;
    std::array<char, 65536> buffer;
    const ssize_t got = ::read(pipe.read_end(), buffer.data(), buffer.size());
    if (got < 0) return errno == EINTR;
    if (got == 0) {
      pipe.close_read();
      return false;
    }
    const size_t room = request_.output_limit - text.size();
    if (static_cast<size_t>(got) > room) result_.output_cut = true;
    text.append(buffer.data(), std::min(room, static_cast<size_t>(got)));
    return !result_.output_cut;
  }

  const ProcessRequest& request_;
  Pipe &in_, &out_, &err_;
  ProcessResult& result_;
  std::string_view unsent_;
};

// What exec said, if it failed: the other end of this pipe closes when it succeeds.
int error_of_start(const Pipe& failure) {
  int error = 0;
  while (true) {
    const ssize_t got = ::read(failure.read_end(), &error, sizeof error);
    if (got < 0 && errno == EINTR) continue;
    return got == sizeof error ? error : 0;
  }
}

}  // namespace

ProcessResult run_process(const ProcessRequest& request) {
  TREX_CHECK(!request.arguments.empty());
  const SystemClock clock;
  const Stopwatch watch(clock);
  std::vector<const char*> arguments;
  for (const std::string& argument : request.arguments) arguments.push_back(argument.c_str());
  arguments.push_back(nullptr);

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
  if (const int error = error_of_start(failure); error != 0) {
    throw system_error(request.arguments[0], "a program that can be started", error);
  }

  ProcessResult result;
  Conversation(request, in, out, err, result).hold(child, watch);
  child.kill_group();  // what is over a limit, and grandchildren that outlive the child
  child.reap(result);
  result.wall_seconds = watch.seconds();
  return result;
}

Path program_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

}  // namespace trex
