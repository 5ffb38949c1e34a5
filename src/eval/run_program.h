// Running one program of a reply in the sandbox, against our gurobipy module.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/sandbox.h"

namespace trex::eval {

struct GradeLimits {
  std::chrono::milliseconds time{360'000};  // wall time of one program
};

// What the module reported at the end of the program (src/gurobi/README.md), about the variable
// `model`, else `m`.
struct EndReport {
  std::optional<std::string> model_name;  // absent when neither is a model
  int64_t status = 0;                     // Gurobi's code
  std::optional<double> objective;        // present when there is a solution
  std::vector<std::string> features;      // parts of the module that the program used
  std::vector<std::string> unsupported;   // calls that the module does not have
};

struct ProgramRun {
  sandbox::Execution execution;
  std::optional<EndReport> end;  // absent when the program did not come to its end
};

// The program as it is run: `data.json` becomes an absolute path, and missing imports of gurobipy
// (as gp) and json are put in front, as the published harness does.
std::string prepared(const std::string& code);

// Runs `code` with `data_file` as data.json. Throws Environment when there is no sandbox or no
// module. Safe from several threads.
ProgramRun run_program(const std::string& code, const std::string& data_file,
                       const GradeLimits& limits);

// The last end report with the right secret. Lines that are no reports are passed over: the
// program can write to the channel too.
std::optional<EndReport> find_end_report(const std::string& reports, const std::string& secret);

}  // namespace trex::eval
