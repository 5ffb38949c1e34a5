// Expressions as Gurobi programs build them: sparse sums of terms, kept in the order of writing.
// Terms of one column are added up only when a row or an objective is made.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solve/model.h"

namespace trex::gurobi {

class Core;

struct Linear {
  std::shared_ptr<Core> core;  // null for a constant
  std::vector<solve::Term> terms;
  double constant = 0;
};

struct Product {
  int64_t a, b;
  double coefficient;
};

struct Quadratic {
  Linear linear;
  std::vector<Product> products;
};

// Throws Mistake when the two belong to different models.
void add_scaled(Linear& target, const Linear& other, double factor);
void add_scaled(Quadratic& target, const Quadratic& other, double factor);
Quadratic product(const Linear& a, const Linear& b);

// Each column once, in the order of first appearance; what cancels vanishes.
std::vector<solve::Term> added_up(const std::vector<solve::Term>& terms);

// As the real package prints them: "-1.0 + x[0,0] + 2.0 x[0,1]".
std::string text_of(const Linear& expression);
std::string text_of(const Quadratic& expression);

// lhs - rhs, compared with zero; or, for a range, lhs within [lower, upper].
struct Comparison {
  Quadratic difference;
  char sense = '=';  // '<', '>', '=' or 'r' for a range
  double lower = 0, upper = 0;
};

// A misuse of the interface, which Python sees as GurobiError.
struct Mistake {
  int code;  // Gurobi's error number
  std::string message;
};

}  // namespace trex::gurobi
