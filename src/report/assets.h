// Files that reports carry inside them, linked into the program.
#pragma once

#include <string_view>

namespace trex::report {

std::string_view chart_script();  // Chart.js 3.9, MIT
std::string_view page_style();    // page.css

}  // namespace trex::report
