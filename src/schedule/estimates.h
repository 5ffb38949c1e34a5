// Work and delay estimates of one request on one instance (heterogeneous serving, 9.2). Pure
// functions of the views; seconds throughout.
#pragma once

#include <algorithm>
#include <cmath>

#include "schedule/policy.h"

namespace trex::schedule {

// Prompt tokens of this request that instance `i` of the choice must compute.
inline double uncached(const Choice& choice, size_t i) {
  return std::max(choice.request.prompt_tokens - choice.cached_tokens[i], 0.0);
}

// w_i(r): instance-seconds that the request will take.
inline double work_s(const Choice& choice, size_t i) {
  const InstanceView& view = choice.ready[i];
  return view.prompt_token_s * uncached(choice, i) + view.output_token_s * choice.output.mean;
}

// W_i + w_i(r): instance-seconds until the request would be done, behind all that is there.
inline double expected_delay_s(const Choice& choice, size_t i) {
  return choice.ready[i].backlog_s + work_s(choice, i);
}

// Until a slot is free, by the expected rest of those that hold one. Whoever waits for an instance
// in the central queue waits behind all others there: counting them is what sends the next one to a
// slower instance that is free.
inline double slot_wait_s(const Choice& choice, size_t i) {
  const InstanceView& view = choice.ready[i];
  const double short_of = view.occupied() + 1 - view.slots;
  if (short_of <= 0) return 0;
  const double usual_release = view.weight;  // before anything is known of those in flight
  const double release = view.release_per_s > 0 ? view.release_per_s : usual_release;
  return (short_of + choice.queued - 1) / release;
}

// Share of the cache in use with `extra_bytes` more; 0 where the engine has no known limit.
inline double kv_share(const InstanceView& view, double extra_bytes) {
  return view.kv_capacity_bytes > 0 ? (view.kv_bytes + extra_bytes) / view.kv_capacity_bytes : 0;
}

// Until the cache has room, if it is nearly full: the excess over the rate at which it empties.
double kv_wait_s(const Choice& choice, size_t i);

// phi: what filling the cache further costs; k / (1 - k).
double kv_price(const Choice& choice, size_t i);

// Behind prompts that wait at the engine.
inline double prompt_wait_s(const Choice& choice, size_t i) {
  return choice.ready[i].line_token_s * choice.ready[i].unread_tokens;
}

// All waiting before the request's own prompt begins.
inline double wait_s(const Choice& choice, size_t i) {
  return std::max(slot_wait_s(choice, i), kv_wait_s(choice, i)) + prompt_wait_s(choice, i);
}

// Time to the first token: waiting, its own prompt, half an iteration, the network.
inline double ttft_s(const Choice& choice, size_t i) {
  const InstanceView& view = choice.ready[i];
  return wait_s(choice, i) + view.prompt_token_s * uncached(choice, i) + view.iteration_s / 2 +
         view.network_s;
}

// From the first token to the last, in the batch of all that are there.
inline double decode_s(const Choice& choice, size_t i) {
  return choice.output.mean * choice.ready[i].joined_iteration_s;
}

// What joining costs all others there, in seconds of theirs: the request's own work on the
// instance holds each of them up, and while they stay longer they hold up those that come. When an
// iteration takes a + c*n, n of them leave at a rate of n/(a + c*n), and one more raises that rate
// by a/(a + c*n)^2 only: the whole price is (a + c*n)^2/a, of which c*n*(a + c*n)/a is the others'.
double others_s(const Choice& choice, size_t i);

// What the others gain, likewise, by what the instance has of the prompt in its cache.
double saved_s(const Choice& choice, size_t i);

// Until a long answer would be complete if it were sent now.
double long_finish_s(const Choice& choice, size_t i);

// Until all that waits in the central queue can be complete, when every instance takes from it at
// its rate as long as a long answer would still end by then.
double backlog_end_s(const Choice& choice);

// A position drawn with probability proportional to weight.
inline size_t weighted_draw(const Choice& choice, Rng& rng) {
  double total = 0;
  for (const InstanceView& view : choice.ready) total += view.weight;
  double mark = rng.uniform() * total;
  for (size_t i = 0; i + 1 < choice.ready.size(); ++i) {
    mark -= choice.ready[i].weight;
    if (mark < 0) return i;
  }
  return choice.ready.size() - 1;
}

// The position with the least score; candidates within `tie` (relative) of it are drawn from with
// probability proportional to weight, so that several gateways do not herd.
template <class Score>
size_t least(const Choice& choice, Rng& rng, double tie, const Score& score) {
  double best = score(size_t{0});
  size_t pick = 0;
  for (size_t i = 1; i < choice.ready.size(); ++i) {
    const double value = score(i);
    if (value < best) {
      best = value;
      pick = i;
    }
  }
  const double limit = best + tie * std::abs(best);
  double total = 0;
  for (size_t i = 0; i < choice.ready.size(); ++i) {
    if (i == pick || score(i) > limit) continue;
    if (total == 0) total = choice.ready[pick].weight;
    total += choice.ready[i].weight;
    if (rng.uniform() * total < choice.ready[i].weight) pick = i;
  }
  return pick;
}

}  // namespace trex::schedule
