// What runs now against a fresh plan (heterogeneous serving, section 8.6): hints for a person,
// never actions.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "plan/roles.h"
#include "plan/serving_plan.h"

namespace trex::plan {

struct DutyChange {
  std::string machine;
  std::string from, to;    // "1x Llama-3.1-70B bf16 TP8"; "nothing"
  double gain = 0;         // of the whole's scale if only this machine changed: 0.18 is 18 %
  double saves_usd_h = 0;  // if only this machine changed
};

// An instance that runs, as the plan file names it.
struct RunningInstance {
  std::string name;
  std::string machine;
  Duty duty;
};

// The role that one instance should change to.
struct RoleAdvice {
  std::string instance;
  std::string model;
  RoleFlip flip;
};

struct DutyDiff {
  double current_scale = 0;  // what the running instances carry, by the same models
  double planned_scale = 0;
  bool states_rates = false;  // the scale is then the share of the stated rates
  bool is_cost = false;       // the plan is the cheapest one, so that prices are compared
  double current_usd_h = 0, planned_usd_h = 0;  // of the devices in use
  std::vector<DutyChange> changes;              // largest gain, or saving, first
  std::vector<RunningInstance> instances;
  Duties running, planned;                // shapes are indices into ServingPlan::all_shapes.shapes
  std::vector<PhaseLoad> phases;          // of models whose instances have roles
  std::optional<RoleAdvice> role_advice;  // at the planned rates and lengths
};

// `current` is a plan file of an earlier run (docs/formats.md, "Serving plan"). Throws Input at
// `where` for another format, a machine, model, quantisation or layout that the inventory and the
// options do not have, devices taken twice, an unknown role, and prefill instances without a decode
// instance of their model, or the other way round.
DutyDiff diff_duties(const ServingPlan& plan, const Json& current, const std::string& where);

std::string duties_table(const DutyDiff& diff);
// The named instance of a flip.
RoleAdvice advice_of(const Problem& problem, const DutyDiff& diff, const RoleFlip& flip);
std::string role_text(const RoleAdvice& advice);
Json role_json(const RoleAdvice& advice);

// What the stated rates, and the roles, say of it; empty without any.
std::string scale_hint(const DutyDiff& diff);
Json duties_json(const DutyDiff& diff);

}  // namespace trex::plan
