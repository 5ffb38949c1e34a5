#include "solve/branch.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

#include "base/error.h"
#include "solve/evaluate.h"
#include "solve/verify.h"

namespace trex::solve {
namespace {

// Whole up to here is taken for whole: rounding by so little cannot hide behind a big-M of 1e6.
constexpr double kWhole = 1e-11;

// By how much rounding may move the objective before the solution counts as a different one.
constexpr double kRounding = 1e-9;

// Our own nodes, each a whole run of HiGHS. More than a few mean a hopeless model.
constexpr int kMaxNodes = 500;

bool has_large_numbers(const Model& model) {
  const auto large = [](double value) { return !is_infinite(value) && std::abs(value) > 1e5; };
  return std::any_of(model.rows.begin(), model.rows.end(),
                     [&](const Row& row) { return large(row.lower) || large(row.upper); }) ||
         std::any_of(
             model.columns.begin(), model.columns.end(),
             [&](const Column& column) { return large(column.lower) || large(column.upper); }) ||
         std::any_of(model.matrix.begin(), model.matrix.end(),
                     [&](const Entry& entry) { return large(entry.value); });
}

struct Change {
  size_t column;
  double lower, upper;
};

struct Node {
  double bound;
  int64_t number;  // ties go to the older node
  std::vector<Change> changes;

  bool operator>(const Node& other) const {
    return std::pair(bound, number) > std::pair(other.bound, other.number);
  }
};

Model with_changes(const Model& model, const std::vector<Change>& changes) {
  Model changed = model;
  for (const Change& change : changes) {
    changed.columns[change.column].lower = change.lower;
    changed.columns[change.column].upper = change.upper;
  }
  return changed;
}

class IntegerSearch {
 public:
  IntegerSearch(const Model& model, const Limits& limits, const Deadline& deadline)
      : model_(model), limits_(limits), deadline_(deadline) {}

  std::optional<Solved> run() {
    push({.bound = -kInfinity, .number = 0, .changes = {}});
    while (!open_.empty() && open_.top().bound < cutoff()) {
      if (deadline_.left().count() <= 0 || num_nodes_ >= kMaxNodes || nodes_ >= limits_.nodes)
        return finish(Outcome::LimitReached);
      const Node node = open_.top();
      open_.pop();
      const Model part = with_changes(model_, node.changes);
      Limits left = limits_;
      left.nodes -= nodes_;
      const HighsResult result = run_carefully(part, left, deadline_);
      nodes_ += result.nodes;
      if (result.status == HighsStatus::Infeasible) continue;
      if (result.status == HighsStatus::Unbounded ||
          result.status == HighsStatus::UnboundedOrInfeasible) {
        if (node.changes.empty()) return {};
        continue;  // the whole is bounded, so a part of it is infeasible
      }
      const bool is_cut = result.status == HighsStatus::LimitReached;
      const double bound = std::max(node.bound, result.bound);
      const bool settled = !result.has_values || accept(part, result.values, bound);
      if (is_cut) {
        push({.bound = bound, .number = 0, .changes = node.changes});
        return finish(Outcome::LimitReached);
      }
      lowest_bound_ = std::min(lowest_bound_, bound);
      if (!settled) branch(part, node, result.values, bound);
    }
    return finish(best_ ? Outcome::Optimal : Outcome::Infeasible);
  }

 private:
  double gap() const {
    const double size = std::abs(best_->objective);
    return std::max(
        {limits_.absolute_gap, limits_.relative_gap * size, kRounding * std::max(1.0, size)});
  }

  // Nodes with this bound or more cannot improve the best solution.
  double cutoff() const { return best_ ? best_->objective - gap() : kInfinity; }

  void push(Node node) {
    node.number = num_nodes_++;
    open_.push(std::move(node));
  }

  // Fixes the integers at whole values and solves the LP that remains. True when nothing better
  // than its solution can lie in this part.
  bool accept(const Model& part, const std::vector<double>& values, double bound) {
    Model fixed = part;
    double farthest = 0;
    for (size_t j = 0; j < values.size(); ++j) {
      Column& column = fixed.columns[j];
      if (column.domain == Domain::Continuous) continue;
      const double whole = std::clamp(std::round(values[j]), column.lower, column.upper);
      farthest = std::max(farthest, std::abs(values[j] - whole));
      column = {.name = column.name, .lower = whole, .upper = whole, .objective = column.objective};
    }
    // A solution found in the last moment still gets its short LP.
    const Deadline grace(std::chrono::milliseconds(1000));
    HighsResult result =
        run_carefully(fixed, limits_, grace.left() > deadline_.left() ? grace : deadline_);
    if (result.status != HighsStatus::Optimal) return false;
    for (size_t j = 0; j < values.size(); ++j) {
      result.values[j] =
          std::clamp(result.values[j], fixed.columns[j].lower, fixed.columns[j].upper);
    }
    if (verify_feasible(model_, result.values)) return false;
    const double objective = objective_at(model_, result.values);
    if (!best_ || objective < best_->objective) {
      best_ = Solution{.objective = objective,
                       .values = std::move(result.values),
                       .row_duals = std::move(result.row_duals),
                       .reduced_costs = std::move(result.reduced_costs)};
    }
    // With whole integers a difference is the tolerance of the LPs, not a cheated constraint.
    return bound >= cutoff() ||
           (farthest <= kWhole && objective - bound <= 1e-6 * std::max(1.0, std::abs(objective)));
  }

  // Cuts the refused values off: at the least whole of the integers, or, when all are whole, around
  // one that is still free.
  void branch(const Model& part, const Node& node, const std::vector<double>& values,
              double bound) {
    size_t chosen = values.size();
    double farthest = -1;
    for (size_t j = 0; j < values.size(); ++j) {
      const Column& column = part.columns[j];
      if (column.domain == Domain::Continuous || column.lower == column.upper) continue;
      const double distance = std::abs(values[j] - std::round(values[j]));
      if (distance > farthest) chosen = j, farthest = distance;
    }
    if (chosen == values.size()) return;  // all fixed: the LP has spoken
    const Column& column = part.columns[chosen];
    const auto child = [&](double lower, double upper) {
      lower = std::max(lower, column.lower), upper = std::min(upper, column.upper);
      if (lower > upper) return;
      Node next{.bound = bound, .number = 0, .changes = node.changes};
      next.changes.push_back({chosen, lower, upper});
      push(std::move(next));
    };
    const double value = values[chosen], whole = std::round(value);
    if (farthest > 0) {
      child(-kInfinity, std::floor(value));
      child(std::ceil(value), kInfinity);
    } else {
      child(-kInfinity, whole - 1);
      child(whole, whole);
      child(whole + 1, kInfinity);
    }
  }

  Solved finish(Outcome outcome) {
    Solved solved{
        .outcome = outcome, .best = std::move(best_), .best_bound = kInfinity, .nodes = nodes_};
    if (solved.best) solved.best_bound = solved.best->objective;
    solved.best_bound = std::min(solved.best_bound, lowest_bound_);
    if (outcome == Outcome::LimitReached && !open_.empty()) {
      solved.best_bound = std::min(solved.best_bound, open_.top().bound);
    }
    return solved;
  }

  const Model& model_;
  const Limits& limits_;
  const Deadline& deadline_;
  std::priority_queue<Node, std::vector<Node>, std::greater<>> open_;
  std::optional<Solution> best_;
  double lowest_bound_ = kInfinity;
  int64_t num_nodes_ = 0, nodes_ = 0;
};

}  // namespace

HighsResult run_carefully(const Model& model, const Limits& limits, const Deadline& deadline) {
  if (deadline.left().count() <= 0) return {.status = HighsStatus::LimitReached};
  HighsSettings settings{.time = deadline.left(),
                         .nodes = limits.nodes,
                         .relative_gap = limits.relative_gap,
                         .absolute_gap = limits.absolute_gap};
  HighsResult result = run_highs(model, settings);
  const bool doubtful = result.status == HighsStatus::Infeasible && has_large_numbers(model);
  if (result.status != HighsStatus::Unclear && !doubtful) return result;
  for (const auto& [tolerance, presolve] : {std::pair(1e-7, true), {1e-6, true}, {1e-7, false}}) {
    settings.time = deadline.left();
    settings.tolerance = tolerance;
    settings.presolve = presolve;
    const HighsResult again = run_highs(model, settings);
    if (again.status != HighsStatus::Unclear) return again;
  }
  if (doubtful) return result;
  throw environment_error("HiGHS", "a clear answer at tolerances from 1e-9 to 1e-6", "none");
}

std::optional<Solved> solve_integers(const Model& model, const Limits& limits,
                                     const Deadline& deadline) {
  return IntegerSearch(model, limits, deadline).run();
}

}  // namespace trex::solve
