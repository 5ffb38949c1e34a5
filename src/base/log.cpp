#include "base/log.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace trex {
namespace {

void write_line(std::string_view level, std::string_view area, std::string_view message) {
  const std::string line = fmt::format("{} {}: {}\n", level, area, message);
  std::fwrite(line.data(), 1, line.size(), stderr);  // one call: lines of two threads do not mix
}

}  // namespace

void log_info(std::string_view area, std::string_view message) {
  write_line("info", area, message);
}

void log_warning(std::string_view area, std::string_view message) {
  write_line("warning", area, message);
}

}  // namespace trex
