#include "sandbox/launcher.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace trex::sandbox {

void give_up(const std::string& expected) {
  std::fprintf(stderr, "trex-sandbox: expected %s; got %s\n", expected.c_str(),
               std::strerror(errno));
  ::_exit(125);
}

}  // namespace trex::sandbox

int main(int argc, char** argv) {
  const trex::sandbox::Words words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "enter") trex::sandbox::enter({words.begin() + 1, words.end()});
  if (!words.empty() && words[0] == "supervise") {
    trex::sandbox::supervise({words.begin() + 1, words.end()});
  }
  std::fprintf(stderr, "trex-sandbox: started by trex to run untrusted programs, not by hand\n");
  return 125;
}
