// Outside half of trex-sandbox: everything that has to happen before bubblewrap.
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "sandbox/launcher.h"

namespace trex::sandbox {
namespace {

struct Bind {
  std::string source, target;
};

struct Request {
  std::string status_file, report_file, secret, folder_bytes;
  std::vector<Bind> binds;
  std::vector<std::pair<std::string, std::string>> environment;
  Words cgroups;
  Words inside;  // what supervise gets
};

Request parse(const Words& words) {
  if (words.size() < 5) give_up("a request from trex");
  Request request{words[0], words[1], words[2], words[3], {}, {}, {}, {}};
  size_t i = 4;
  for (; i < words.size() && words[i] != "--"; i += words[i] == "cgroup" ? 2 : 3) {
    if (words[i] == "mount") request.binds.push_back({words[i + 1], words[i + 2]});
    if (words[i] == "env") request.environment.emplace_back(words[i + 1], words[i + 2]);
    if (words[i] == "cgroup") request.cgroups.push_back(words[i + 1]);
  }
  request.inside.assign(words.begin() + static_cast<std::ptrdiff_t>(i + 1), words.end());
  return request;
}

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

std::string own_path() {
  char path[4096];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0 || length == sizeof path) give_up("to find this program");
  return {path, static_cast<size_t>(length)};
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

// Makes the sources visible to a user who may not enter the folders above them (a checkout in
// /root): in a mount namespace of our own, each is attached anew below /mnt.
void stage_as_root(std::vector<Bind>& binds) {
  if (::unshare(CLONE_NEWNS) != 0) give_up("a mount namespace for root");
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) give_up("private mounts");
  std::vector<int> trees;
  for (const Bind& bind : binds) {
    trees.push_back(
        ::open_tree(AT_FDCWD, bind.source.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
    if (trees.back() < 0) give_up("to attach " + bind.source);
  }
  // Only now, as a source may itself lie below /mnt.
  if (::mount("tmpfs", "/mnt", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") != 0) {
    give_up("a place for mounts");
  }
  for (size_t i = 0; i < binds.size(); ++i) {
    struct stat source {};
    if (::fstatat(trees[i], "", &source, AT_EMPTY_PATH) != 0) give_up("to see " + binds[i].source);
    const std::string place = "/mnt/" + std::to_string(i);
    if (S_ISDIR(source.st_mode)) {
      ::mkdir(place.c_str(), 0755);
    } else {
      ::close(::open(place.c_str(), O_CREAT | O_WRONLY, 0644));
    }
    if (::move_mount(trees[i], "", AT_FDCWD, place.c_str(), MOVE_MOUNT_F_EMPTY_PATH) != 0) {
      give_up("to attach " + binds[i].source);
    }
    ::close(trees[i]);
    binds[i].source = place;
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

void append(Words& words, std::initializer_list<const char*> more) {
  words.insert(words.end(), more.begin(), more.end());
}

// The whole policy of what a program sees.
Words bubblewrap_words(const Request& request) {
  const std::string id = std::to_string(kUnprivilegedId);
  Words words{"bwrap"};
  append(words,
         {"--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
          "--unshare-cgroup-try", "--hostname", "sandbox", "--uid", id.c_str(), "--gid", id.c_str(),
          "--die-with-parent", "--new-session", "--as-pid-1", "--clearenv"});
  append(words,
         {"--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib",
          "/lib", "--symlink", "usr/lib64", "/lib64", "--ro-bind-try", "/etc/alternatives",
          "/etc/alternatives", "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"});
  append(words, {"--proc", "/proc", "--dev", "/dev", "--perms", "0700", "--size",
                 request.folder_bytes.c_str(), "--tmpfs", "/tmp", "--dir", "/tmp/work"});
  for (const Bind& bind : request.binds) {
    append(words, {"--ro-bind", bind.source.c_str(), bind.target.c_str()});
  }
  // bubblewrap's root and /dev are memory file systems without a size: nothing may grow there.
  append(words, {"--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp/work"});
  for (const auto& [name, value] : request.environment) {
    append(words, {"--setenv", name.c_str(), value.c_str()});
  }
  append(words, {"--", kInsideLauncher, "supervise"});
  words.insert(words.end(), request.inside.begin(), request.inside.end());
  return words;
}

}  // namespace

void enter(const Words& words) {
  Request request = parse(words);
  const int status = open_channel(request.status_file);
  const int report = open_channel(request.report_file);
  place_channels(report, secret_pipe(request.secret), status);
  request.binds.push_back({own_path(), kInsideLauncher});
  if (::geteuid() == 0) {
    join_cgroups(request.cgroups);
    stage_as_root(request.binds);
    give_up_root();
  }
  const Words command = bubblewrap_words(request);
  std::vector<char*> pointers;
  for (const std::string& word : command) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  ::execvp("bwrap", pointers.data());
  give_up("bwrap in PATH");
}

}  // namespace trex::sandbox
