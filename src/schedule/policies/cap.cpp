// cap, the default: capability-aware shortest expected delay with prefix, cache and late binding
// (heterogeneous serving, 9.3).
//
// The score is what the request would cost on an instance, in seconds:
//
//   weight * (expected wait) + own prompt + own decoding + others_weight * slowing the others
//     - what the cache saves all others + lambda * phi + going against the plan, if there is one
//
// Waiting weighs more than service because a second of queue before one request is a second for all
// that come behind it: with weight 1 requests pile up before fast engines that slow ones could have
// taken. A low weight makes first tokens late; a high one sends long answers to slow engines, which
// lengthens the tail. The default was chosen on the measured four-engine experiment
// (data/traces/four_engines); bench/serving_gains --only four_engines gives what it reaches.
//
// The wait itself is (those before it without a slot) / (releases a second), where each running
// answer counts 1 / (its expected rest, given how long it is already, x the time of a step). The
// same weight is within 2 % of the best policy's mean latency at loads of 50, 70 and 95 % with
// speeds 1.2, 2 and 8 times apart (load_and_spread_slow_test).
//
// What the others lose is the price that spreads load under continuous batching, where nobody waits
// but everyone is slowed: on three clusters of devices the mean latency at 50 to 95 % load is up to
// 30 % below that of any other policy (bench/serving_gains, H3). In full it piles prompts up on
// compute-rich instances, which makes first tokens late in bursts (H5), so it is weighted; what a
// cached beginning saves is certain and counts in full: to those that get answers there, and to
// those that come behind, whose wait it shortens and who count as waits do. Without the latter a
// short line elsewhere outweighs any cache, and conversations wander from instance to instance
// (H6).
//
// Nobody waits for a bulk request: only when the whole backlog is done counts. An instance takes
// from it as long as a long answer would still end before the backlog can; then slow instances stop
// while fast ones go on, and all end together.
//
// Late binding is on though it changes little on that experiment: a request that waits
// in the central queue can still go where speed turns out to be, so wrong beliefs about speeds cost
// little when a burst arrives, and order between classes and tenants exists only in that queue.
#include <fmt/format.h>

#include <limits>

#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

constexpr double kTie = 0.02;
// Where a plan has shares of each class (8.3), going against it costs up to this much of the
// request's own time: a prior among instances that are close, which load outweighs. 0.1 to 3 all
// help in H10.
constexpr double kAgainstPlan = 0.3;

class Cap final : public Policy {
 public:
  explicit Cap(const PolicySettings& settings) : settings_(settings) {}

  size_t pick(const Choice& choice, Rng& rng) override {
    if (choice.request.priority == Priority::Bulk) return pick_for_backlog(choice, rng);
    const double most = most_share(choice);
    return least(choice, rng, kTie, [&](size_t i) { return score(choice, i, most); });
  }

  std::string explain(const Choice& choice, size_t i) const override {
    if (choice.request.priority == Priority::Bulk) {
      return fmt::format("a long answer done in {:.3f} s, the backlog in {:.3f} s",
                         long_finish_s(choice, i), backlog_end_s(choice));
    }
    return fmt::format(
        "{:.3f} s = wait {:.3f} (weighted {:.3f}) + prompt {:.3f} + decode {:.3f} + {:g} x others "
        "{:.3f} - saved {:.3f} + cache {:.3f} + plan {:.3f}",
        score(choice, i, most_share(choice)), wait_s(choice, i), weighted_wait_s(choice, i),
        prompt_s(choice, i), decode_s(choice, i), settings_.others_weight, others_s(choice, i),
        all_saved_s(choice, i), settings_.kv_price_s * kv_price(choice, i),
        against_plan_s(choice, i, most_share(choice)));
  }

 private:
  static double prompt_s(const Choice& choice, size_t i) {
    return choice.ready[i].prompt_token_s * uncached(choice, i);
  }

  // Waiting behind prompts that delay answers has a weight of its own.
  double line_weight(const InstanceView& view) const {
    return view.prompts_delay_answers ? settings_.prompt_wait_weight : settings_.wait_weight;
  }

  double weighted_wait_s(const Choice& choice, size_t i) const {
    const double prompts_s = prompt_wait_s(choice, i);
    return settings_.wait_weight * (wait_s(choice, i) - prompts_s) +
           line_weight(choice.ready[i]) * prompts_s;
  }

  // By the cached beginning, to those that are there and to those that come behind.
  double all_saved_s(const Choice& choice, size_t i) const {
    const InstanceView& view = choice.ready[i];
    return saved_s(choice, i) + line_weight(view) * view.line_token_s * choice.cached_tokens[i];
  }

  // The planned share of the request's class on an instance; 0 where there is no plan for it.
  double share_of(const Choice& choice, size_t i) const {
    const auto& shares = settings_.class_shares;
    const size_t row = choice.request.workload, column = choice.ready[i].index;
    return row < shares.size() && column < shares[row].size() ? shares[row][column] : 0;
  }

  double most_share(const Choice& choice) const {
    double most = 0;
    if (settings_.class_shares.empty()) return most;
    for (size_t i = 0; i < choice.ready.size(); ++i) most = std::max(most, share_of(choice, i));
    return most;
  }

  double against_plan_s(const Choice& choice, size_t i, double most) const {
    if (most <= 0) return 0;
    const double against = 1 - share_of(choice, i) / most;
    return kAgainstPlan * against * (prompt_s(choice, i) + decode_s(choice, i));
  }

  double score(const Choice& choice, size_t i, double most) const {
    return weighted_wait_s(choice, i) + prompt_s(choice, i) + decode_s(choice, i) +
           settings_.others_weight * others_s(choice, i) - all_saved_s(choice, i) +
           settings_.kv_price_s * kv_price(choice, i) + against_plan_s(choice, i, most);
  }

  static size_t pick_for_backlog(const Choice& choice, Rng& rng) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const double end_s = backlog_end_s(choice);
    const auto finish_s = [&](size_t i) {
      const double finish = long_finish_s(choice, i);
      const bool takes = choice.ready[i].occupied() < choice.ready[i].depth && finish <= end_s;
      return takes ? finish : kNever;
    };
    const size_t best = least(choice, rng, 0, finish_s);
    return finish_s(best) < kNever ? best : kHold;
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
