// Values of a model's parts at a point, from the model's own data, with compensated sums: labels
// near 1e10 leave no room for a naive sum's error.
#pragma once

#include <cmath>
#include <vector>

#include "solve/model.h"

namespace trex::solve {

// A sum of products whose rounding error is carried along (Neumaier's sum over exact products).
class CompensatedSum {
 public:
  void add(double value) {
    const double next = sum_ + value;
    error_ += std::abs(sum_) >= std::abs(value) ? (sum_ - next) + value : (value - next) + sum_;
    sum_ = next;
  }

  void add_product(double a, double b) {
    const double product = a * b;
    add(product);
    error_ += std::fma(a, b, -product);
  }

  double value() const { return sum_ + error_; }

 private:
  double sum_ = 0, error_ = 0;
};

// offset + c'x + 1/2 x'Qx; one value a column.
double objective_at(const Model& model, const std::vector<double>& values);

// A x, one a row.
std::vector<double> activities_at(const Model& model, const std::vector<double>& values);

// Largest |coefficient| of each row; 1 for an empty row.
std::vector<double> row_scales(const Model& model);

}  // namespace trex::solve
