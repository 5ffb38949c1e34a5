// The global norm of a step's gradient, by group, and whether it is finite.
#pragma once

#include <map>
#include <string>

#include "train/trained_parameters.h"

namespace trex::train {

struct GradientNorm {
  double total = 0;                       // NaN or infinite when an element is
  std::map<std::string, double> by_kind;  // Extent::kind -> norm
  std::string first_bad;                  // first tensor with a non-finite element; empty if none
};

// Sums of squares in float64 over blocks of fixed size, added in order: the bytes of the result do
// not depend on the number of threads.
GradientNorm gradient_norm(const TrainedParameters& parameters);

// What clipping multiplies gradients by: min(1, max_norm / (norm + 1e-6)).
double clip_factor(double norm, double max_norm);

}  // namespace trex::train
