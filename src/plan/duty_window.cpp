#include "plan/duty_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/text.h"

namespace trex::plan {
namespace {

constexpr double kMinuteS = 60;
constexpr double kWindowS = kMinuteS * static_cast<double>(kWindowMinutes);
// Of a class that nobody asked for: no rate at all would mean that none was stated.
constexpr double kNoRequest = 0.5;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

size_t class_index(const std::vector<RequestClass>& classes, const std::string& name) {
  if (classes.size() == 1) return 0;
  const auto same = std::find_if(classes.begin(), classes.end(),
                                 [&](const RequestClass& c) { return c.name == name; });
  return static_cast<size_t>(same - classes.begin());
}

// After `from_s` until `to_s`; the first request of all comes at 0.
bool is_within(const simulate::TraceRequest& request, double from_s, double to_s) {
  const bool has_begun = from_s > 0 ? request.arrival_s > from_s : true;
  return has_begun && request.arrival_s <= to_s;
}

// The requests of each class within that time.
std::vector<std::vector<perf::RequestLengths>> requests_between(
    const simulate::Trace& trace, const std::vector<RequestClass>& classes, double from_s,
    double to_s) {
  std::vector<std::vector<perf::RequestLengths>> requests(classes.size());
  for (const simulate::TraceRequest& request : trace.requests) {
    if (!is_within(request, from_s, to_s)) continue;
    requests[class_index(classes, request.request_class)].push_back(request.lengths);
  }
  return requests;
}

// The same problem at the rates and lengths of one minute, for throughput: a scale below 1 is too
// little.
Problem at_rates_between(const Problem& problem, const simulate::Trace& trace, double from_s,
                         double to_s) {
  Problem changed = problem;
  changed.objective = Objective::Throughput;
  const auto requests = requests_between(trace, problem.classes, from_s, to_s);
  for (size_t c = 0; c < requests.size(); ++c) {
    changed.classes[c].requests_per_s =
        std::max(static_cast<double>(requests[c].size()), kNoRequest) / (to_s - from_s);
    if (!requests[c].empty()) changed.classes[c].lengths = perf::WorkloadMoments::of(requests[c]);
  }
  return changed;
}

double largest_load(const std::vector<Problem>& minutes, const Duties& duties) {
  double largest = 0;
  for (const Problem& minute : minutes) {
    const double scale = carried_by(minute, duties);
    largest = std::max(largest, scale > 0 ? 1 / scale : kInfinity);
  }
  return largest;
}

// Machine after machine, the least missed first, while 15 % stay idle in every minute.
std::vector<std::string> can_stop(const std::vector<Problem>& minutes, Duties running) {
  std::vector<std::string> stopped;
  while (running.size() > 1) {
    std::string best;
    double least = 1 - kWorthGain;
    for (const auto& [machine, shapes] : running) {
      Duties without = running;
      without.erase(machine);
      const double load = largest_load(minutes, without);
      if (load < least) best = machine, least = load;
    }
    if (best.empty()) break;
    stopped.push_back(best);
    running.erase(best);
  }
  return stopped;
}

double gain_of(const Problem& minute, const DutyDiff& diff, double current_scale) {
  const double planned_scale = carried_by(minute, diff.planned);
  if (!diff.is_cost) return current_scale > 0 ? planned_scale / current_scale - 1 : kInfinity;
  // A cheaper plan must carry the minute, with the room that the planned utilisation leaves.
  return planned_scale >= 1 - kWorthGain && diff.planned_usd_h > 0
             ? diff.current_usd_h / diff.planned_usd_h - 1
             : -1;
}

DutyAdvice advice_of(const std::vector<ObservedMinute>& minutes) {
  const auto all = [&](auto holds) { return std::all_of(minutes.begin(), minutes.end(), holds); };
  return {.scale_out = all([](const ObservedMinute& m) { return m.load > 1; }),
          .scale_in = all([](const ObservedMinute& m) { return m.load < 1 - kWorthGain; }),
          .change = all([](const ObservedMinute& m) { return m.gain >= kWorthGain; })};
}

}  // namespace

std::vector<RequestClass> observed_classes(std::vector<RequestClass> classes,
                                           const simulate::Trace& trace, const std::string& where) {
  if (!trace.has_arrivals)
    throw input_error(where, "arrival_s", "a trace with arrival times", "lengths only");
  std::vector<std::string> names;
  for (const RequestClass& c : classes) names.push_back(c.name);
  for (const simulate::TraceRequest& request : trace.requests) {
    if (class_index(classes, request.request_class) < classes.size()) continue;
    throw input_error(where, "class", "one of " + listed(names), in_quotes(request.request_class),
                      did_you_mean(request.request_class, names));
  }
  const double end_s = trace.duration_s();
  const double span_s = std::clamp(end_s, kMinuteS, kWindowS);
  const auto requests = requests_between(trace, classes, end_s - span_s, end_s);
  for (size_t c = 0; c < classes.size(); ++c) {
    classes[c].requests_per_s =
        std::max(static_cast<double>(requests[c].size()), kNoRequest) / span_s;
    if (!requests[c].empty()) classes[c].lengths = perf::WorkloadMoments::of(requests[c]);
  }
  return classes;
}

DutyWindow window_of(const ServingPlan& plan, const DutyDiff& diff, const simulate::Trace& trace) {
  DutyWindow window{.seen_s = trace.duration_s()};
  const auto num_minutes =
      std::min<int64_t>(kWindowMinutes, static_cast<int64_t>(window.seen_s / kMinuteS));
  std::vector<Problem> minutes;
  for (int64_t i = num_minutes; i > 0; --i) {
    const double from_s = window.seen_s - kMinuteS * static_cast<double>(i);
    minutes.push_back(at_rates_between(plan.all_shapes, trace, from_s, from_s + kMinuteS));
    const double scale = carried_by(minutes.back(), diff.running);
    window.minutes.push_back(
        {scale > 0 ? 1 / scale : kInfinity, gain_of(minutes.back(), diff, scale)});
  }
  window.requests = std::count_if(trace.requests.begin(), trace.requests.end(),
                                  [&](const simulate::TraceRequest& r) {
                                    return is_within(r, window.seen_s - kWindowS, window.seen_s);
                                  });
  if (num_minutes < kWindowMinutes) return window;
  window.advice = advice_of(window.minutes);
  if (const auto flip = best_flip(plan.all_shapes, minutes, diff.running))
    window.advice.role = advice_of(plan.all_shapes, diff, *flip);
  if (window.advice.scale_in) window.advice.can_stop = can_stop(minutes, diff.running);
  return window;
}

std::string window_table(const DutyWindow& window) {
  std::string text = fmt::format(
      "\nobserved: {} requests in the last {:.1f} minutes; minute by minute, oldest first\n  load "
      "of what runs: ",
      window.requests, std::min(window.seen_s, kWindowS) / kMinuteS);
  for (const ObservedMinute& minute : window.minutes)
    text += std::isfinite(minute.load) ? fmt::format(" {:.0f} %", 100 * minute.load) : " cannot";
  text += "\n  gain of the plan:  ";
  for (const ObservedMinute& minute : window.minutes)
    text += std::isfinite(minute.gain) ? fmt::format(" {:+.0f} %", 100 * minute.gain) : " all";
  text += "\n";
  if (static_cast<int64_t>(window.minutes.size()) < kWindowMinutes) {
    return text +
           fmt::format("  advice: wait until {} whole minutes were observed\n", kWindowMinutes);
  }
  const DutyAdvice& advice = window.advice;
  if (advice.change)
    text += fmt::format("  advice: change to the plan: {:.0f} % or more in every minute\n",
                        100 * kWorthGain);
  if (advice.role)
    text += "  advice: " + role_text(*advice.role) +
            fmt::format(" ({:.0f} % or more in every minute)\n", 100 * kWorthGain);
  if (advice.scale_out)
    text += "  advice: scale out: every minute asked for more than is carried\n";
  if (advice.scale_in && !advice.can_stop.empty()) {
    text += fmt::format("  advice: scale in: {} can stop, and {:.0f} % stay idle in every minute\n",
                        joined(advice.can_stop, ", "), 100 * kWorthGain);
  } else if (advice.scale_in) {
    text += fmt::format(
        "  every minute left {0:.0f} % or more idle, but no machine can stop and leave {0:.0f} % "
        "idle\n",
        100 * kWorthGain);
  }
  if (!advice.change && !advice.role && !advice.scale_out && advice.can_stop.empty())
    text += "  advice: leave it as it is\n";
  return text;
}

Json window_json(const DutyWindow& window) {
  Json minutes = Json::array();
  for (const ObservedMinute& minute : window.minutes)
    minutes.push_back({{"load", minute.load}, {"gain", minute.gain}});
  const DutyAdvice& advice = window.advice;
  return {{"seen_s", window.seen_s},
          {"requests", window.requests},
          {"minutes", minutes},
          {"whole", static_cast<int64_t>(window.minutes.size()) == kWindowMinutes},
          {"scale_out", advice.scale_out},
          {"scale_in", advice.scale_in},
          {"change", advice.change},
          {"role_flip", advice.role ? role_json(*advice.role) : Json()},
          {"can_stop", advice.can_stop}};
}

}  // namespace trex::plan
