#include "solve/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "solve/evaluate.h"

namespace trex::solve {
namespace {

using Found = std::optional<Violation>;

Found wrong_length(const char* what, size_t got, size_t expected) {
  if (got == expected) return {};
  return Violation{fmt::format("number of {}", what), double(got), double(expected),
                   std::abs(double(got) - double(expected))};
}

// `value` within [lower, upper], up to tolerance * scale.
Found outside(const std::string& what, double value, double lower, double upper, double tolerance,
              double scale = 1) {
  if (std::isnan(value)) return Violation{what, value, lower, kInfinity};
  const double below = (lower - value) / scale, above = (value - upper) / scale;
  if (!is_infinite(lower) && below > tolerance) return Violation{what, value, lower, below};
  if (!is_infinite(upper) && above > tolerance) return Violation{what, value, upper, above};
  return {};
}

std::string column_text(const Model& model, size_t j) {
  return "column " + in_quotes(model.columns[j].name);
}

std::string row_text(const Model& model, size_t i) {
  return "row " + in_quotes(model.rows[i].name);
}

// c + Qx - A'y with the sum of the sizes of its terms, one a column.
struct Gradient {
  std::vector<double> value, size;
};

Gradient gradient_at(const Model& model, const std::vector<double>& cost,
                     const std::vector<double>& values, const std::vector<double>& row_duals) {
  std::vector<CompensatedSum> sums(model.columns.size());
  Gradient gradient{.value = {}, .size = std::vector<double>(model.columns.size(), 0.0)};
  const auto add = [&](int64_t column, double a, double b) {
    sums[static_cast<size_t>(column)].add_product(a, b);
    gradient.size[static_cast<size_t>(column)] += std::abs(a * b);
  };
  for (size_t j = 0; j < cost.size(); ++j) add(static_cast<int64_t>(j), cost[j], 1);
  for (const Entry& entry : model.matrix) {
    add(entry.column, entry.value, -row_duals[static_cast<size_t>(entry.row)]);
  }
  for (const QuadraticEntry& entry : model.quadratic) {
    if (values.empty()) break;
    add(entry.column, entry.value, values[static_cast<size_t>(entry.other)]);
    if (entry.other != entry.column)
      add(entry.other, entry.value, values[static_cast<size_t>(entry.column)]);
  }
  for (const CompensatedSum& sum : sums) gradient.value.push_back(sum.value());
  return gradient;
}

// Adds multiplier * (the bound it leans on) to a dual bound: positive multipliers lean on the lower
// one. A multiplier no larger than `negligible` may lean on nothing.
Found lean(const std::string& what, double multiplier, double lower, double upper,
           double negligible, CompensatedSum& sum, double& size) {
  if (multiplier == 0) return {};
  const double bound = multiplier > 0 ? lower : upper;
  if (is_infinite(bound)) {
    if (std::abs(multiplier) <= negligible) return {};
    return Violation{what + ": multiplier of an infinite bound", multiplier, 0,
                     std::abs(multiplier)};
  }
  sum.add_product(multiplier, bound);
  size += std::abs(multiplier * bound);
  return {};
}

}  // namespace

std::string to_string(const Violation& violation) {
  return fmt::format("{}: {} misses {} by {:.3g}", violation.what, shortest(violation.value),
                     shortest(violation.limit), violation.excess);
}

Found verify_feasible(const Model& model, const std::vector<double>& values, double tolerance) {
  if (auto found = wrong_length("values", values.size(), model.columns.size())) return found;
  for (size_t j = 0; j < values.size(); ++j) {
    const Column& column = model.columns[j];
    if (!std::isfinite(values[j])) return Violation{column_text(model, j), values[j], 0, kInfinity};
    const double scale = std::max({1.0, is_infinite(column.lower) ? 0 : std::abs(column.lower),
                                   is_infinite(column.upper) ? 0 : std::abs(column.upper)});
    if (auto found = outside(column_text(model, j), values[j], column.lower, column.upper,
                             tolerance, scale)) {
      return found;
    }
    const double whole = std::round(values[j]);
    if (column.domain != Domain::Continuous && std::abs(values[j] - whole) > tolerance) {
      return Violation{column_text(model, j) + ": integrality", values[j], whole,
                       std::abs(values[j] - whole)};
    }
  }
  const std::vector<double> activities = activities_at(model, values);
  std::vector<double> sizes = row_scales(model);
  for (const Entry& entry : model.matrix) {
    // Numbers of 1e9 that cancel cannot meet an absolute tolerance in double precision.
    double& size = sizes[static_cast<size_t>(entry.row)];
    size = std::max(size, 1e-6 * std::abs(entry.value * values[static_cast<size_t>(entry.column)]));
  }
  for (size_t i = 0; i < activities.size(); ++i) {
    const Row& row = model.rows[i];
    if (auto found =
            outside(row_text(model, i), activities[i], row.lower, row.upper, tolerance, sizes[i])) {
      return found;
    }
  }
  return {};
}

Found verify(const Model& model, const Solution& solution, double tolerance) {
  if (auto found = verify_feasible(model, solution.values, tolerance)) return found;
  const double objective = objective_at(model, solution.values);
  const double excess =
      std::abs(solution.objective - objective) / std::max(1.0, std::abs(objective));
  if (!(excess <= tolerance)) return Violation{"objective", solution.objective, objective, excess};
  return {};
}

Found verify_optimal(const Model& model, const Solution& solution, double tolerance) {
  if (auto found = wrong_length("values", solution.values.size(), model.columns.size()))
    return found;
  if (auto found = wrong_length("row duals", solution.row_duals.size(), model.rows.size()))
    return found;
  if (auto found =
          wrong_length("reduced costs", solution.reduced_costs.size(), model.columns.size()))
    return found;
  std::vector<double> cost;
  for (const Column& column : model.columns) cost.push_back(column.objective);
  const Gradient gradient = gradient_at(model, cost, solution.values, solution.row_duals);
  const double sign = model.sense == Sense::Minimize ? 1 : -1;  // dual signs turn with the sense

  CompensatedSum dual;
  dual.add(model.offset);
  double size = std::abs(model.offset);
  for (size_t i = 0; i < model.rows.size(); ++i) {
    const Row& row = model.rows[i];
    const double multiplier = solution.row_duals[i];
    const auto& [lower, upper] =
        sign > 0 ? std::pair(row.lower, row.upper) : std::pair(row.upper, row.lower);
    if (auto found = lean(row_text(model, i), multiplier, lower, upper, tolerance, dual, size))
      return found;
  }
  for (size_t j = 0; j < model.columns.size(); ++j) {
    const Column& column = model.columns[j];
    const double scale = 1 + gradient.size[j];
    const double excess = std::abs(gradient.value[j] - solution.reduced_costs[j]) / scale;
    if (!(excess <= tolerance)) {
      return Violation{column_text(model, j) + ": reduced cost", solution.reduced_costs[j],
                       gradient.value[j], excess};
    }
    const auto& [lower, upper] =
        sign > 0 ? std::pair(column.lower, column.upper) : std::pair(column.upper, column.lower);
    if (auto found = lean(column_text(model, j), gradient.value[j], lower, upper, tolerance * scale,
                          dual, size)) {
      return found;
    }
  }
  for (const QuadraticEntry& entry : model.quadratic) {  // the Lagrangian's dual loses x'Qx / 2
    const double product = solution.values[static_cast<size_t>(entry.column)] *
                           solution.values[static_cast<size_t>(entry.other)];
    dual.add_product(entry.column == entry.other ? -entry.value / 2 : -entry.value, product);
    size += std::abs(entry.value * product);
  }
  const double objective = objective_at(model, solution.values);
  const double excess = std::abs(objective - dual.value()) / (1 + size);
  if (!(excess <= tolerance)) return Violation{"duality gap", objective, dual.value(), excess};
  return {};
}

Found verify_infeasible(const Model& model, const std::vector<double>& farkas, double tolerance) {
  if (auto found = wrong_length("multipliers", farkas.size(), model.rows.size())) return found;
  const std::vector<double> no_cost(model.columns.size(), 0.0);
  const Gradient gradient = gradient_at(model, no_cost, {}, farkas);  // -A'y
  // Rows give sum(y * row) >= its dual bound; columns within bounds cannot reach it.
  CompensatedSum bound;
  double size = 0;
  for (size_t i = 0; i < farkas.size(); ++i) {
    if (!std::isfinite(farkas[i])) return Violation{row_text(model, i), farkas[i], 0, kInfinity};
    if (auto found = lean(row_text(model, i), farkas[i], model.rows[i].lower, model.rows[i].upper,
                          0, bound, size)) {
      return found;
    }
  }
  for (size_t j = 0; j < model.columns.size(); ++j) {
    const Column& column = model.columns[j];
    if (auto found = lean(column_text(model, j), gradient.value[j], column.lower, column.upper,
                          tolerance * gradient.size[j], bound, size)) {
      return found;
    }
  }
  const double surplus = bound.value();
  if (!(surplus > tolerance * size) || surplus <= 0) {
    return Violation{"sum of the rows", surplus, 0, tolerance * size - surplus};
  }
  return {};
}

Found verify_unbounded(const Model& model, const std::vector<double>& ray, double tolerance) {
  if (auto found = wrong_length("ray entries", ray.size(), model.columns.size())) return found;
  double length = 0;
  for (const double entry : ray) length = std::max(length, std::abs(entry));
  if (!std::isfinite(length) || length == 0)
    return Violation{"length of the ray", length, 1, kInfinity};
  const auto cone = [](double bound, double infinite) {
    return is_infinite(bound) ? infinite : 0.0;
  };
  for (size_t j = 0; j < ray.size(); ++j) {
    const Column& column = model.columns[j];
    if (auto found = outside(column_text(model, j), ray[j], cone(column.lower, -kInfinity),
                             cone(column.upper, kInfinity), 0)) {
      return found;
    }
  }
  const std::vector<double> activities = activities_at(model, ray), scales = row_scales(model);
  for (size_t i = 0; i < activities.size(); ++i) {
    if (auto found =
            outside(row_text(model, i), activities[i], cone(model.rows[i].lower, -kInfinity),
                    cone(model.rows[i].upper, kInfinity), tolerance, scales[i] * length)) {
      return found;
    }
  }
  std::vector<double> cost;
  double cost_scale = 0;
  CompensatedSum gain;
  for (size_t j = 0; j < ray.size(); ++j) {
    gain.add_product(model.columns[j].objective, ray[j]);
    cost_scale = std::max(cost_scale, std::abs(model.columns[j].objective));
  }
  const double improvement = (model.sense == Sense::Minimize ? -1 : 1) * gain.value();
  if (!(improvement > 10 * tolerance * cost_scale * length)) {
    return Violation{"objective along the ray", gain.value(), 0, -improvement};
  }
  const std::vector<double> no_cost(ray.size(), 0.0), no_duals(model.rows.size(), 0.0);
  const Gradient curvature = gradient_at(model, no_cost, ray, no_duals);  // Q d
  for (size_t j = 0; j < ray.size(); ++j) {
    if (std::abs(curvature.value[j]) > tolerance * (curvature.size[j] + length)) {
      return Violation{column_text(model, j) + ": curvature along the ray", curvature.value[j], 0,
                       std::abs(curvature.value[j])};
    }
  }
  return {};
}

}  // namespace trex::solve
