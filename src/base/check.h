// Checks of our own invariants. A broken one is a bug in trex, never a user's mistake: the
// program stops in every build type, printing the condition, the message and the place.
// User input must never reach a check; it gets an Error (base/error.h).
#pragma once

#include <fmt/format.h>

#include <string>

namespace trex {

[[noreturn]] void stop_on_broken_invariant(const char* condition, const char* file, int line,
                                           const std::string& message);

}  // namespace trex

// TREX_CHECK(n > 0, "n is {}", n): the message is optional, in fmt's syntax.
#define TREX_CHECK(condition, ...)                                        \
  (static_cast<bool>(condition)                                           \
       ? void(0)                                                          \
       : ::trex::stop_on_broken_invariant(#condition, __FILE__, __LINE__, \
                                          ::trex::detail::check_message(__VA_ARGS__)))

namespace trex::detail {

inline std::string check_message() { return {}; }

template <class... Args>
std::string check_message(fmt::format_string<Args...> format, Args&&... args) {
  return fmt::format(format, std::forward<Args>(args)...);
}

}  // namespace trex::detail
