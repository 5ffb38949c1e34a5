// Programs that try to use up the machine.
#include <gmock/gmock.h>

#include "sandbox/attack_support.h"

namespace trex::sandbox {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

// Forks until refused and says how often it worked.
constexpr const char* kCountForks = R"(
import os, time
count, refusal = 0, None
while count < 200 and refusal is None:
    try:
        if os.fork() == 0:
            time.sleep(10)
            os._exit(0)
        count += 1
    except OSError as error:
        refusal = error.errno
print(count, refusal, flush=True)
)";

TEST(ResourceAttack, ForkBombStopsAtTheProcessLimit) {
  const auto execution = run_python(kCountForks);
  EXPECT_EQ(execution.ending, Ending::Exited);
  int forks = 0, refusal = 0;
  std::istringstream(execution.output) >> forks >> refusal;
  EXPECT_GE(forks, 40) << execution.output << execution.errors;  // it really forked
  EXPECT_LT(forks, 64);
  EXPECT_EQ(refusal, EAGAIN);
}

TEST(ResourceAttack, ForkBombThatNeverEndsLeavesNothing) {
  const std::string marker = unique_marker("bomb");
  const auto execution = run({.arguments = {kPython, "-sPB", "-c", R"(
import os
while True:
    try: os.fork()
    except OSError: os.write(3, b'x')
)",
                                            marker}},
                             {.wall = milliseconds(1500)});
  EXPECT_EQ(execution.ending, Ending::WallLimit);
  EXPECT_THAT(execution.report, StartsWith("xx"));  // it had reached the limit
  EXPECT_TRUE(nothing_left_of(marker));
}

TEST(ResourceAttack, ThreadBombStopsAtTheProcessLimit) {
  const auto execution = run_python(R"(
import threading
threading.stack_size(64 << 10)
never = threading.Event()
count = 0
try:
    while count < 200:
        threading.Thread(target=never.wait, daemon=True).start()
        count += 1
except RuntimeError: pass
print(count)
)");
  EXPECT_GE(std::atoi(execution.output.c_str()), 40) << execution.errors;
  EXPECT_LT(std::atoi(execution.output.c_str()), 64);
}

TEST(ResourceAttack, EightGibibytesAtOnceAreRefused) {
  const auto execution =
      run_python("print('asking', flush=True); held = bytearray(8 << 30); print('got it')");
  EXPECT_EQ(execution.output, "asking\n");
  EXPECT_THAT(execution.errors, HasSubstr("MemoryError"));
  EXPECT_NE(execution.exit_code, 0);
}

TEST(ResourceAttack, SlowAllocationIsRefusedAtTheLimit) {
  const auto execution =
      run_python(R"(
held = []
try:
    while True: held.append(bytearray(16 << 20))
except MemoryError:
    got = len(held)
    held = None
    print(got * 16)
)",
                 {.wall = seconds(600), .address_space_bytes = int64_t{512} << 20});
  EXPECT_GE(std::atoi(execution.output.c_str()), 256) << execution.errors;
  EXPECT_LE(std::atoi(execution.output.c_str()), 512);
}

TEST(ResourceAttack, MemoryOfManyProcessesIsLimitedTogether) {
  const auto execution = run_python(R"(
import os, time
for i in range(8):
    if os.fork() == 0:
        held = bytearray(b'x') * (100 << 20)
        os.write(3, b'held ')
        time.sleep(1)
        os._exit(0)
for i in range(8): os.wait()
)",
                                    {.wall = seconds(30), .memory_bytes = int64_t{300} << 20});
  EXPECT_EQ(execution.memory_limited_together, can_limit_memory());
  if (!can_limit_memory()) {  // then each process has its own limit only, and the result says so
    EXPECT_EQ(execution.ending, Ending::Exited) << to_string(execution.ending);
    EXPECT_EQ(execution.report.size(), 8 * 5u);
    return;
  }
  EXPECT_EQ(execution.ending, Ending::MemoryLimit) << to_string(execution.ending);
  EXPECT_THAT(execution.report, HasSubstr("held"));
  EXPECT_LT(execution.report.size(), 8 * 5u);  // never all of them
}

TEST(ResourceAttack, EndlessLoopEndsAtTheProcessorLimit) {
  const auto execution = run_python("while True: pass", {.wall = seconds(600), .cpu = seconds(1)});
  EXPECT_EQ(execution.ending, Ending::CpuLimit);
  EXPECT_GE(execution.cpu_seconds, 0.9);
}

TEST(ResourceAttack, IgnoringTheLimitsSignalDoesNotHelp) {
  const auto execution =
      run_python("import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass",
                 {.wall = seconds(600), .cpu = seconds(1)});
  EXPECT_EQ(execution.ending, Ending::CpuLimit);
}

TEST(ResourceAttack, SleepEndsAtTheWallLimit) {
  const auto execution = run_python("print('z', flush=True)\nimport time; time.sleep(100)",
                                    {.wall = milliseconds(1000)});
  EXPECT_EQ(execution.ending, Ending::WallLimit);
  EXPECT_EQ(execution.output, "z\n");
  EXPECT_LT(execution.wall_seconds, 30);
}

TEST(ResourceAttack, HugePowerAndRegularExpressionBlowUpEndAtALimit) {
  const Limits limits{.wall = seconds(600), .cpu = seconds(1)};
  EXPECT_EQ(run_python("print(len(str(7 ** (10 ** 9))))", limits).ending, Ending::CpuLimit);
  EXPECT_EQ(run_python("import re; re.match(r'(a+)+$', 'a' * 60 + 'b')", limits).ending,
            Ending::CpuLimit);
}

TEST(ResourceAttack, DeepRecursionHarmsOnlyItself) {
  const auto execution = run_python(R"(
import json, sys
sys.setrecursionlimit(10 ** 9)
nest = []
for i in range(10 ** 6): nest = [nest]
print('down', flush=True)
json.dumps(nest, check_circular=False)
)");
  EXPECT_EQ(execution.output, "down\n");
  EXPECT_EQ(execution.ending, Ending::Signalled);
}

TEST(ResourceAttack, OutputFloodIsCut) {
  for (const char* code : {"import os\nwhile True: os.write(1, b'line\\n' * 1000)",
                           "import os\nwhile True: os.write(1, b'x' * 5000)",
                           "import os\nwhile True: os.write(2, b'x' * 5000)"}) {
    const auto execution = run_python(code);
    EXPECT_EQ(execution.ending, Ending::OutputLimit) << code;
    EXPECT_EQ(std::max(execution.output.size(), execution.errors.size()), size_t{1} << 20);
  }
}

TEST(ResourceAttack, ReportFloodIsLimitedLikeAFile) {
  const auto execution = run_python(R"(
import os
try:
    while True: os.write(3, b'x' * (1 << 20))
except OSError as error: print(error.strerror)
)");
  EXPECT_EQ(execution.output, "File too large\n");
  EXPECT_EQ(execution.report.size(), size_t{16} << 20);
}

TEST(ResourceAttack, WaitingForInputFindsItsEnd) {
  EXPECT_EQ(run_python("import sys; print(repr(sys.stdin.read()))").output, "''\n");
}

TEST(ResourceAttack, OneLargeFileIsRefused) {
  const auto execution = run_python(R"(
try:
    with open('big', 'wb', buffering=0) as big:
        for i in range(64): big.write(bytes(1 << 20))
except OSError as error: print(i, error.strerror)
)");
  EXPECT_EQ(execution.output, "16 File too large\n");
}

TEST(ResourceAttack, ManyFilesFillOnlyTheirOwnFolder) {
  const auto execution = run_python(R"(
total = 0
try:
    for i in range(10000):
        with open(f'/tmp/{i}', 'wb', buffering=0) as f: total += f.write(bytes(1 << 20))
except OSError as error: print(total >> 20, error.strerror)
)");
  int mebibytes = 0;
  std::istringstream(execution.output) >> mebibytes;
  EXPECT_GE(mebibytes, 60) << execution.errors;
  EXPECT_LE(mebibytes, 64);
  EXPECT_THAT(execution.output, HasSubstr("No space left on device"));
}

TEST(ResourceAttack, RaisingALimitIsRefused) {
  const auto execution = run_python(R"(
import resource
for name in ('RLIMIT_AS', 'RLIMIT_NPROC', 'RLIMIT_CPU', 'RLIMIT_FSIZE', 'RLIMIT_NOFILE'):
    limit = getattr(resource, name)
    soft, hard = resource.getrlimit(limit)
    try:
        resource.setrlimit(limit, (hard + 1, hard + 1))
        print(name, 'raised')
    except (ValueError, OSError): pass
print('tried')
)");
  EXPECT_EQ(execution.output, "tried\n") << execution.errors;
}

}  // namespace
}  // namespace trex::sandbox
