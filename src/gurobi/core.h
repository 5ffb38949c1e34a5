// A model as a Gurobi program sees it, and its way to the solver.
//
// Removed variables and rows keep their places, marked, so that handles stay valid. Changes after
// optimize() leave the last answer readable until the next update() or optimize().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gurobi/expression.h"
#include "solve/solve.h"

namespace trex::gurobi {

inline constexpr double kGurobiInfinity = 1e100;

enum Status { kLoaded = 1, kOptimal = 2, kInfeasible = 3, kUnbounded = 5, kTimeLimit = 9 };

struct Variable {
  std::string name;
  double lower = 0, upper = kGurobiInfinity, objective = 0;
  char type = 'C';  // 'C', 'B' or 'I'
  bool removed = false;
};

struct Constraint {
  std::string name;
  std::vector<solve::Term> terms;  // each column once
  char sense = '<';
  double right = 0;
  bool removed = false;
};

struct OptimizeLimits {
  double seconds = 1e8;
  double relative_gap = 0;
};

// What the last optimize() found, with values by the places of variables and constraints.
struct Answer {
  int status = kLoaded;
  std::optional<double> objective, bound;
  std::vector<double> values, reduced_costs, row_duals, activities, farkas, ray;
  double seconds = 0;
  int64_t nodes = 0;
};

class Core {
 public:
  Core();
  Core(const Core& other);  // a copy has a number of its own and no answer

  std::string name;
  solve::Sense sense = solve::Sense::Minimize;
  double objective_constant = 0;
  std::vector<Product> objective_products;
  std::vector<Variable> variables;
  std::vector<Constraint> constraints;
  bool changed = false;  // since the last update
  Answer answer;
  const int64_t number;  // of the models of this process

  // Throw Mistake for NaN and for types that the solver does not have.
  int64_t add_variable(Variable variable);
  void set_type(int64_t index, char type);
  void set_objective(const Quadratic& expression);
  int64_t add_constraint(const Comparison& comparison, std::string row_name);
  int64_t add_truth(bool truth, std::string row_name);  // an empty row: <= 0, or <= -1 for false

  void update();  // forgets the answer if the model has changed
  void optimize(const OptimizeLimits& limits);

  // Without what is removed, and with distinct names.
  solve::Model problem() const;

  int64_t num_variables() const;
  int64_t num_constraints() const;
  int64_t num_nonzeros() const;

 private:
  void take(const solve::Model& model, solve::Solved solved);
};

}  // namespace trex::gurobi
