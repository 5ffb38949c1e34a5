// What the sandbox promises to honest programs and to its caller.
#include "sandbox/sandbox.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>

#include "base/error.h"
#include "base/parallel_for.h"
#include "sandbox/attack_support.h"

namespace trex::sandbox {
namespace {

using testing::HasSubstr;

TEST(Sandbox, ReturnsWhatAProgramWritesAndItsExitCode) {
  const auto execution =
      run_python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)");
  EXPECT_EQ(execution.ending, Ending::Exited);
  EXPECT_EQ(execution.exit_code, 7);
  EXPECT_EQ(execution.output, "out\n");
  EXPECT_EQ(execution.errors, "err\n");
}

TEST(Sandbox, GivesAProgramItsFilesReportChannelAndSecretOnce) {
  const auto execution = run({.arguments = {kPython, "-sPB", "main.py"},
                              .files = {{"main.py", R"(
import os
secret = os.read(4, 100)
os.write(3, secret + b' ' + open('data.json', 'rb').read() + b' ' + repr(os.read(4, 100)).encode())
)"},
                                        {"data.json", "{\"a\": 1}"}},
                              .secret = "s3cret"});
  EXPECT_EQ(execution.report, "s3cret {\"a\": 1} b''") << execution.errors;
}

TEST(Sandbox, MountsFoldersReadOnly) {
  TemporaryFolder folder;
  write_file(folder.path() / "module.py", "value = 42");
  ::chmod(folder.path().c_str(), 0755);
  ::chmod((folder.path() / "module.py").c_str(), 0644);
  const auto execution = run({.arguments = {kPython, "-sPB", "-c", R"(
import sys
sys.path.insert(0, '/module')
import module
print(module.value)
try: open('/module/new', 'w')
except OSError as error: print(error.strerror)
)"},
                              .mounts = {{folder.path(), "/module"}}});
  EXPECT_EQ(execution.output, "42\nRead-only file system\n") << execution.errors;
}

TEST(Sandbox, ClearsTheEnvironment) {
  ::setenv("TREX_TEST_SECRET", "hidden", 1);
  const auto execution = run_python("import os; print(sorted(os.environ))");
  EXPECT_EQ(execution.output,
            "['HOME', 'LANG', 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'PATH', "
            "'PYTHONHASHSEED']\n");
}

TEST(Sandbox, RunsAsAnUnprivilegedUserWithoutCapabilities) {
  const auto execution = run_python(R"(
import os
print(os.getuid(), os.geteuid(), os.getgid(), os.getgroups() in ([], [65534]))
for line in open('/proc/self/status'):
    if line.startswith(('CapEff', 'CapPrm', 'CapBnd', 'NoNewPrivs', 'Seccomp:')): print(line.split()[1])
)");
  EXPECT_EQ(execution.output, "65534 65534 65534 True\n" + std::string("0000000000000000\n") +
                                  "0000000000000000\n0000000000000000\n1\n2\n")
      << execution.errors;
}

TEST(Sandbox, MeasuresProcessorTimeAndMemory) {
  const auto execution = run_python(R"(
import time
held = bytearray(200 << 20)
while time.process_time() < 0.3: pass
)");
  EXPECT_GE(execution.cpu_seconds, 0.3);
  EXPECT_LE(execution.cpu_seconds, 2.0);
  EXPECT_GE(execution.peak_memory_bytes, int64_t{200} << 20);
  EXPECT_LE(execution.peak_memory_bytes, int64_t{260} << 20);
  EXPECT_GE(execution.wall_seconds, 0.3);
}

TEST(Sandbox, NamesTheSignalThatEndedAProgram) {
  const auto execution = run_python("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)");
  EXPECT_EQ(execution.ending, Ending::Signalled);
  EXPECT_EQ(execution.signal, 11);
}

TEST(Sandbox, RunsInParallelWithoutMixingUp) {
  std::vector<std::string> outputs(12);
  parallel_for(12, 3, [&outputs](int64_t i) {
    outputs[static_cast<size_t>(i)] = run_python("print(" + std::to_string(i) + " ** 2)").output;
  });
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(outputs[static_cast<size_t>(i)], std::to_string(i * i) + "\n");
}

TEST(Sandbox, LeavesNothingInTheTemporaryFolder) {
  TemporaryFolder folder;
  const char* old = std::getenv("TMPDIR");
  const std::string before = old != nullptr ? old : "";
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  run_python("open('left', 'w').write('x'); open('/tmp/left', 'w').write('x')");
  EXPECT_TRUE(files_below(folder.path()).empty());
  if (before.empty()) {
    ::unsetenv("TMPDIR");
  } else {
    ::setenv("TMPDIR", before.c_str(), 1);
  }
}

// A checkout in /root with mode 0700 must work for root, who is nobody inside.
TEST(Sandbox, SeesMountsBelowFoldersThatOnlyTheirOwnerMayEnter) {
  TemporaryFolder closed;  // 0700
  make_folders(closed.path() / "module");
  write_file(closed.path() / "module/a.txt", "seen");
  ::chmod((closed.path() / "module").c_str(), 0755);
  ::chmod((closed.path() / "module/a.txt").c_str(), 0644);
  const auto execution = run({.arguments = {"/usr/bin/cat", "/module/a.txt"},
                              .mounts = {{closed.path() / "module", "/module"}}});
  EXPECT_EQ(execution.output, "seen") << execution.errors;
}

constexpr const char* kForbidden = "NAMESPACES_ARE_FORBIDDEN";

void expect_refusal_of_namespaces() {
  try {
    run({.arguments = {"/usr/bin/true"}});
    ADD_FAILURE() << "ran";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("sandbox: expected namespaces that confine a program; got "
                          "\"trex-sandbox: expected new namespaces; got No space left on device\" "
                          "(user namespaces must be allowed: sysctl"));
    EXPECT_EQ(error.kind(), ErrorKind::Environment);
  }
}

// Starts itself again where the kernel's settings really forbid further user namespaces.
TEST(Sandbox, SaysWhatToDoWhenNamespacesAreForbidden) {
  if (std::getenv(kForbidden) != nullptr) return expect_refusal_of_namespaces();
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto result = run_process(
      {.arguments = {"bwrap", "--unshare-user", "--disable-userns", "--dev-bind", "/", "/", "--uid",
                     "1000", "--gid", "1000", "--setenv", kForbidden, "1", "--", self,
                     "--gtest_filter=Sandbox.SaysWhatToDoWhenNamespacesAreForbidden"}});
  EXPECT_TRUE(result.succeeded()) << result.output << result.errors;
  EXPECT_THAT(result.output, HasSubstr("[  PASSED  ] 1 test."));
}

}  // namespace
}  // namespace trex::sandbox
