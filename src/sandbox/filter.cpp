// The filter of system calls. Namespaces already keep a program in; this takes away the kernel
// interfaces that break-outs are made of. Killing (rather than refusing) makes an attempt visible
// in the verdict. Calls that honest libraries try and can do without are refused instead.
#include <sched.h>
#include <seccomp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "sandbox/launcher.h"

namespace trex::sandbox {
namespace {

constexpr int kKilled[] = {SCMP_SYS(mount),
                           SCMP_SYS(umount2),
                           SCMP_SYS(pivot_root),
                           SCMP_SYS(chroot),
                           SCMP_SYS(move_mount),
                           SCMP_SYS(open_tree),
                           SCMP_SYS(fsopen),
                           SCMP_SYS(fsmount),
                           SCMP_SYS(fsconfig),
                           SCMP_SYS(fspick),
                           SCMP_SYS(mount_setattr),
                           SCMP_SYS(unshare),
                           SCMP_SYS(setns),
                           SCMP_SYS(ptrace),
                           SCMP_SYS(process_vm_readv),
                           SCMP_SYS(process_vm_writev),
                           SCMP_SYS(bpf),
                           SCMP_SYS(add_key),
                           SCMP_SYS(request_key),
                           SCMP_SYS(keyctl),
                           SCMP_SYS(init_module),
                           SCMP_SYS(finit_module),
                           SCMP_SYS(delete_module),
                           SCMP_SYS(kexec_load),
                           SCMP_SYS(kexec_file_load),
                           SCMP_SYS(reboot),
                           SCMP_SYS(userfaultfd),
                           SCMP_SYS(clock_settime),
                           SCMP_SYS(settimeofday),
                           SCMP_SYS(clock_adjtime),
                           SCMP_SYS(adjtimex),
                           SCMP_SYS(swapon),
                           SCMP_SYS(swapoff),
                           SCMP_SYS(acct),
                           SCMP_SYS(iopl),
                           SCMP_SYS(ioperm),
                           SCMP_SYS(open_by_handle_at),
                           SCMP_SYS(quotactl),
                           SCMP_SYS(sethostname),
                           SCMP_SYS(setdomainname)};

constexpr int kRefused[] = {SCMP_SYS(perf_event_open), SCMP_SYS(io_uring_setup),
                            SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register)};

class Filter {
 public:
  Filter() : context_(::seccomp_init(SCMP_ACT_ALLOW)) {
    if (context_ == nullptr) give_up("a filter of system calls");
  }
  // No destructor: the process goes on to exec.

  template <class... Conditions>
  void add(uint32_t action, int call, Conditions... conditions) {
    const int error =
        ::seccomp_rule_add(context_, action, call, sizeof...(conditions), conditions...);
    if (error != 0) fail(error);
  }
  void load() {
    const int error = ::seccomp_load(context_);
    if (error != 0) fail(error);
  }

 private:
  [[noreturn]] static void fail(int error) {
    errno = -error;
    give_up("a filter of system calls");
  }
  scmp_filter_ctx context_;
};

}  // namespace

void install_filter() {
  Filter filter;
  for (const int call : kKilled) filter.add(SCMP_ACT_KILL_PROCESS, call);
  for (const int call : kRefused) filter.add(SCMP_ACT_ERRNO(EPERM), call);
  for (const unsigned long space : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET,
                                    CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP}) {
    filter.add(SCMP_ACT_KILL_PROCESS, SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, space, space));
  }
  // Its flags lie in memory, which a filter cannot read; the C library then falls back to clone.
  filter.add(SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3));
  filter.add(SCMP_ACT_KILL_PROCESS, SCMP_SYS(socket), SCMP_A0(SCMP_CMP_EQ, AF_PACKET));
  for (const int family : {AF_INET, AF_INET6}) {
    filter.add(SCMP_ACT_KILL_PROCESS, SCMP_SYS(socket),
               SCMP_A0(SCMP_CMP_EQ, static_cast<unsigned>(family)),
               SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, SOCK_RAW));
  }
  filter.load();
}

}  // namespace trex::sandbox
