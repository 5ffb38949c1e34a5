// From a reply to a verdict: find the code, run it in the sandbox, compare the value of its model
// with the label. The verdict that counts is "compat": as the published harness gives it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "eval/run_program.h"
#include "eval/verdict.h"

namespace trex::eval {

// One question of a benchmark.
struct Item {
  std::string id;                  // unique within the benchmark
  std::string question;            // what is asked, without the instructions around it
  double label = 0;                // the optimal value
  std::string program;             // a program that yields the label, where the benchmark has one
  std::string family;              // group for the report; empty if the benchmark has none
  std::vector<std::string> flags;  // doubts about the label, from our own audit
  Json messages;                   // the prompt, where the row brings its own
};

struct Graded {
  Verdict verdict;                // by the published rule
  Verdict strict;                 // by ours, of the same run
  std::string code;               // what was run, as found in the reply
  std::string rule;               // how it was found (extract_code.h)
  std::optional<ProgramRun> run;  // absent when there was nothing to run
};

// Finds the code, runs it with the question as data.json, and judges the value within 1e-6.
Graded grade_by_value(const Item& item, std::string_view reply, const GradeLimits& limits);

}  // namespace trex::eval
