// Solving a model with HiGHS, and checking the answer without trusting it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "solve/model.h"

namespace trex::solve {

enum class Outcome { Optimal, Infeasible, Unbounded, LimitReached };

std::string_view to_string(Outcome outcome);

struct Limits {
  std::chrono::milliseconds time{60'000};
  double relative_gap = 0;   // of a MILP; 0 proves the optimum
  double absolute_gap = 1e-9;
  int threads = 1;           // 1 keeps the answer the same on every machine
};

struct Solution {
  double objective = 0;            // with offset, in the model's own sense
  std::vector<double> values;      // one a column
  std::vector<double> row_duals;   // LP and convex QP only; d objective / d right side
  std::vector<double> reduced_costs;
};

struct Solved {
  Outcome outcome;
  std::optional<Solution> best;      // always for Optimal, sometimes for LimitReached
  double best_bound = 0;             // on the optimum, in the sense of the objective
  // Infeasible: Farkas multipliers, one a row, empty when only presolve or branching proved it.
  std::vector<double> farkas;
  // Unbounded: a direction, one a column, along which the objective improves for ever.
  std::vector<double> ray;
  double seconds = 0;
  int64_t nodes = 0;                 // of branch and bound
};

// Throws Environment when the solver breaks down, Input when the model is malformed or of a kind
// that HiGHS cannot solve (non-convex quadratic, integers with a quadratic objective).
// Deterministic: the same model and limits give the same values (unless time runs out).
// May be called from several threads at once.
Solved solve(const Model& model, const Limits& limits = {});

}  // namespace trex::solve
