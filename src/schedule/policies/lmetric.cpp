// lmetric: uncached prompt tokens times requests on the instance, in its form for unlike instances:
// times the seconds of a prompt token and of the next decode step (9.3). No parameter to tune.
#include <fmt/format.h>

#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

class LMetric final : public Policy {
 public:
  size_t pick(const Choice& choice, Rng& rng) override {
    return least(choice, rng, 0, [&](size_t i) { return score(choice, i); });
  }

  std::string explain(const Choice& choice, size_t i) const override {
    const InstanceView& view = choice.ready[i];
    return fmt::format("prompt {:.3f} s x {:.0f} requests x step {:.4f} s",
                       view.prompt_token_s * prompt(choice, i), view.occupied() + 1,
                       view.next_iteration_s);
  }

 private:
  // A prompt wholly in the cache still costs a token, or all such instances would look alike.
  static double prompt(const Choice& choice, size_t i) {
    return std::max(uncached(choice, i), 1.0);
  }

  static double score(const Choice& choice, size_t i) {
    const InstanceView& view = choice.ready[i];
    return view.prompt_token_s * prompt(choice, i) * (view.occupied() + 1) * view.next_iteration_s;
  }
};

const PolicyEntry kLMetric{
    .name = "lmetric",
    .summary = "uncached prompt x requests x step time",
    .late_binds = false,
    .takes_turns = false,
    .make = [](const PolicySettings&) -> std::unique_ptr<Policy> {
      return std::make_unique<LMetric>();
    },
};
TREX_REGISTER(kLMetric);

}  // namespace
}  // namespace trex::schedule
