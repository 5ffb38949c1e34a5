// The plan for serving models on an inventory of unlike machines: instances, what each is expected
// to do, how the router should weigh them, what else was considered and why it lost (heterogeneous
// serving, section 8).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "perf/derive.h"
#include "plan/search.h"
#include "simulate/summary.h"

namespace trex::plan {

struct PlanOptions {
  Objective objective = Objective::Throughput;
  ShapeOptions shapes;
  bool across_machines =
      false;  // try pipelines across machines even if one machine can hold a model
  size_t num_alternatives = 10;
};

// One engine process group, to be started.
struct PlannedInstance {
  std::string name;                   // "rack-a-0"
  size_t shape = 0;                   // index into Problem::shapes
  std::vector<std::string> machines;  // one, or one a stage
  std::vector<int64_t> devices;       // ids on the machine; empty across machines: all of them
  std::string device_text;            // "4x H100 SXM"
  perf::InstanceModel model;          // for simulator and gateway
  double fit_error = 0;               // median error of the compact form against the operator model
  double weight = 0;                  // router weight: requests/s over its classes' mix
  std::vector<double> class_share;    // of each class, 0 to 1
};

struct Alternative {
  std::string text;
  double scale = 0;                        // what the whole plan would carry; 0 if it cannot be
  double cost_usd_h = 0;                   // of its devices in use
  std::string reason;                      // why it lost
  std::shared_ptr<const Problem> problem;  // with its shape; null if it cannot be
  Selection selection;
};

struct Sensitivity {
  std::string device;          // 20 % less compute, bandwidth and link speed
  double scale = 0;            // of the plan made for it; 0: none carries the stated rates (cost)
  double cost_usd_h = 0;       // of that plan
  double unchanged_scale = 0;  // of this plan if the device turns out so
  bool same_choice = false;
};

// One of the best plans in the simulator (check.h).
struct CheckedPlan {
  std::string text;                   // what the closed form chose, or the alternative's
  size_t closed_form_rank = 0;        // 1: the closed form's best
  double scale = 0;                   // by the closed form
  double cost_usd_h = 0;              // of the devices in use
  simulate::Estimate goodput;         // share of requests that kept their limits, 0 to 1
  std::vector<double> class_goodput;  // of each class, mean
  simulate::Estimate requests_per_s;  // ends within [10 %, 90 %] of the arrivals' time
  simulate::Estimate first_token_s;   // mean
  simulate::Estimate per_token_s;     // mean
  bool is_taken = false;              // it is the plan
};

struct ServingPlan {
  Problem problem;
  Problem all_shapes;  // the same with dominated shapes, which may be running now
  Selection selection;
  std::vector<PlannedInstance> instances;
  std::vector<Alternative> alternatives;
  std::vector<Sensitivity> sensitivity;
  std::vector<CheckedPlan> checked;  // best goodput first; empty when nothing was simulated
  std::string verdict;               // of the simulation: which of them is the plan, and why
  std::vector<std::string> notes;
  int64_t shapes_considered = 0;
  bool calibrated = false;
};

// Throws Input at `where` when a model fits nowhere (by how much, and what would make it fit), the
// stated rates cannot be served or the cheapest machines are asked for and one has no price, and
// Environment when the solver fails.
ServingPlan plan_serving(const Inventory& inventory, const perf::Catalogue& catalogue,
                         std::vector<ModelChoice> models, const PlanOptions& options,
                         const std::string& where);

// The instances of the plan's selection, and whether all rest on measurements.
void describe_selection(ServingPlan& plan);

// The notes of the plan, and what the search may have missed.
std::vector<std::string> notes_of(const ServingPlan& plan);

// The instances of a selection on named machines, with the models that a simulator or a gateway
// needs.
std::vector<PlannedInstance> instances_of(const Problem& problem, const Selection& selection);

// The shapes of a problem: usable and not dominated in `problem.shapes`, all others in `rejected`.
Problem make_problem(const Inventory& inventory, const perf::Catalogue& catalogue,
                     std::vector<ModelChoice> models, const PlanOptions& options,
                     std::vector<Shape>& rejected);

}  // namespace trex::plan
