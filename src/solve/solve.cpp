#include "solve/solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "solve/branch.h"
#include "solve/certificate.h"
#include "solve/convex.h"
#include "solve/evaluate.h"
#include "solve/highs.h"
#include "solve/verify.h"

namespace trex::solve {
namespace {

std::string name_of(const Model& model) {
  return model.name.empty() ? "model" : "model " + in_quotes(model.name);
}

// The same model as a minimisation: maximising f is minimising -f.
Model minimising(const Model& model) {
  Model turned = model;
  turned.sense = Sense::Minimize;
  if (model.sense == Sense::Minimize) return turned;
  turned.offset = -turned.offset;
  for (Column& column : turned.columns) column.objective = -column.objective;
  for (QuadraticEntry& entry : turned.quadratic) entry.value = -entry.value;
  return turned;
}

void expect_solvable(const Model& model, const Model& turned) {
  validate(model, name_of(model));
  if (turned.quadratic.empty()) return;
  if (model.has_integers()) {
    throw input_error(name_of(model), "objective",
                      "a linear objective, since some columns are integer", "a quadratic one");
  }
  if (!is_convex(turned.quadratic)) {
    const bool minimise = model.sense == Sense::Minimize;
    throw input_error(name_of(model), "objective",
                      minimise ? "a convex quadratic objective to minimise"
                               : "a concave quadratic objective to maximise",
                      minimise ? "one that is not convex" : "one that is not concave");
  }
}

Model without_objective(const Model& model) {
  Model bare = model;
  for (Column& column : bare.columns) column.objective = 0;
  bare.quadratic.clear();
  return bare;
}

Solved infeasible(const Model& model, const Deadline& deadline) {
  return {.outcome = Outcome::Infeasible,
          .best_bound = kInfinity,
          .farkas = find_farkas(model, deadline.left())};
}

// Tells the two apart: unbounded means that there is a ray and a feasible point. Rays of the
// relaxation serve models with integers too, because their data are rational.
Solved unbounded_or_infeasible(const Model& model, const Limits& limits, const Deadline& deadline) {
  std::vector<double> ray = find_ray(model, deadline.left());
  if (ray.empty() && deadline.left().count() > 0) return infeasible(model, deadline);
  const Model bare = without_objective(model);
  const HighsResult feasible = run_carefully(bare, limits, deadline);
  if (feasible.status == HighsStatus::Infeasible) return infeasible(model, deadline);
  if (ray.empty() || !feasible.has_values)
    return {.outcome = Outcome::LimitReached, .best_bound = -kInfinity};
  return {.outcome = Outcome::Unbounded, .best_bound = -kInfinity, .ray = std::move(ray)};
}

Solved solve_continuous(const Model& model, const Limits& limits, const Deadline& deadline) {
  HighsResult result = run_carefully(model, limits, deadline);
  switch (result.status) {
    case HighsStatus::Infeasible:
      return infeasible(model, deadline);
    case HighsStatus::Unbounded:
    case HighsStatus::UnboundedOrInfeasible:
      return unbounded_or_infeasible(model, limits, deadline);
    case HighsStatus::LimitReached:
      return {.outcome = Outcome::LimitReached, .best_bound = -kInfinity};
    default:
      break;
  }
  for (size_t j = 0; j < result.values.size(); ++j) {
    result.values[j] = std::clamp(result.values[j], model.columns[j].lower, model.columns[j].upper);
  }
  Solution best{.objective = objective_at(model, result.values),
                .values = std::move(result.values),
                .row_duals = std::move(result.row_duals),
                .reduced_costs = std::move(result.reduced_costs)};
  return {.outcome = Outcome::Optimal, .best = std::move(best)};
}

// HiGHS does not look at the rows of a model without columns.
Solved solve_without_columns(const Model& model, const Deadline& deadline) {
  if (verify_feasible(model, {})) return infeasible(model, deadline);
  return {.outcome = Outcome::Optimal,
          .best = Solution{.objective = model.offset,
                           .values = {},
                           .row_duals = std::vector<double>(model.rows.size(), 0.0),
                           .reduced_costs = {}}};
}

Solved solve_minimising(const Model& model, const Limits& limits, const Deadline& deadline) {
  if (model.columns.empty()) return solve_without_columns(model, deadline);
  if (!model.has_integers()) return solve_continuous(model, limits, deadline);
  const auto solved = solve_integers(model, limits, deadline);
  if (!solved) return unbounded_or_infeasible(model, limits, deadline);
  if (solved->outcome == Outcome::Infeasible) return infeasible(model, deadline);
  return *solved;
}

void without_negative_zeros(std::vector<double>& values) {
  for (double& value : values) value += 0.0;
}

// Back to the sense and the data of the model as given; refuses an answer that does not hold.
void restore(const Model& model, Solved& solved) {
  const bool turned = model.sense == Sense::Maximize;
  if (turned) solved.best_bound = -solved.best_bound;
  if (!solved.best) return;
  Solution& best = *solved.best;
  without_negative_zeros(best.values);
  best.objective = objective_at(model, best.values) + 0.0;
  if (turned) {
    for (double& dual : best.row_duals) dual = -dual;
    for (double& cost : best.reduced_costs) cost = -cost;
  }
  without_negative_zeros(best.row_duals);
  without_negative_zeros(best.reduced_costs);
  if (solved.outcome == Outcome::Optimal && !model.has_integers())
    solved.best_bound = best.objective;
  if (const auto violation = verify(model, best)) {
    throw environment_error("HiGHS", "a solution of " + name_of(model),
                            "one that breaks " + to_string(*violation));
  }
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::Optimal:
      return "optimal";
    case Outcome::Infeasible:
      return "infeasible";
    case Outcome::Unbounded:
      return "unbounded";
    case Outcome::LimitReached:
      return "limit reached";
  }
  return "";
}

Solved solve(const Model& model, const Limits& limits) {
  const auto start = std::chrono::steady_clock::now();
  const Deadline deadline(limits.time);
  const Model turned = minimising(model);
  expect_solvable(model, turned);
  Solved solved = solve_minimising(turned, limits, deadline);
  restore(model, solved);
  solved.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return solved;
}

std::string solver_version() { return "HiGHS " + highs_version(); }

}  // namespace trex::solve
