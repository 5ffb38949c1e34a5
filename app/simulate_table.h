// What trex simulate shows of a comparison, on the terminal and on the page alike.
#pragma once

#include <string>
#include <vector>

#include "report/page.h"
#include "simulate/compare.h"

namespace trex::app {

// `digits` significant digits without an exponent; integers keep all of theirs.
std::string readable_number(double value, int digits);

// The policies, the smallest mean latency first; those that left requests unserved that another
// served come last.
std::vector<const simulate::PolicyRuns*> by_latency(const simulate::Comparison& comparison);

// A header and one row a policy, as by_latency() orders them; means with intervals over the seeds.
// Fewer columns for a page, which is narrower than a terminal.
enum class Columns { Terminal, Page };
report::Table summary_table(const simulate::Comparison& comparison, Columns columns);

// What the table does not say: requests that were refused, expired, failed or cut short.
std::vector<std::string> notes_on(const simulate::Comparison& comparison);

}  // namespace trex::app
