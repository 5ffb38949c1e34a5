// What runs now against a fresh plan (heterogeneous serving, section 8.6): hints for a person, never actions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "plan/serving_plan.h"

namespace trex::plan {

// Below this gain a change is not worth a restart: the hysteresis of section 8.6.
inline constexpr double kWorthGain = 0.15;

// Instances of each shape on each machine, [machine][index into ServingPlan::all_shapes.shapes]; a pipeline across
// machines counts at its first one.
using Duties = std::map<std::string, std::map<size_t, int64_t>>;

std::vector<int64_t> counts_of(const Problem& problem, const Duties& duties);

struct DutyChange {
  std::string machine;
  std::string from, to;          // "1x Llama-3.1-70B bf16 TP8"; "nothing"
  double gain = 0;               // of the whole's scale if only this machine changed: 0.18 is 18 %
  double saves_usd_h = 0;        // if only this machine changed
};

struct DutyDiff {
  double current_scale = 0;      // what the running instances carry, by the same models
  double planned_scale = 0;
  bool states_rates = false;     // the scale is then the share of the stated rates
  bool is_cost = false;          // the plan is the cheapest one, so that prices are compared
  double current_usd_h = 0, planned_usd_h = 0;  // of the devices in use
  std::vector<DutyChange> changes;  // largest gain, or saving, first
  Duties running, planned;
};

// `current` is a plan file of an earlier run (docs/formats.md, "Serving plan"). Throws Input at `where` for another
// format, a machine, model, quantisation or layout that the inventory and the options do not have, or devices taken twice.
DutyDiff diff_duties(const ServingPlan& plan, const Json& current, const std::string& where);

std::string duties_table(const DutyDiff& diff);
// What the stated rates say of it; empty without any.
std::string scale_hint(const DutyDiff& diff);
Json duties_json(const DutyDiff& diff);

}  // namespace trex::plan
