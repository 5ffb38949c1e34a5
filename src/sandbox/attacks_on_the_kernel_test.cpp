// Programs that try to escape through system calls, signals and descriptors.
#include <gmock/gmock.h>

#include "sandbox/attack_support.h"

namespace trex::sandbox {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

struct KernelAttack {
  const char* name;
  const char* code;  // makes the attack; `libc` and `out` are at hand
};

const KernelAttack kAttacks[] = {
    {"NewUserNamespace", "libc.unshare(0x10000000)"},
    {"NewNetworkNamespaceByClone", "libc.syscall(56, 0x40000000 | 17, 0, 0, 0, 0)"},
    {"EnterANamespace", "libc.setns(os.open('/proc/self/ns/net', 0), 0)"},
    {"Mount", "libc.mount(b'x', b'/tmp', b'tmpfs', 0, None)"},
    {"Unmount", "libc.umount2(b'/tmp', 2)"},
    {"ChangeRoot", "os.chroot('/tmp')"},
    {"Trace", "libc.ptrace(0, 0, 0, 0)"},
    {"ReadAnotherProcess", "libc.syscall(310, os.getppid(), 0, 0, 0, 0, 0)"},
    {"LoadBpf", "libc.syscall(321, 0, 0, 0)"},
    {"RawSocket", "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)"},
    {"RawSocketV6", "socket.socket(socket.AF_INET6, socket.SOCK_RAW, 58)"},
    {"PacketSocket", "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)"},
    {"SetTheClock", "time.clock_settime(time.CLOCK_REALTIME, 0)"},
    {"Keyring", "libc.syscall(250, 0, 0)"},
    {"UserFault", "libc.syscall(323, 0)"},
    {"OpenByHandle", "libc.syscall(304, 0, 0, 0)"},
    {"Reboot", "libc.syscall(169, 0, 0, 0, 0)"},
};

class KernelAttacks : public testing::TestWithParam<KernelAttack> {};

TEST_P(KernelAttacks, IsAViolation) {
  const std::string before =
      "import ctypes, os, socket, time\nlibc = ctypes.CDLL(None, use_errno=True)\nos.write(3, "
      "b'before')\n";
  const auto execution = run_python(before + GetParam().code + "\nos.write(3, b' after')\n");
  EXPECT_EQ(execution.ending, Ending::Violation) << to_string(execution.ending) << execution.errors;
  EXPECT_EQ(execution.report, "before");  // it came to the call and not past it
}

INSTANTIATE_TEST_SUITE_P(All, KernelAttacks, testing::ValuesIn(kAttacks),
                         [](const auto& attack) { return std::string(attack.param.name); });

TEST(KernelAttack, CallsThatLibrariesTryAreRefusedWithAnError) {
  const auto execution = run_python(R"(
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for number in (298, 425, 435):  # perf_event_open, io_uring_setup, clone3
    print(libc.syscall(number, 0, 0, 0, 0, 0), ctypes.get_errno())
)");
  EXPECT_EQ(execution.output, "-1 1\n-1 1\n-1 38\n") << execution.errors;
}

TEST(KernelAttack, ADaemonDoesNotSurvive) {
  const std::string marker = unique_marker("daemon");
  const auto execution = run({.arguments = {kPython, "-sPB", "-c", R"(
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(3, b'daemon')
        time.sleep(60)
    os._exit(0)
os.wait()
while not os.path.getsize('/proc/self/fd/3'): time.sleep(0.01)
)",
                                            marker}});
  EXPECT_EQ(execution.ending, Ending::Exited) << execution.errors;
  EXPECT_EQ(execution.report, "daemon");
  EXPECT_EQ(count_processes(marker), 0);  // at once: process 1's end waits for all the others
}

TEST(KernelAttack, SignalsToTheParentAndToEverybodyReachNobodyElse) {
  const std::string marker = unique_marker("victim");
  // Somebody outside with the same user id as the program's, when we are root.
  const auto execution = run({.arguments = {kPython, "-sPB", "-c", R"(
import os, signal
print(os.getppid())
os.kill(os.getppid(), signal.SIGKILL)
os.kill(os.getppid(), signal.SIGTERM)
try: os.kill(-1, signal.SIGKILL)
except ProcessLookupError: print('nobody')
print('alive', flush=True)
)",
                                            marker}});
  EXPECT_EQ(execution.ending, Ending::Exited);
  EXPECT_EQ(execution.output, "1\nnobody\nalive\n") << execution.errors;
}

TEST(KernelAttack, OnlyItsOwnDescriptorsAreOpen) {
  const auto execution =
      run_python("import os; print(sorted(int(n) for n in os.listdir('/proc/self/fd'))[:-1])");
  EXPECT_EQ(execution.output, "[0, 1, 2, 3, 4]\n");
}

TEST(KernelAttack, ClosingItsOutputDoesNotHideAProgramFromItsLimit) {
  const std::string marker = unique_marker("hidden");
  const auto execution = run({.arguments = {kPython, "-sPB", "-c", R"(
import os, time
for descriptor in range(5): os.close(descriptor)
time.sleep(60)
)",
                                            marker}},
                             {.wall = milliseconds(700)});
  EXPECT_EQ(execution.ending, Ending::WallLimit);
  EXPECT_LT(execution.wall_seconds, 30);
  EXPECT_TRUE(nothing_left_of(marker));
}

TEST(KernelAttack, AnExitWithoutAResultIsJustAnExit) {
  const auto execution =
      run_python("import os; print('{\"status\": \"success\"}', flush=True); os._exit(0)");
  EXPECT_EQ(execution.ending, Ending::Exited);
  EXPECT_EQ(execution.report, "");
}

}  // namespace
}  // namespace trex::sandbox
