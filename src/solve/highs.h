// One run of HiGHS: the only door to the solver. Internal to this module.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "solve/model.h"

namespace trex::solve {

struct HighsSettings {
  std::chrono::duration<double> time{60};
  int64_t nodes = INT64_MAX;  // of branch and bound, at least 1
  bool presolve = true;
  // Of rows, bounds and integers. 1e-9 leaves a big-M of a million no room to be cheated.
  double tolerance = 1e-9;
  double relative_gap = 0;
  double absolute_gap = 1e-9;
};

enum class HighsStatus {
  Optimal,
  Infeasible,
  Unbounded,
  UnboundedOrInfeasible,
  LimitReached,  // time or nodes
  Unclear,       // the solver gave up on numerical grounds
};

struct HighsResult {
  HighsStatus status;
  bool has_values = false;  // `values` holds a point that HiGHS takes for feasible
  std::vector<double> values;
  std::vector<double> row_duals, reduced_costs;  // continuous models only; d objective / d bound
  double bound = 0;                              // of a MILP, on the optimum
  int64_t nodes = 0;
};

// Runs on a model that minimises; its sense is ignored. One thread, no output, no presolve file,
// and no algorithm that would load a BLAS with threads of its own. Throws Environment when HiGHS
// refuses the model or breaks down. Safe from several threads.
HighsResult run_highs(const Model& model, const HighsSettings& settings);

std::string highs_version();  // "1.15.1"

}  // namespace trex::solve
