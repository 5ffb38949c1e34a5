// Proofs that a model has no solution or no optimum, each found by an LP of its own rather than
// taken from the solver's last basis. Internal to this module.
#pragma once

#include <chrono>
#include <vector>

#include "solve/model.h"

namespace trex::solve {

// Farkas multipliers of the relaxation (Solved::farkas), or empty when it is feasible.
// The LP: the least total amount, on rows scaled to a largest coefficient of 1, by which rows must
// be broken. Its duals are the multipliers.
std::vector<double> find_farkas(const Model& model, std::chrono::duration<double> time);

// A ray of the relaxation (Solved::ray) of a model that minimises, with entries within [-1, 1], or
// empty when there is none. The LP: the best direction within the recession cone and the unit box.
std::vector<double> find_ray(const Model& model, std::chrono::duration<double> time);

}  // namespace trex::solve
