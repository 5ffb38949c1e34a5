// The mixed-integer program of section 8.3. With w_cs the requests/s of class c that shape s serves
// (lambda_c * theta * x_cs of the paper's form, which makes it linear):
//
//   maximise theta                       or  minimise sum of price_s * y_s with theta = 1
//   sum over s of w_cs = lambda_c * theta                         for every class
//   sum over c of w_cs / X_cs <= rho_s * y_s                      for every shape
//   sum over s of devices_s * y_s <= devices of the kind          for every kind of machine
//   sum over s of floor(devices_s / d) * y_s <= machines * floor(n / d)   for every size d: whole
//   machines
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <set>

#include "base/error.h"
#include "plan/search.h"
#include "solve/solve.h"

namespace trex::plan {
namespace {

using solve::Term;

// Up to here the program is solved to the proved optimum; beyond, near its linear relaxation and to
// a thousandth.
constexpr size_t kFewMachines = 16;
constexpr double kNearGap = 1e-3;
// What-if questions (losers, sensitivity) compare plans that differ by more than this.
constexpr double kWhatIfGap = 5e-3;
// A busy machine must not change a plan, so nodes of branch and bound are counted, never time.
constexpr std::chrono::hours kNoTimeLimit{24 * 365};
constexpr NodeLimits kNodes{.exact = 20'000, .near = 400, .wide = 400, .whole = 2'000};
// Reduced cost over the objective below which an unused shape may still fill what rounding leaves.
constexpr double kWorthTrying = 2e-3;

struct Columns {
  int64_t theta = -1;
  std::vector<int64_t> counts;               // y_s
  std::vector<std::vector<int64_t>> served;  // w_cs, -1 where s cannot serve c
};

int64_t most_instances(const Shape& shape, const std::vector<MachineKind>& kinds) {
  int64_t most = INT64_MAX;
  for (size_t k = 0; k < kinds.size(); ++k) {
    const int64_t devices = shape.devices_of_kind(k, kinds);
    if (devices == 0) continue;
    const int64_t per_machine = shape.crosses_machines() ? 0 : kinds[k].num_devices / devices;
    most = std::min(most, shape.crosses_machines()
                              ? kinds[k].total_devices() / devices
                              : per_machine * static_cast<int64_t>(kinds[k].machines.size()));
  }
  return most;
}

void add_whole_machines(const Problem& problem, const Columns& columns, size_t k,
                        solve::Model& model) {
  const MachineKind& kind = problem.kinds[k];
  std::set<int64_t> sizes{1};
  for (const Shape& shape : problem.shapes) {
    if (const int64_t devices = shape.devices_of_kind(k, problem.kinds); devices > 0) {
      sizes.insert(std::min(devices, kind.num_devices));
    }
  }
  for (const int64_t size : sizes) {
    std::vector<Term> terms;
    for (size_t s = 0; s < problem.shapes.size(); ++s) {
      const Shape& shape = problem.shapes[s];
      const int64_t devices = shape.devices_of_kind(k, problem.kinds);
      // A pipeline across machines takes whole machines.
      const int64_t units = shape.crosses_machines()
                                ? devices / kind.num_devices * (kind.num_devices / size)
                                : devices / size;
      if (units > 0) terms.push_back({columns.counts[s], static_cast<double>(units)});
    }
    const auto room =
        static_cast<double>(kind.num_devices / size * static_cast<int64_t>(kind.machines.size()));
    if (!terms.empty()) model.at_most(fmt::format("kind {} size {}", k, size), terms, room);
  }
}

Columns add_columns(const Problem& problem, solve::Model& model) {
  Columns columns;
  const bool is_cost = problem.objective == Objective::Cost;
  columns.theta = model.add_column({.name = "theta",
                                    .lower = is_cost ? 1.0 : 0.0,
                                    .upper = is_cost ? 1.0 : solve::kInfinity,
                                    .objective = is_cost ? 0.0 : 1.0});
  columns.served.assign(problem.classes.size(), std::vector<int64_t>(problem.shapes.size(), -1));
  for (size_t s = 0; s < problem.shapes.size(); ++s) {
    columns.counts.push_back(model.add_column(
        {.name = fmt::format("y{}", s),
         .domain = solve::Domain::Integer,
         .upper = static_cast<double>(most_instances(problem.shapes[s], problem.kinds)),
         .objective = is_cost ? price_of(problem.shapes[s], problem.kinds) : 0.0}));
    for (size_t c = 0; c < problem.classes.size(); ++c) {
      if (problem.shapes[s].classes[c].requests_per_s <= 0) continue;
      columns.served[c][s] = model.add_column({.name = fmt::format("w{}_{}", c, s)});
    }
  }
  return columns;
}

void add_rates(const Problem& problem, const Columns& columns, solve::Model& model) {
  for (size_t c = 0; c < problem.classes.size(); ++c) {
    std::vector<Term> terms{{columns.theta, -nominal_rate(problem.classes[c])}};
    for (const int64_t column : columns.served[c]) {
      if (column >= 0) terms.push_back({column, 1});
    }
    model.equal(fmt::format("class {}", c), terms, 0);
  }
  for (size_t s = 0; s < problem.shapes.size(); ++s) {
    std::vector<Term> terms{
        {columns.counts[s], -planned_utilisation(problem.shapes[s], problem.classes)}};
    for (size_t c = 0; c < problem.classes.size(); ++c) {
      if (columns.served[c][s] >= 0)
        terms.push_back({columns.served[c][s], 1 / problem.shapes[s].classes[c].requests_per_s});
    }
    model.at_most(fmt::format("shape {}", s), terms, 0);
  }
}

size_t num_machines(const Problem& problem) {
  size_t machines = 0;
  for (const MachineKind& kind : problem.kinds) machines += kind.machines.size();
  return machines;
}

struct Answer {
  std::vector<double> values;  // of all columns; empty: none
  double gap = 0;              // by which share of the objective a better answer could be better
  bool is_proved = false;
};

double gap_between(double bound, double objective) {
  return std::abs(objective - bound) / std::max(1e-300, std::abs(bound));
}

// Few machines: the whole program, to the proved optimum.
Answer solve_exactly(const solve::Model& model, const NodeLimits& nodes) {
  const solve::Solved solved = solve::solve(model, {.time = kNoTimeLimit, .nodes = nodes.exact});
  if (!solved.best) return {};
  const bool is_proved = solved.outcome == solve::Outcome::Optimal;
  return {solved.best->values,
          is_proved ? 0 : gap_between(solved.best_bound, solved.best->objective), is_proved};
}

// The program with every count within `reach` of its relaxed value, and a few of what the
// relaxation leaves out, to fill what rounding leaves, unless their reduced cost says that they
// never pay.
solve::Model neighbourhood(const solve::Model& model, const solve::Solution& relaxed,
                           double reach) {
  solve::Model near = model;
  for (size_t j = 0; j < near.columns.size(); ++j) {
    solve::Column& column = near.columns[j];
    if (column.domain != solve::Domain::Integer) continue;
    const double value = relaxed.values[j];
    const bool is_used = value > 1e-9;
    const bool may_pay =
        std::abs(relaxed.reduced_costs[j]) < kWorthTrying * reach * std::abs(relaxed.objective);
    column.lower = std::max(column.lower, std::floor(value + 1e-9) - reach);
    column.upper = std::min(column.upper, is_used   ? std::ceil(value - 1e-9) + reach
                                          : may_pay ? reach
                                                    : 0.0);
  }
  return near;
}

// Many machines: the linear relaxation, which has few fractional counts (at most one a row), then
// the program near it. Rounding costs a few machines' worth at most; the relaxation says how much
// it may be.
Answer solve_near_relaxation(const solve::Model& model, const NodeLimits& nodes, bool is_thorough) {
  solve::Model relaxed = model;
  for (solve::Column& column : relaxed.columns) column.domain = solve::Domain::Continuous;
  const solve::Solved bound = solve::solve(relaxed, {.time = kNoTimeLimit});
  if (!bound.best) return {};
  const auto gap = [&](const solve::Solution& s) {
    return gap_between(bound.best->objective, s.objective);
  };
  std::optional<solve::Solution> best;
  const auto keep = [&](const solve::Solved& solved) {
    if (solved.best && (!best || gap(*solved.best) < gap(*best))) best = solved.best;
  };
  const double wanted_gap = is_thorough ? kNearGap : kWhatIfGap;
  keep(solve::solve(neighbourhood(model, *bound.best, 1),
                    {.time = kNoTimeLimit, .nodes = nodes.near, .relative_gap = wanted_gap}));
  if (is_thorough && best && gap(*best) > kNearGap) {
    keep(solve::solve(neighbourhood(model, *bound.best, 3),
                      {.time = kNoTimeLimit, .nodes = nodes.wide, .relative_gap = kNearGap}));
  }
  // The neighbourhood has no whole answer, or none was found within the limit: the whole program.
  if (!best)
    keep(solve::solve(model,
                      {.time = kNoTimeLimit, .nodes = nodes.whole, .relative_gap = kNearGap}));
  if (!best) return {};
  return {best->values, gap(*best), gap(*best) <= kProvedGap};
}

Selection solve_whole(const Problem& problem, const NodeLimits& nodes, bool is_thorough) {
  solve::Model model{.name = "serving plan",
                     .sense = problem.objective == Objective::Cost ? solve::Sense::Minimize
                                                                   : solve::Sense::Maximize};
  const Columns columns = add_columns(problem, model);
  add_rates(problem, columns, model);
  for (size_t k = 0; k < problem.kinds.size(); ++k) add_whole_machines(problem, columns, k, model);
  const bool is_small = num_machines(problem) <= kFewMachines;
  Selection selection;
  selection.counts.assign(problem.shapes.size(), 0);
  // Sizes that do not divide one another may satisfy all rows and still not pack: then that many
  // devices are left free and the program is solved again.
  for (int64_t left_free = 0;; ++left_free) {
    const Answer answer =
        is_small ? solve_exactly(model, nodes) : solve_near_relaxation(model, nodes, is_thorough);
    if (answer.values.empty()) return selection;
    selection.is_feasible = true;
    selection.is_proved = answer.is_proved;
    selection.gap = answer.gap;
    selection.cost_usd_h = 0;
    double devices = 0;
    std::vector<Term> used;
    for (size_t s = 0; s < problem.shapes.size(); ++s) {
      selection.counts[s] = std::llround(answer.values[static_cast<size_t>(columns.counts[s])]);
      selection.cost_usd_h +=
          price_of(problem.shapes[s], problem.kinds) * static_cast<double>(selection.counts[s]);
      for (size_t k = 0; k < problem.kinds.size(); ++k) {
        const auto of_kind =
            static_cast<double>(problem.shapes[s].devices_of_kind(k, problem.kinds));
        devices += of_kind * static_cast<double>(selection.counts[s]);
        if (of_kind > 0) used.push_back({columns.counts[s], of_kind});
      }
    }
    selection.scale = answer.values[static_cast<size_t>(columns.theta)];
    const bool is_empty = devices == 0;
    if (is_empty || !pack(problem, selection.counts).empty()) return selection;
    model.at_most(fmt::format("leave {} free", left_free + 1), used, devices - 1);
  }
}

}  // namespace

Selection solve_program(const Problem& problem) { return solve_whole(problem, kNodes, false); }

Selection solve_program(const Problem& problem, const NodeLimits& nodes) {
  return solve_whole(problem, nodes, false);
}

Selection search_thoroughly(const Problem& problem) {
  const Selection selection = search(problem);
  const bool can_look_further = !selection.is_proved && num_machines(problem) > kFewMachines;
  return can_look_further ? solve_whole(problem, kNodes, true) : selection;
}

double scale_of(const Problem& problem, const std::vector<int64_t>& counts) {
  Problem fixed = problem;
  fixed.objective = Objective::Throughput;
  solve::Model model{.name = "given instances", .sense = solve::Sense::Maximize};
  const Columns columns = add_columns(fixed, model);
  add_rates(fixed, columns, model);
  for (size_t s = 0; s < counts.size(); ++s) {
    solve::Column& column = model.columns[static_cast<size_t>(columns.counts[s])];
    column.domain = solve::Domain::Continuous;
    column.lower = column.upper = static_cast<double>(counts[s]);
  }
  const solve::Solved solved = solve::solve(model, {.time = kNoTimeLimit});
  return solved.best ? solved.best->values[static_cast<size_t>(columns.theta)] : 0;
}

std::vector<std::vector<double>> class_shares(const Problem& problem, const Selection& selection) {
  std::vector<std::vector<double>> shares(problem.classes.size(),
                                          std::vector<double>(problem.shapes.size(), 0.0));
  solve::Model model{.name = "class shares"};
  const int64_t utilisation = model.add_column({.name = "U", .objective = 1});
  std::vector<std::vector<int64_t>> columns(problem.classes.size(),
                                            std::vector<int64_t>(problem.shapes.size(), -1));
  for (size_t c = 0; c < problem.classes.size(); ++c) {
    std::vector<Term> terms;
    for (size_t s = 0; s < problem.shapes.size(); ++s) {
      if (selection.counts[s] == 0 || problem.shapes[s].classes[c].requests_per_s <= 0) continue;
      columns[c][s] = model.add_column({.name = fmt::format("x{}_{}", c, s)});
      terms.push_back({columns[c][s], 1});
    }
    if (terms.empty()) return {};
    model.equal(fmt::format("class {}", c), terms, 1);
  }
  for (size_t s = 0; s < problem.shapes.size(); ++s) {
    if (selection.counts[s] == 0) continue;
    std::vector<Term> terms{{utilisation, -static_cast<double>(selection.counts[s])}};
    for (size_t c = 0; c < problem.classes.size(); ++c) {
      if (columns[c][s] < 0) continue;
      terms.push_back({columns[c][s], nominal_rate(problem.classes[c]) * selection.scale /
                                          problem.shapes[s].classes[c].requests_per_s});
    }
    model.at_most(fmt::format("shape {}", s), terms, 0);
  }
  const solve::Solved solved = solve::solve(model, {.time = kNoTimeLimit});
  if (!solved.best) return {};
  for (size_t c = 0; c < problem.classes.size(); ++c) {
    for (size_t s = 0; s < problem.shapes.size(); ++s) {
      if (columns[c][s] >= 0)
        shares[c][s] = std::max(0.0, solved.best->values[static_cast<size_t>(columns[c][s])]);
    }
  }
  return shares;
}

}  // namespace trex::plan
