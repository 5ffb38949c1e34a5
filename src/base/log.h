// Log lines for people, on standard error: `level area: message key=value ...`, one event a line.
// Warn only about what somebody should act on. Safe from any thread.
#pragma once

#include <string_view>

namespace trex {

void log_info(std::string_view area, std::string_view message);
void log_warning(std::string_view area, std::string_view message);

}  // namespace trex
