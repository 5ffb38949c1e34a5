// Whether a quadratic form is convex. Internal to this module.
#pragma once

#include "solve/model.h"

namespace trex::solve {

// Whether x'Qx is convex (Q positive semidefinite up to rounding), by a Cholesky factorisation of
// the columns that occur in Q: their number cubed is the cost.
bool is_convex(const std::vector<QuadraticEntry>& quadratic);

}  // namespace trex::solve
