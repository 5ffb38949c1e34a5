#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace trex {

void stop_on_broken_invariant(const char* condition, const char* file, int line,
                              const std::string& message) {
  fmt::print(stderr, "internal error: {}:{}: expected {}{}{}\n", file, line, condition,
             message.empty() ? "" : ": ", message);
  std::fflush(nullptr);
  std::abort();
}

}  // namespace trex
