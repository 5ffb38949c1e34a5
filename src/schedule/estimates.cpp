#include "schedule/estimates.h"

#include <limits>

namespace trex::schedule {
namespace {

constexpr double kNearlyFull = 0.95;

double request_kv_bytes(const Choice& choice, size_t i) { return choice.kv_bytes[i]; }

}  // namespace

double kv_wait_s(const Choice& choice, size_t i) {
  const InstanceView& view = choice.ready[i];
  if (view.kv_capacity_bytes <= 0 || view.in_flight < 1) return 0;
  const double excess =
      view.kv_bytes + request_kv_bytes(choice, i) - kNearlyFull * view.kv_capacity_bytes;
  if (excess <= 0 || view.release_per_s <= 0) return 0;
  const double released_per_s = view.release_per_s * view.kv_bytes / view.in_flight;
  return excess / released_per_s;
}

double kv_price(const Choice& choice, size_t i) {
  constexpr double kMost = 0.99;
  const double share = std::min(kv_share(choice.ready[i], request_kv_bytes(choice, i)), kMost);
  return share / (1 - share);
}

double others_s(const Choice& choice, size_t i) {
  const InstanceView& view = choice.ready[i];
  double work_s = view.joined_slope_s * choice.output.mean;
  if (view.prompts_delay_answers) work_s += view.prompt_token_s * uncached(choice, i);
  return (view.joined - 1) * work_s * view.stretch;
}

double saved_s(const Choice& choice, size_t i) {
  const InstanceView& view = choice.ready[i];
  if (!view.prompts_delay_answers) return 0;
  return (view.joined - 1) * view.prompt_token_s * choice.cached_tokens[i] * view.stretch;
}

// Others end before it and, at the end of a backlog, none come: its steps shorten from those of the
// batch that it joins to an empty engine's. A backlog ends with the longest of the answers that are
// written last; an ordinary 99th percentile would be passed by some of them.
double long_finish_s(const Choice& choice, size_t i) {
  const InstanceView& view = choice.ready[i];
  const double at_engine = std::max(view.occupied() + 1 - view.slots, 0.0);
  const double step_s = view.joined_iteration_s * (1 + 1 / view.stretch) / 2;
  return at_engine / view.weight +
         view.prompt_token_s * (view.uncached_tokens + uncached(choice, i)) +
         choice.output.longest * step_s + view.network_s;
}

// Sum over instances of weight * (end - finish), where positive, is what can be done by `end`:
// leaving out those that finish too late lowers `end` until it stays.
double backlog_end_s(const Choice& choice) {
  double end_s = std::numeric_limits<double>::infinity();
  while (true) {
    double work = choice.queued, weight = 0;
    for (size_t i = 0; i < choice.ready.size(); ++i) {
      const double finish_s = long_finish_s(choice, i);
      if (finish_s >= end_s) continue;
      work += choice.ready[i].weight * finish_s;
      weight += choice.ready[i].weight;
    }
    const double lower_s = work / weight;
    if (!(lower_s < end_s)) return end_s;
    end_s = lower_s;
  }
}

}  // namespace trex::schedule
