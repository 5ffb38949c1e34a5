// Solving a model with HiGHS. The answer is a value: infeasible and unbounded are answers, with a
// certificate that solve/verify.h checks against the model's own data.
//
// Linear, mixed-integer linear and convex quadratic models. Three things differ from a bare HiGHS
// run. The gaps are zero. The integers of a MILP are fixed at whole values and the remaining LP is
// solved again, so that a big-M cannot be cheated by a binary of 0.000001; when that fails, or
// costs more than the solver's bound allows, branching goes on. And the objective is recomputed
// from the model as given.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solve/model.h"

namespace trex::solve {

enum class Outcome { Optimal, Infeasible, Unbounded, LimitReached };

std::string_view to_string(
    Outcome outcome);  // "optimal", "infeasible", "unbounded", "limit reached"

struct Limits {
  std::chrono::milliseconds time{60'000};
  // Of branch and bound, of a MILP, at least 1. Cuts at the same place on every machine, busy or
  // not, as time does not.
  int64_t nodes = INT64_MAX;
  double relative_gap = 0;  // of a MILP; 0 proves the optimum
  double absolute_gap = 1e-9;
};

struct Solution {
  double objective = 0;        // with offset, in the model's own sense
  std::vector<double> values;  // one a column, within its bounds; whole for integers
  // LP and convex QP; of a MILP those of the LP with its integers fixed, which prove nothing.
  std::vector<double> row_duals;      // one a row: d objective / d right side
  std::vector<double> reduced_costs;  // one a column: d objective / d active bound
};

struct Solved {
  Outcome outcome = Outcome::LimitReached;
  std::optional<Solution> best;  // always for Optimal, sometimes for LimitReached
  // On the optimum, in the sense of the objective; infinite when nothing is known.
  double best_bound = 0;
  // Infeasible: multipliers y, one a row, with which no x within its bounds can satisfy the sum of
  // y * row (y > 0 takes the row's lower side). Empty when the LP relaxation is feasible, that is,
  // when only branching proved it.
  std::vector<double> farkas;
  // Unbounded: a direction, one a column, along which the objective improves for ever.
  std::vector<double> ray;
  double seconds = 0;
  int64_t nodes = 0;  // of branch and bound
};

// Throws Environment when the solver breaks down, Input when the model is malformed (validate) or
// of a kind that HiGHS cannot solve: a quadratic objective that is not convex, or one with
// integers. One thread; the same model and limits give the same values, unless time runs out. May
// be called from several threads at once.
Solved solve(const Model& model, const Limits& limits = {});

std::string solver_version();  // "HiGHS 1.15.1"

}  // namespace trex::solve
