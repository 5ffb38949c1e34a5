// LP files in Gurobi's dialect: what its programs write and other tools compare.
#pragma once

#include <string>

#include "solve/model.h"

namespace trex::solve {

// A constant of the objective becomes a variable Constant that is 1. Runs of characters that the
// format forbids in names become one underscore, and names stay distinct. A row with two different
// bounds becomes two rows, the second with _upper behind its name; a row without bounds is left
// out.
std::string to_lp(const Model& model);

}  // namespace trex::solve
