// cap, the default: capability-aware shortest expected delay with prefix, cache and late binding
// (heterogeneous serving, 9.3).
//
// The score is what the request would cost on an instance, in seconds:
//
//   wait_weight * (expected wait) + own prompt + own decoding + slowing the others + lambda * phi
//
// Waiting weighs more than service because a second of queue before one request is a second for all
// that come behind it: with weight 1 requests pile up before fast engines that slow ones could have
// taken. A low weight makes first tokens late; a high one sends long answers to slow engines, which
// lengthens the tail. On the measured four-engine experiment (data/traces/four_engines; mean of
// three seeds, latency mean / p99, time to the first token, seconds) under late binding:
//
//   weight 5   2.64 / 8.84   0.28        weight 8   2.59 /  8.96   0.18
//   weight 7   2.59 / 8.91   0.19        weight 12  2.58 / 10.10   0.12
//
// The wait itself is (those before it without a slot) / (releases a second), where each running
// answer counts 1 / (its expected rest, given how long it is already, x the time of a step). The
// same weight is within 1 % of the best policy's mean latency at loads of 50, 70 and 95 % with
// speeds 1.2, 2 and 8 times apart (load_and_spread_slow_test).
//
// Late binding is on though it changes little there (push: 2.59 / 8.93, 0.19): a request that waits
// in the central queue can still go where speed turns out to be, so wrong beliefs about speeds cost
// little when a burst arrives, and order between classes and tenants exists only in that queue.
#include <fmt/format.h>

#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

constexpr double kTie = 0.02;

class Cap final : public Policy {
 public:
  explicit Cap(const PolicySettings& settings) : settings_(settings) {}

  size_t pick(const Choice& choice, Rng& rng) override {
    return least(choice, rng, kTie, [&](size_t i) { return score(choice, i); });
  }

  std::string explain(const Choice& choice, size_t i) const override {
    return fmt::format(
        "{:.3f} s = {:g} x wait {:.3f} + prompt {:.3f} + decode {:.3f} + others {:.3f} + cache "
        "{:.3f}",
        score(choice, i), wait_weight(choice), wait_s(choice, i), prompt_s(choice, i),
        decode_s(choice, i), others_s(choice, i), settings_.kv_price_s * kv_price(choice, i));
  }

 private:
  double wait_weight(const Choice& choice) const {
    return choice.request.priority == Priority::Bulk ? settings_.bulk_wait_weight
                                                     : settings_.wait_weight;
  }

  static double prompt_s(const Choice& choice, size_t i) {
    return choice.ready[i].prompt_token_s * uncached(choice, i);
  }

  // Joining a batch lengthens every step of the others; its prompt holds them up once.
  static double others_s(const Choice& choice, size_t i) {
    const InstanceView& view = choice.ready[i];
    const double longer_step = std::max(view.next_iteration_s - view.iteration_s, 0.0);
    return view.decoding * longer_step * choice.output.mean;
  }

  double score(const Choice& choice, size_t i) const {
    return wait_weight(choice) * wait_s(choice, i) + prompt_s(choice, i) + decode_s(choice, i) +
           others_s(choice, i) + settings_.kv_price_s * kv_price(choice, i);
  }

  PolicySettings settings_;
};

const PolicyEntry kCap{
    .name = "cap",
    .summary = "least expected cost in seconds, waiting weighted; the default",
    .late_binds = true,
    .takes_turns = false,
    .make = [](const PolicySettings& s) -> std::unique_ptr<Policy> {
      return std::make_unique<Cap>(s);
    },
};
TREX_REGISTER(kCap);

}  // namespace
}  // namespace trex::schedule
