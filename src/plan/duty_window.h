// What to change, seen from the requests of the last minutes (heterogeneous serving, section 8.6):
// hints with hysteresis. A recommendation needs five minutes that all agree, and each by 15 %: load
// swings faster than engines start.
#pragma once

#include <string>
#include <vector>

#include "plan/duties.h"
#include "simulate/traces.h"

namespace trex::plan {

inline constexpr int64_t kWindowMinutes = 5;

struct ObservedMinute {
  double load = 0;  // demand over what the running instances carry at their planned utilisation
  double gain = 0;  // what the fresh plan carries of this minute's mix over what runs, less 1;
                    // cost: what it saves
};

struct DutyAdvice {
  bool scale_out = false;          // every minute asked for more than is carried
  bool scale_in = false;           // every minute left 15 % or more idle
  bool change = false;             // the fresh plan gains 15 % or more in every minute
  std::optional<RoleAdvice> role;  // this change of a role gains 15 % or more in every minute
  std::vector<std::string>
      can_stop;  // with scale_in: without these machines 15 % stay idle, in every minute
};

struct DutyWindow {
  double seen_s = 0;  // from the first to the last request; below five minutes there is no advice
  int64_t requests = 0;                 // in the last five minutes
  std::vector<ObservedMinute> minutes;  // oldest first, up to five
  DutyAdvice advice;
};

// The classes with rates and lengths of the last five minutes (or of all, if there are fewer); a
// class that nobody asked for counts half a request. One class takes every request; several are
// told apart by the trace's `class`. Throws Input at `where` for a trace without arrival times or a
// class that the inventory does not have.
std::vector<RequestClass> observed_classes(std::vector<RequestClass> classes,
                                           const simulate::Trace& trace, const std::string& where);

// `plan` was made for observed_classes and `diff` against it.
DutyWindow window_of(const ServingPlan& plan, const DutyDiff& diff, const simulate::Trace& trace);

std::string window_table(const DutyWindow& window);
Json window_json(const DutyWindow& window);

}  // namespace trex::plan
