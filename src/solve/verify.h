// Checks answers from the model's own data alone: no solver, no basis, no scaled copy.
//
// Every check gives the first thing that does not hold, or nothing. All are pure functions and may
// run on several threads. Vectors of a wrong length are a violation, not an error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solve/model.h"
#include "solve/solve.h"

namespace trex::solve {

struct Violation {
  std::string what;  // "row \"capacity\"", "column \"x\": integrality", "duality gap"
  double value;      // what was found
  double limit;      // what it had to keep
  double excess;     // by how much it misses, in the units of the tolerance
};

// `row "capacity": 12 misses 10 by 2`
std::string to_string(const Violation& violation);

// Bounds, integrality, rows and the stated objective. `tolerance` is absolute, on rows scaled to a
// largest coefficient of 1; for the objective it is relative to max(1, |objective|).
std::optional<Violation> verify(const Model& model, const Solution& solution,
                                double tolerance = 1e-6);

// The same without the stated objective: `values` is one a column.
std::optional<Violation> verify_feasible(const Model& model, const std::vector<double>& values,
                                         double tolerance = 1e-6);

// That the duals prove an LP or convex QP optimal: reduced costs are what the row duals make them,
// no dual leans on an infinite bound, and the dual objective meets the objective. `tolerance` is
// relative to the numbers that meet in each sum.
std::optional<Violation> verify_optimal(const Model& model, const Solution& solution,
                                        double tolerance = 1e-6);

// That `farkas` proves the model infeasible (Solved::farkas).
std::optional<Violation> verify_infeasible(const Model& model, const std::vector<double>& farkas,
                                           double tolerance = 1e-7);

// That the objective improves along `ray` for ever without leaving rows or bounds (Solved::ray).
// Together with any feasible point this proves the model unbounded.
std::optional<Violation> verify_unbounded(const Model& model, const std::vector<double>& ray,
                                          double tolerance = 1e-7);

}  // namespace trex::solve
