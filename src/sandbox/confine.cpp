// What a program sees: a root of our own making with system folders, devices and the request's
// files, all read-only, and a sized /tmp.
#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sandbox/launcher.h"

namespace trex::sandbox {
namespace {

const Bind kSystem[] = {
    {"/usr", "/usr"},
    {"/etc/alternatives", "/etc/alternatives", BindKind::FilesIfThere},  // Debian's BLAS
    {"/etc/ld.so.cache", "/etc/ld.so.cache", BindKind::FilesIfThere},
    {"/dev/null", "/dev/null", BindKind::Device},
    {"/dev/zero", "/dev/zero", BindKind::Device},
    {"/dev/full", "/dev/full", BindKind::Device},
    {"/dev/random", "/dev/random", BindKind::Device},
    {"/dev/urandom", "/dev/urandom", BindKind::Device},
};

constexpr const char* kLinks[][2] = {
    {"usr/bin", "bin"},
    {"usr/lib", "lib"},
    {"usr/lib64", "lib64"},
    {"/proc/self/fd", "dev/fd"},
    {"/proc/self/fd/0", "dev/stdin"},
    {"/proc/self/fd/1", "dev/stdout"},
    {"/proc/self/fd/2", "dev/stderr"},
};

int detached_copy(const Bind& bind) {
  const int tree = ::open_tree(AT_FDCWD, bind.source.c_str(),
                               OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
  if (tree < 0 && errno == ENOENT && bind.kind == BindKind::FilesIfThere) return -1;
  if (tree < 0) give_up("to mount a copy of " + bind.source);
  struct mount_attr attributes {};
  attributes.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID;
  if (bind.kind != BindKind::Device) attributes.attr_set |= MOUNT_ATTR_NODEV;
  attributes.propagation = MS_PRIVATE;
  if (::mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof attributes) !=
      0) {
    give_up("to mount " + bind.source + " read-only");
  }
  return tree;
}

void make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) give_up("to make " + path);
}

// An empty file or folder to mount on, with the folders above it. `place` is relative.
void make_place(const std::string& place, bool is_folder) {
  for (size_t at = place.find('/'); at != std::string::npos; at = place.find('/', at + 1)) {
    make_folder(place.substr(0, at));
  }
  if (is_folder) return make_folder(place);
  const int file = ::open(place.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0444);
  if (file >= 0) ::close(file);
  if (file < 0 && ::access(place.c_str(), F_OK) != 0) give_up("to make " + place);
}

void attach(const Bind& bind) {
  if (bind.tree < 0) return;
  struct stat source {};
  if (::fstatat(bind.tree, "", &source, AT_EMPTY_PATH) != 0) give_up("to see " + bind.source);
  const std::string place = bind.target.substr(1);
  make_place(place, S_ISDIR(source.st_mode));
  if (::move_mount(bind.tree, "", AT_FDCWD, place.c_str(), MOVE_MOUNT_F_EMPTY_PATH) != 0) {
    give_up("to mount " + bind.target);
  }
  ::close(bind.tree);
}

void mount_new(const char* type, const char* place, unsigned long flags,
               const std::string& options) {
  if (::mount(type, place, type, flags | MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
    give_up(std::string("to mount ") + type + " on " + place);
  }
}

// Below the current folder, which becomes the root.
void fill_root(const Request& request) {
  for (const char* folder : {"proc", "dev", "tmp"}) make_folder(folder);
  for (const auto& [target, link] : kLinks) {
    if (::symlink(target, link) != 0) give_up(std::string("to make ") + link);
  }
  mount_new("proc", "proc", MS_NOEXEC, "");
  mount_new("tmpfs", "tmp", 0, "mode=0700,size=" + request.folder_bytes);
  make_folder("tmp/work");
  for (const Bind& bind : request.binds) attach(bind);
}

// The current folder, a mount, becomes the root; the old one and all below it goes.
void change_root() {
  if (::syscall(SYS_pivot_root, ".", ".") != 0) give_up("to change the root");
  if (::umount2(".", MNT_DETACH) != 0) give_up("to leave the old root");
  // It is a memory file system: nothing may grow there.
  struct mount_attr attributes {};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  if (::mount_setattr(AT_FDCWD, "/", 0, &attributes, sizeof attributes) != 0) {
    give_up("to close the root");
  }
  if (::chdir("/tmp/work") != 0) give_up("the work folder");
}

// Programs find 127.0.0.1, with nobody there.
void start_loopback() {
  const int any = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct ifreq loopback {};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP | IFF_RUNNING;
  if (any < 0 || ::ioctl(any, SIOCSIFFLAGS, &loopback) != 0) give_up("a loopback interface");
  ::close(any);
}

void drop_capabilities() {
  for (int capability = 0; ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0; ++capability) {
  }
  if (errno != EINVAL) give_up("to drop a capability");  // otherwise it was past the last one
  struct __user_cap_header_struct header {
    _LINUX_CAPABILITY_VERSION_3, 0
  };
  struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] {};
  if (::syscall(SYS_capset, &header, none) != 0) give_up("to drop all capabilities");
}

}  // namespace

void take_trees(std::vector<Bind>& binds) {
  binds.insert(binds.begin(), std::begin(kSystem), std::end(kSystem));
  for (Bind& bind : binds) bind.tree = detached_copy(bind);
}

void confine(Request& request) {
  ::umask(022);
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) give_up("private mounts");
  const bool have_trees = !request.binds.empty() && request.binds[0].tree >= 0;
  if (!have_trees) take_trees(request.binds);
  // Only now, as a source may itself lie below /tmp.
  mount_new("tmpfs", "/tmp", 0, "mode=0755,size=1m");
  if (::chdir("/tmp") != 0) give_up("a place for the root");
  fill_root(request);
  change_root();
  if (::sethostname("sandbox", 7) != 0) give_up("a name for the machine");
  start_loopback();
  drop_capabilities();
}

}  // namespace trex::sandbox
