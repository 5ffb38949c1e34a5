#include "solve/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solve/evaluate.h"
#include "solve/highs.h"
#include "solve/verify.h"

namespace trex::solve {
namespace {

// Solves an LP that has an optimum by construction. Empty values when time ran out.
HighsResult solve_auxiliary(const Model& model, std::chrono::duration<double> time) {
  HighsResult result = run_highs(model, {.time = time});
  if (result.status == HighsStatus::Unclear) {
    result = run_highs(model, {.time = time, .presolve = false, .tolerance = 1e-7});
  }
  if (result.status != HighsStatus::Optimal) return {.status = result.status};
  return result;
}

// Multipliers that are rounding, and those that lean on a side which the row does not have.
void drop_noise(const Model& model, std::vector<double>& farkas) {
  double largest = 0;
  for (const double multiplier : farkas) largest = std::max(largest, std::abs(multiplier));
  for (size_t i = 0; i < farkas.size(); ++i) {
    const Row& row = model.rows[i];
    const double side = farkas[i] > 0 ? row.lower : row.upper;
    if (std::abs(farkas[i]) <= 1e-12 * largest || is_infinite(side)) farkas[i] = 0;
  }
}

}  // namespace

std::vector<double> find_farkas(const Model& model, std::chrono::duration<double> time) {
  Model elastic;
  for (Column column : model.columns) {
    column.objective = 0;
    column.domain = Domain::Continuous;
    elastic.columns.push_back(std::move(column));
  }
  elastic.rows = model.rows;
  elastic.matrix = model.matrix;
  const std::vector<double> scales = row_scales(model);
  for (size_t i = 0; i < model.rows.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    if (!is_infinite(model.rows[i].lower)) {
      elastic.matrix.push_back({row, elastic.add_column({.name = {}, .objective = 1}), scales[i]});
    }
    if (!is_infinite(model.rows[i].upper)) {
      elastic.matrix.push_back({row, elastic.add_column({.name = {}, .objective = 1}), -scales[i]});
    }
  }
  if (elastic.columns.empty()) return {};
  std::vector<double> farkas = solve_auxiliary(elastic, time).row_duals;
  drop_noise(model, farkas);
  if (farkas.empty() || verify_infeasible(model, farkas)) return {};
  return farkas;
}

std::vector<double> find_ray(const Model& model, std::chrono::duration<double> time) {
  Model cone;
  double cost_scale = 0;
  for (const Column& column : model.columns) {
    cost_scale = std::max(cost_scale, std::abs(column.objective));
  }
  if (cost_scale == 0) return {};
  for (const Column& column : model.columns) {
    cone.add_column({.name = {},
                     .lower = is_infinite(column.lower) ? -1.0 : 0.0,
                     .upper = is_infinite(column.upper) ? 1.0 : 0.0,
                     .objective = column.objective / cost_scale});
  }
  for (const Row& row : model.rows) {
    cone.add_row({}, {}, is_infinite(row.lower) ? -kInfinity : 0.0,
                 is_infinite(row.upper) ? kInfinity : 0.0);
  }
  cone.matrix = model.matrix;
  // Along a ray the quadratic part must stay as it is: Q d = 0.
  std::vector<std::vector<Term>> curvature(model.quadratic.empty() ? 0 : model.columns.size());
  for (const QuadraticEntry& entry : model.quadratic) {
    curvature[static_cast<size_t>(entry.column)].push_back({entry.other, entry.value});
    if (entry.other != entry.column) {
      curvature[static_cast<size_t>(entry.other)].push_back({entry.column, entry.value});
    }
  }
  for (const std::vector<Term>& terms : curvature) {
    if (!terms.empty()) cone.equal({}, terms, 0);
  }
  std::vector<double> ray = solve_auxiliary(cone, time).values;
  if (ray.empty() || verify_unbounded(model, ray)) return {};
  return ray;
}

}  // namespace trex::solve
