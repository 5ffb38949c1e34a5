// trex-sandbox STATUS_FILE REPORT_FILE SECRET FOLDER_BYTES [mount SOURCE TARGET]...
//     [env NAME=VALUE]... [cgroup FILE]... -- CPU_SECONDS ADDRESS_SPACE PROCESSES OPEN_FILES
//     FILE_BYTES STACK_BYTES PROGRAM...
#include "sandbox/launcher.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace trex::sandbox {
namespace {

constexpr size_t kNumLimits = 6;

Request parse(const Words& words) {
  size_t i = 4;
  Request request{.status_file = words[0],
                  .report_file = words[1],
                  .secret = words[2],
                  .folder_bytes = words[3],
                  .binds = {},
                  .environment = {},
                  .cgroups = {},
                  .limits = {},
                  .program = {}};
  for (; words[i] != "--"; i += words[i] == "mount" ? 3 : 2) {
    if (words[i] == "mount") request.binds.push_back({words[i + 1], words[i + 2]});
    if (words[i] == "env") request.environment.push_back(words[i + 1]);
    if (words[i] == "cgroup") request.cgroups.push_back(words[i + 1]);
  }
  const auto number = [&words, i](size_t place) {
    return std::strtoull(words[i + place].c_str(), nullptr, 10);
  };
  request.limits = {number(1), number(2), number(3), number(4), number(5), number(6)};
  request.program.assign(words.begin() + static_cast<std::ptrdiff_t>(i + 1 + kNumLimits),
                         words.end());
  return request;
}

// Anybody may read the command line of a process in /proc; ours holds the secret.
void wipe(char** words) {
  for (; *words != nullptr; ++words) std::memset(*words, 0, std::strlen(*words));
}

}  // namespace

void give_up(const std::string& expected) {
  std::fprintf(stderr, "trex-sandbox: expected %s; got %s\n", expected.c_str(),
               std::strerror(errno));
  ::_exit(125);
}

}  // namespace trex::sandbox

int main(int argc, char** argv) {
  using namespace trex::sandbox;
  if (argc < 5) {
    std::fprintf(stderr, "trex-sandbox: started by trex to run untrusted programs, not by hand\n");
    return 125;
  }
  Request request = parse({argv + 1, argv + argc});
  wipe(argv);
  wipe(environ);
  enter(std::move(request));
}
