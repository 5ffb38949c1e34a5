// prefix_bounded: the instance with most of the prompt in its cache, as long as it is not much
// fuller than the others; otherwise, and when nothing is cached, shortest expected delay. A miss
// must not go to the emptiest cache: that drowns an instance which has just started (section 19).
#include <fmt/format.h>

#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

class PrefixBounded final : public Policy {
 public:
  explicit PrefixBounded(const PolicySettings& settings) : bound_(settings.load_bound) {}

  size_t pick(const Choice& choice, Rng& rng) override {
    const double most = most_backlog_s(choice);
    size_t favourite = kHold;
    for (size_t i = 0; i < choice.ready.size(); ++i) {
      if (choice.cached_tokens[i] <= 0 || choice.ready[i].backlog_s > most) continue;
      if (favourite == kHold || is_better(choice, i, favourite)) favourite = i;
    }
    if (favourite != kHold) return favourite;
    return least(choice, rng, 0, [&](size_t i) { return expected_delay_s(choice, i); });
  }

  std::string explain(const Choice& choice, size_t i) const override {
    return fmt::format("{:.0f} tokens cached, backlog {:.3f} s of at most {:.3f}, work {:.3f} s",
                       choice.cached_tokens[i], choice.ready[i].backlog_s, most_backlog_s(choice),
                       work_s(choice, i));
  }

 private:
  // Backlogs are seconds of each instance's own time, so they compare across speeds. The mean
  // counts this request, so that idle instances do not make any load too much.
  double most_backlog_s(const Choice& choice) const {
    double total = 0, own = work_s(choice, 0);
    for (size_t i = 0; i < choice.ready.size(); ++i) {
      total += choice.ready[i].backlog_s;
      own = std::min(own, work_s(choice, i));
    }
    return bound_ * (total / static_cast<double>(choice.ready.size()) + own);
  }

  static bool is_better(const Choice& choice, size_t a, size_t b) {
    if (choice.cached_tokens[a] != choice.cached_tokens[b]) {
      return choice.cached_tokens[a] > choice.cached_tokens[b];
    }
    return expected_delay_s(choice, a) < expected_delay_s(choice, b);
  }

  double bound_;
};

const PolicyEntry kPrefixBounded{
    .name = "prefix_bounded",
    .summary = "longest cached prefix within a bound of load, else sed",
    .late_binds = false,
    .takes_turns = false,
    .make = [](const PolicySettings& s) -> std::unique_ptr<Policy> {
      return std::make_unique<PrefixBounded>(s);
    },
};
TREX_REGISTER(kPrefixBounded);

}  // namespace
}  // namespace trex::schedule
