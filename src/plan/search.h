// Which shapes to run, how many of each (heterogeneous serving, sections 8.2 and 8.3).
//
// One class of requests: machines are independent, so each kind of machine is filled by itself with
// the multiset of shapes that serves most, exactly (a knapsack over its devices). Several classes,
// models, a budget, or shapes that cross machines: a mixed-integer program.
//
// The same problem gives the same selection on every machine, busy or not: the solver counts nodes,
// not time. Throws Environment when the solver breaks down.
#pragma once

#include <vector>

#include "plan/shape.h"

namespace trex::plan {

enum class Objective {
  Throughput,  // the largest factor by which all classes' rates can grow
  Cost,        // the cheapest devices that serve the stated rates
};

struct Problem {
  std::vector<MachineKind> kinds;
  std::vector<ModelChoice> models;
  std::vector<RequestClass> classes;
  std::vector<Shape> shapes;  // usable ones
  Objective objective = Objective::Throughput;
  Network network;  // between machines
};

// Of many machines: a plan this near to the linear relaxation's bound counts as proved best.
inline constexpr double kProvedGap = 2e-3;

struct Selection {
  bool is_feasible = false;  // false: the stated rates cannot be served (Cost only)
  bool is_proved = true;     // the optimum; of many machines: within kProvedGap of it
  double gap = 0;  // at most so much better could another be: 0.003 is 0.3 % of the objective
  std::vector<int64_t> counts;  // instances of each shape
  // Factor on the classes' rates that the instances carry at their planned utilisation. A class
  // without a rate counts 1 request/s, so for one class this is requests/s.
  double scale = 0;
  double cost_usd_h = 0;
};

// Utilisation to plan for: 0.85 where somebody waits, 0.95 for bulk only.
double planned_utilisation(const Shape& shape, const std::vector<RequestClass>& classes);

// Of an instance: its share of its machines' prices.
double price_of(const Shape& shape, const std::vector<MachineKind>& kinds);

// Rate of a class as the planner counts it: 1 if not stated.
double nominal_rate(const RequestClass& request_class);

// Chooses between the two below.
Selection search(const Problem& problem);

// For the plan itself: where search() proves no optimum it looks further around the linear
// relaxation, which what-if questions (losers, sensitivity) need not pay for.
Selection search_thoroughly(const Problem& problem);

// One class, throughput, no shapes across machines.
Selection fill_machines(const Problem& problem);

// Nodes of branch and bound after which the solver hands over what it has.
struct NodeLimits {
  int64_t exact = 1;  // few machines: the whole program
  int64_t near = 1;   // many: near the linear relaxation,
  int64_t wide = 1;   // farther around it,
  int64_t whole = 1;  // and the whole program when neither has an answer
};

// Any problem, with the planner's own limits or others.
Selection solve_program(const Problem& problem);
Selection solve_program(const Problem& problem, const NodeLimits& nodes);

// The factor on the classes' rates that these instances carry, however the requests are best
// spread. 0 if a class has no instance that serves it.
double scale_of(const Problem& problem, const std::vector<int64_t>& counts);

// With counts fixed: the share of each class that each shape's instances should take so that the
// largest utilisation is smallest, at the rates that the plan carries. [class][shape]; rows sum
// to 1.
std::vector<std::vector<double>> class_shares(const Problem& problem, const Selection& selection);

// Device ids for every instance, [shape][instance] -> machine and devices. Empty if the counts
// cannot be packed into whole machines.
struct Place {
  size_t kind = 0;
  size_t machine = 0;  // within its kind; the first one of a pipeline across machines
  std::vector<int64_t> devices;
  std::vector<std::pair<size_t, size_t>>
      machines;  // all (kind, machine) of a pipeline across machines
};
std::vector<std::vector<Place>> pack(const Problem& problem, const std::vector<int64_t>& counts);

}  // namespace trex::plan
