// Whether the model that a family's code formulates and the one that its description defines are
// the same: pipeline stage A without a solver, and stricter than comparing optima.
#pragma once

#include <optional>
#include <string>

#include "solve/model.h"

namespace trex::orgen {

// Compares two models by the names of columns and rows. Gives
// the first difference in words, or nothing when they are the same model. Coefficients may differ
// by rounding (1e-9 relative).
std::optional<std::string> first_difference(const solve::Model& formulated,
                                            const solve::Model& described);

}  // namespace trex::orgen
