// Weighted least squares with non-negative coefficients (Lawson and Hanson, "Solving Least Squares
// Problems", chapter 23), for problems of a few unknowns.
#pragma once

#include <vector>

namespace trex::perf {

// Minimises |A x - b| over x >= 0. `rows` are A's rows, all of the same length. Deterministic.
// Columns of zeros get 0.
std::vector<double> non_negative_least_squares(const std::vector<std::vector<double>>& rows,
                                               const std::vector<double>& right);

}  // namespace trex::perf
