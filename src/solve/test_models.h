// Small models with answers known from textbooks or by hand, for the tests of this module.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "solve/solve.h"

namespace trex::solve {

struct KnownModel {
  Model model;
  Outcome outcome;
  std::optional<double> objective;
};

inline void PrintTo(const KnownModel& known, std::ostream* out) { *out << known.model.name; }

// `num` columns named x0, x1, ... with these objective coefficients.
inline Model columns_with(const std::vector<double>& objective, Domain domain = Domain::Continuous,
                          Sense sense = Sense::Minimize) {
  Model model;
  model.sense = sense;
  for (size_t j = 0; j < objective.size(); ++j) {
    model.add_column(
        {.name = "x" + std::to_string(j), .domain = domain, .objective = objective[j]});
  }
  return model;
}

// max 3x + 5y; x <= 4, 2y <= 12, 3x + 2y <= 18 (Wyndor Glass): 36 at (2, 6).
inline Model wyndor() {
  Model model = columns_with({3, 5}, Domain::Continuous, Sense::Maximize);
  model.name = "wyndor";
  model.at_most("plant1", {{0, 1}}, 4);
  model.at_most("plant2", {{1, 2}}, 12);
  model.at_most("plant3", {{0, 3}, {1, 2}}, 18);
  return model;
}

inline Model knapsack() {  // weights 2 3 4 5, values 3 4 5 6, capacity 5: items 0 and 1, value 7
  Model model = columns_with({3, 4, 5, 6}, Domain::Binary, Sense::Maximize);
  model.name = "knapsack";
  model.at_most("capacity", {{0, 2}, {1, 3}, {2, 4}, {3, 5}}, 5);
  return model;
}

// One plant with a big-M of a million and a demand of 1: a binary of 0.000001 would serve it.
// Opening costs 5000, a unit 3: 5003.
inline Model big_m() {
  Model model = columns_with({3}, Domain::Continuous);
  model.name = "big_m";
  model.add_column({.name = "open", .domain = Domain::Binary, .objective = 5000});
  model.equal("demand", {{0, 1}}, 1);
  model.at_most("link", {{0, 1}, {1, -1e6}}, 0);
  return model;
}

inline std::vector<KnownModel> known_models() {
  std::vector<KnownModel> models;
  const auto add = [&](const char* name, Model model, Outcome outcome,
                       std::optional<double> objective = {}) {
    model.name = name;
    models.push_back({std::move(model), outcome, objective});
  };
  add("wyndor", wyndor(), Outcome::Optimal, 36);
  add("knapsack", knapsack(), Outcome::Optimal, 7);
  add("big_m", big_m(), Outcome::Optimal, 5003);

  Model integer =
      columns_with({5, 4}, Domain::Integer, Sense::Maximize);  // relaxation 21 at (3, 1.5)
  integer.at_most("a", {{0, 6}, {1, 4}}, 24);
  integer.at_most("b", {{0, 1}, {1, 2}}, 6);
  add("integer_gap", integer, Outcome::Optimal, 20);

  Model transport = columns_with({8, 6, 10, 9, 12, 13});  // supplies 50, 60; demands 30, 40, 40
  transport.at_most("s0", {{0, 1}, {1, 1}, {2, 1}}, 50);
  transport.at_most("s1", {{3, 1}, {4, 1}, {5, 1}}, 60);
  for (int64_t d = 0; d < 3; ++d) {
    transport.equal("d" + std::to_string(d), {{d, 1}, {d + 3, 1}}, d == 0 ? 30 : 40);
  }
  // Route costs by hand: d1 from s0 (6 against 12 saves 6), then 10 of d2 from s0 (saves 3).
  add("transport", transport, Outcome::Optimal, 30 * 9 + 40 * 6 + 10 * 10 + 30 * 13);

  Model offset = columns_with({1});
  offset.offset = 1e10;
  offset.at_least("r", {{0, 3}}, 1);
  add("offset", offset, Outcome::Optimal, 1e10 + 1.0 / 3);

  Model range = columns_with({-1, 0});
  range.add_row("range", {{0, 1}, {1, 1}}, 2, 7);
  range.equal("fix", {{1, 2}}, 3);
  add("range", range, Outcome::Optimal, -5.5);

  Model free_column = columns_with({1});
  free_column.columns[0].lower = -kInfinity;
  free_column.at_least("floor", {{0, 1}}, -7.5);
  add("free_column", free_column, Outcome::Optimal, -7.5);

  Model quadratic =
      columns_with({-2, -5});  // x^2 + y^2 - 2x - 5y with x + y = 2: -6.125 at (1/4, 7/4)
  quadratic.quadratic = {{0, 0, 2}, {1, 1, 2}};
  quadratic.equal("sum", {{0, 1}, {1, 1}}, 2);
  add("quadratic", quadratic, Outcome::Optimal, -6.125);

  Model contradictory = columns_with({1, 1});
  contradictory.at_least("high", {{0, 1}, {1, 1}}, 5);
  contradictory.at_most("low", {{0, 1}, {1, 1}}, 4);
  add("contradictory", contradictory, Outcome::Infeasible);

  Model by_bounds = columns_with({0, 0});
  by_bounds.columns[0].upper = by_bounds.columns[1].upper = 2;
  by_bounds.at_least("too_much", {{0, 1}, {1, 2}}, 7);
  add("by_bounds", by_bounds, Outcome::Infeasible);

  Model empty_row = columns_with({1});
  empty_row.at_most("false", {}, -1);
  add("empty_row", empty_row, Outcome::Infeasible);

  Model parity = columns_with({0, 0}, Domain::Integer);
  parity.columns[0].upper = parity.columns[1].upper = 10;
  parity.equal("odd", {{0, 2}, {1, 2}}, 7);
  add("parity", parity, Outcome::Infeasible);

  Model unbounded = columns_with({1, 1}, Domain::Continuous, Sense::Maximize);
  unbounded.at_most("difference", {{0, 1}, {1, -1}}, 1);
  add("unbounded", unbounded, Outcome::Unbounded);

  Model unbounded_integers = columns_with({1, 0}, Domain::Integer, Sense::Maximize);
  unbounded_integers.at_most("difference", {{0, 3}, {1, -2}}, 1);
  add("unbounded_integers", unbounded_integers, Outcome::Unbounded);

  Model both = columns_with({1, 0}, Domain::Continuous, Sense::Maximize);  // a ray, but no point
  both.at_least("high", {{1, 1}}, 5);
  both.at_most("low", {{1, 1}}, 4);
  add("ray_without_point", both, Outcome::Infeasible);

  add("no_rows", columns_with({2, 3}), Outcome::Optimal, 0);
  Model no_columns;
  no_columns.offset = 4;
  no_columns.at_most("true", {}, 0);
  add("no_columns", no_columns, Outcome::Optimal, 4);
  Model nothing_possible;
  nothing_possible.at_least("false", {}, 1);
  add("no_columns_infeasible", nothing_possible, Outcome::Infeasible);
  return models;
}

}  // namespace trex::solve
