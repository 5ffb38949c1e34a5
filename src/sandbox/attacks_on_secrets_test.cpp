// Programs that try to read, write or reach what is not theirs.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cstdlib>

#include "sandbox/attack_support.h"

namespace trex::sandbox {
namespace {

using testing::HasSubstr;

// A file that anybody on this machine may read, with a text in it that occurs nowhere else.
class SecretFile {
 public:
  SecretFile() : text_(unique_marker("treasure")) {
    write_file(path(), text_);
    ::chmod(folder_.path().c_str(), 0755);
    ::chmod(path().c_str(), 0666);
  }
  Path path() const { return folder_.path() / "secret"; }
  const std::string& text() const { return text_; }

 private:
  TemporaryFolder folder_;
  std::string text_;
};

TEST(SecretAttack, FilesOfThisMachineAreNotThere) {
  const SecretFile secret;
  const std::string code = "print(open('" + secret.path().string() + "').read())";
  EXPECT_THAT(run_unconfined(code).output, HasSubstr(secret.text()));  // the attack works
  const auto execution = run_python(code);
  EXPECT_THAT(execution.output + execution.report, Not(HasSubstr(secret.text())));
  EXPECT_THAT(execution.errors, HasSubstr("FileNotFoundError"));
}

TEST(SecretAttack, SymbolicLinksLeadNowhere) {
  const SecretFile secret;
  const std::string code = "import os, tempfile; p = tempfile.mkdtemp() + '/link'; os.symlink('" +
                           secret.path().string() + "', p); print(open(p).read())";
  EXPECT_THAT(run_unconfined(code).output, HasSubstr(secret.text()));
  EXPECT_THAT(run_python(code).errors, HasSubstr("FileNotFoundError"));
}

TEST(SecretAttack, AccountsAndHomesAreNotThere) {
  ASSERT_TRUE(std::filesystem::exists("/etc/shadow"));
  const auto execution = run_python(R"(
import os
for path in ('/etc/shadow', '/etc/passwd', '/root', '/home', '/var', '/work', '/sys', '/run', '/mnt'):
    print(path, os.path.exists(path))
)");
  EXPECT_THAT(execution.output, Not(HasSubstr("True")));
  EXPECT_THAT(execution.output, HasSubstr("/mnt False"));
}

TEST(SecretAttack, WritingOutsideIsRefused) {
  const auto execution = run_python(R"(
import os
places = ['/usr/x', '/x', '/dev/x', '/dev/shm/x', '/etc/x', '/proc/sys/kernel/hostname',
          '/proc/sysrq-trigger', '/usr/bin/python3', os.getcwd() + '/main.py']
for place in places:
    try:
        open(place, 'w')
        print('wrote', place)
    except OSError as error: pass
os.chmod(os.getcwd(), 0o700)
print('tried', len(places))
)");
  EXPECT_EQ(execution.output, "tried 9\n") << execution.errors;
}

TEST(SecretAttack, AWorldWritableFileOutsideStaysAsItIs) {
  const SecretFile secret;
  run_python("import os\nos.makedirs('" + secret.path().parent_path().string() +
             "', exist_ok=True)\nopen('" + secret.path().string() + "', 'w').write('spoilt')");
  EXPECT_EQ(read_file(secret.path()), secret.text());
}

TEST(SecretAttack, TheHarnessEnvironmentCannotBeRead) {
  const std::string marker = unique_marker("env-treasure");
  ::setenv("TREX_ATTACK_SECRET", marker.c_str(), 1);
  const std::string code = R"(
import glob
for path in glob.glob('/proc/*/environ') + glob.glob('/proc/*/cmdline'):
    try: print(open(path, 'rb').read())
    except OSError: pass
)";
  EXPECT_THAT(run_unconfined(code).output, HasSubstr(marker));
  EXPECT_THAT(run_python(code).output, Not(HasSubstr(marker)));
  ::unsetenv("TREX_ATTACK_SECRET");
}

TEST(SecretAttack, ProcessOnesMemoryIsClosed) {
  const auto execution = run_python(R"(
for path in ('/proc/1/mem', '/proc/1/environ', '/proc/1/fd/5'):
    try:
        open(path, 'r+b')
        print('opened', path)
    except OSError as error: print(error.errno in (1, 13))
)");
  EXPECT_EQ(execution.output, "True\nTrue\nTrue\n") << execution.errors;
}

// The launcher gets it as an argument, and anybody may read a command line.
TEST(SecretAttack, TheSecretIsOnlyWhereItBelongs) {
  const std::string marker = unique_marker("launcher-treasure");
  const auto execution = run({.arguments = {kPython, "-sPB", "-c", R"(
import glob, os
for path in glob.glob('/proc/*/cmdline'): print(path, open(path, 'rb').read())
os.write(3, os.read(4, 1000))
)"},
                              .secret = marker});
  EXPECT_EQ(execution.report, marker) << execution.errors;
  EXPECT_THAT(execution.output, HasSubstr("/proc/1/cmdline"));
  EXPECT_THAT(execution.output, Not(HasSubstr(marker)));
}

// Listens on a free port of this machine's loopback.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_, 5), 0);
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~Listener() { ::close(socket_); }
  int port() const { return port_; }
  bool was_reached() const {
    const int peer = ::accept(socket_, nullptr, nullptr);
    if (peer >= 0) ::close(peer);
    return peer >= 0;
  }

 private:
  int socket_, port_ = 0;
};

TEST(SecretAttack, LoopbackServersCannotBeReached) {
  const Listener listener;
  const std::string code = "import socket; socket.create_connection(('127.0.0.1', " +
                           std::to_string(listener.port()) + "), 5); print('connected')";
  EXPECT_EQ(run_unconfined(code).output, "connected\n");
  EXPECT_TRUE(listener.was_reached());
  EXPECT_THAT(run_python(code).errors, HasSubstr("ConnectionRefusedError"));
  EXPECT_FALSE(listener.was_reached());
}

TEST(SecretAttack, OtherMachinesAndNamesCannotBeReached) {
  const auto execution = run_python(R"(
import socket
try: socket.create_connection(('192.0.2.1', 80), 5)
except OSError as error: print(error.strerror)
try: socket.getaddrinfo('example.com', 80)
except OSError as error: print(type(error).__name__)
print([name for index, name in socket.if_nameindex()])
)");
  EXPECT_EQ(execution.output, "Network is unreachable\ngaierror\n['lo']\n") << execution.errors;
}

// An abstract socket has no path that a mount namespace could hide.
TEST(SecretAttack, AbstractSocketsOfThisMachineCannotBeReached) {
  const std::string name = unique_marker("abstract");
  const std::string code =
      "import socket; s = socket.socket(socket.AF_UNIX); s.connect('\\0" + name + "'); print('in')";
  const std::string serve =
      "import socket, subprocess, sys; s = socket.socket(socket.AF_UNIX); s.bind('\\0" + name +
      "'); s.listen(); print(subprocess.run([sys.executable, '-c', sys.argv[1]], "
      "capture_output=True, text=True).stdout); sys.stdout.flush(); sys.stdin.read()";
  const auto outside = run_process({.arguments = {kPython, "-c", serve, code}});
  EXPECT_THAT(outside.output, HasSubstr("in"));
  EXPECT_THAT(run_python(code).errors, HasSubstr("ConnectionRefusedError"));
}

}  // namespace
}  // namespace trex::sandbox
