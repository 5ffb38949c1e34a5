#include "gurobi/core.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <unordered_set>

#include "solve/evaluate.h"

namespace trex::gurobi {
namespace {

std::atomic<int64_t> g_num_models{0};

double without_infinity(double bound) {
  if (bound >= solve::kHuge) return solve::kInfinity;
  if (bound <= -solve::kHuge) return -solve::kInfinity;
  return bound;
}

void expect_number(double value, const char* what) {
  if (std::isnan(value)) throw Mistake{10003, fmt::format("{} is Nan", what)};
}

std::string distinct(std::string name, std::unordered_set<std::string>& taken) {
  while (!taken.insert(name).second) name += "_";
  return name;
}

solve::Domain domain_of(char type) {
  if (type == 'B') return solve::Domain::Binary;
  return type == 'I' ? solve::Domain::Integer : solve::Domain::Continuous;
}

// Values of what remains, back at the places where removed things leave gaps.
template <class Items>
std::vector<double> spread(const Items& items, const std::vector<double>& values) {
  if (values.empty()) return {};
  std::vector<double> all(items.size(), 0.0);
  size_t next = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i].removed) all[i] = values[next++];
  }
  return all;
}

}  // namespace

Core::Core() : number(g_num_models++) {}

Core::Core(const Core& other)
    : name(other.name),
      sense(other.sense),
      objective_constant(other.objective_constant),
      objective_products(other.objective_products),
      variables(other.variables),
      constraints(other.constraints),
      number(g_num_models++) {}

int64_t Core::add_variable(Variable variable) {
  expect_number(variable.lower, "Lower bound");
  expect_number(variable.upper, "Upper bound");
  expect_number(variable.objective, "Objective coefficient");
  const auto index = static_cast<int64_t>(variables.size());
  if (variable.name.empty()) variable.name = fmt::format("C{}", index);
  const char type = variable.type;
  variables.push_back(std::move(variable));
  set_type(index, type);
  return index;
}

void Core::set_type(int64_t index, char type) {
  if (type == 'S' || type == 'N') {
    throw Mistake{10024,
                  fmt::format("Variable type '{}' (semi-continuous) is not supported", type)};
  }
  if (type != 'C' && type != 'B' && type != 'I') {
    throw Mistake{10003, fmt::format("Invalid variable type '{}'", type)};
  }
  Variable& variable = variables[static_cast<size_t>(index)];
  variable.type = type;
  if (type == 'B') {
    variable.lower = std::max(variable.lower, 0.0);
    variable.upper = std::min(variable.upper, 1.0);
  }
  changed = true;
}

void Core::set_objective(const Quadratic& expression) {
  for (Variable& variable : variables) variable.objective = 0;
  for (const solve::Term& term : expression.linear.terms) {
    expect_number(term.coefficient, "Objective coefficient");
    variables[static_cast<size_t>(term.column)].objective += term.coefficient;
  }
  expect_number(expression.linear.constant, "Constant");
  objective_constant = expression.linear.constant;
  objective_products.clear();
  std::map<std::pair<int64_t, int64_t>, double> sums;
  for (const Product& term : expression.products) {
    sums[{std::max(term.a, term.b), std::min(term.a, term.b)}] += term.coefficient;
  }
  for (const auto& [pair, value] : sums) {
    if (value != 0) objective_products.push_back({pair.first, pair.second, value});
  }
  changed = true;
}

int64_t Core::add_constraint(const Comparison& comparison, std::string row_name) {
  if (!comparison.difference.products.empty()) {
    throw Mistake{10024, "Model.addConstr: quadratic constraints are not supported"};
  }
  const Linear& linear = comparison.difference.linear;
  Constraint row{.name = std::move(row_name),
                 .terms = added_up(linear.terms),
                 .sense = comparison.sense,
                 .right = -linear.constant + 0.0};
  for (const solve::Term& term : row.terms) expect_number(term.coefficient, "Coefficient");
  expect_number(row.right, "Constant");
  const auto index = static_cast<int64_t>(constraints.size());
  if (row.name.empty()) row.name = fmt::format("R{}", index);
  if (comparison.sense == 'r') {
    // As Gurobi does it: an equation with a variable that fills the range.
    row.sense = '=';
    row.right += comparison.upper;
    const int64_t filler =
        add_variable({.name = "Rg" + row.name, .upper = comparison.upper - comparison.lower});
    row.terms.push_back({filler, 1});
  }
  constraints.push_back(std::move(row));
  changed = true;
  return index;
}

int64_t Core::add_truth(bool truth, std::string row_name) {
  Comparison comparison{.sense = '<'};
  comparison.difference.linear.constant = truth ? 0 : 1;
  return add_constraint(comparison, std::move(row_name));
}

void Core::update() {
  if (changed) answer = {};
  changed = false;
}

solve::Model Core::problem() const {
  solve::Model model;
  model.name = name;
  model.sense = sense;
  model.offset = objective_constant;
  std::unordered_set<std::string> names, row_names;
  std::vector<int64_t> column(variables.size(), -1);
  for (size_t j = 0; j < variables.size(); ++j) {
    const Variable& variable = variables[j];
    if (variable.removed) continue;
    column[j] = model.add_column({.name = distinct(variable.name, names),
                                  .domain = domain_of(variable.type),
                                  .lower = without_infinity(variable.lower),
                                  .upper = without_infinity(variable.upper),
                                  .objective = variable.objective});
  }
  for (const Constraint& row : constraints) {
    if (row.removed) continue;
    std::vector<solve::Term> terms;
    for (const solve::Term& term : row.terms) {
      const int64_t place = column[static_cast<size_t>(term.column)];
      if (place >= 0) terms.push_back({place, term.coefficient});
    }
    const double right = without_infinity(row.right);
    model.add_row(distinct(row.name, row_names), terms,
                  row.sense == '<' ? -solve::kInfinity : right,
                  row.sense == '>' ? solve::kInfinity : right);
  }
  for (const Product& term : objective_products) {
    const int64_t a = column[static_cast<size_t>(term.a)], b = column[static_cast<size_t>(term.b)];
    if (a >= 0 && b >= 0)
      model.quadratic.push_back({a, b, a == b ? 2 * term.coefficient : term.coefficient});
  }
  return model;
}

void Core::optimize(const OptimizeLimits& limits) {
  changed = false;
  answer = {};
  const solve::Model model = problem();
  // Crossed bounds are an answer for Gurobi and a malformed model for the solver.
  const auto crossed = [](const auto& item) {
    return item.lower > item.upper || item.lower >= solve::kHuge || item.upper <= -solve::kHuge;
  };
  if (std::any_of(model.columns.begin(), model.columns.end(), crossed) ||
      std::any_of(model.rows.begin(), model.rows.end(), crossed)) {
    answer.status = kInfeasible;
    return;
  }
  const double milliseconds = std::clamp(limits.seconds, 0.0, 1e8) * 1000;
  take(model,
       solve::solve(model, {.time = std::chrono::milliseconds(static_cast<int64_t>(milliseconds)),
                            .relative_gap = limits.relative_gap}));
}

void Core::take(const solve::Model& model, solve::Solved solved) {
  switch (solved.outcome) {
    case solve::Outcome::Optimal:
      answer.status = kOptimal;
      break;
    case solve::Outcome::Infeasible:
      answer.status = kInfeasible;
      break;
    case solve::Outcome::Unbounded:
      answer.status = kUnbounded;
      break;
    case solve::Outcome::LimitReached:
      answer.status = kTimeLimit;
      break;
  }
  answer.seconds = solved.seconds;
  answer.nodes = solved.nodes;
  answer.farkas = spread(constraints, solved.farkas);
  answer.ray = spread(variables, solved.ray);
  if (std::isfinite(solved.best_bound) && (solved.best || answer.status == kTimeLimit))
    answer.bound = solved.best_bound;
  if (!solved.best) return;
  answer.objective = solved.best->objective;
  answer.values = spread(variables, solved.best->values);
  answer.activities = spread(constraints, solve::activities_at(model, solved.best->values));
  if (model.has_integers()) return;  // as in Gurobi, a MILP has no duals
  answer.row_duals = spread(constraints, solved.best->row_duals);
  answer.reduced_costs = spread(variables, solved.best->reduced_costs);
}

int64_t Core::num_variables() const {
  return std::count_if(variables.begin(), variables.end(),
                       [](const Variable& v) { return !v.removed; });
}

int64_t Core::num_constraints() const {
  return std::count_if(constraints.begin(), constraints.end(),
                       [](const Constraint& c) { return !c.removed; });
}

int64_t Core::num_nonzeros() const { return static_cast<int64_t>(problem().matrix.size()); }

}  // namespace trex::gurobi
