// Solving without giving up: wall time must not decide what a data set holds, or the same seed
// gives other bytes on a busy machine.
#pragma once

#include "solve/solve.h"

namespace trex::orgen {

// Optimal, infeasible or unbounded. Throws Failed when an hour does not suffice, instead of giving
// a limit as the outcome.
solve::Solved solve_fully(const solve::Model& model);

}  // namespace trex::orgen
