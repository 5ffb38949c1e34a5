// slo: among the instances that keep both limits (time to the first token, time per token) the one
// with the shortest expected delay; if none keeps them, the least violation (9.3).
#include <fmt/format.h>

#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

class Slo final : public Policy {
 public:
  explicit Slo(const PolicySettings& settings) : settings_(settings) {}

  size_t pick(const Choice& choice, Rng& rng) override {
    bool any_keeps = false;
    for (size_t i = 0; i < choice.ready.size(); ++i) any_keeps = any_keeps || used(choice, i) <= 1;
    return least(choice, rng, 0, [&](size_t i) {
      const double share = used(choice, i);
      if (!any_keeps) return share;
      return share <= 1 ? expected_delay_s(choice, i) : kNever;
    });
  }

  std::string explain(const Choice& choice, size_t i) const override {
    return fmt::format("first token {:.3f} s of {:.3f}, token {:.4f} s of {:.4f}",
                       ttft_s(choice, i), slack_s(choice), choice.ready[i].next_iteration_s,
                       settings_.tpot_limit_s);
  }

 private:
  static constexpr double kNever = 1e300;

  double slack_s(const Choice& choice) const {
    const double deadline = choice.request.ttft_deadline_s;
    return deadline > 0 ? std::max(deadline - choice.now_s, 1e-3) : settings_.ttft_limit_s;
  }

  // The larger used share of the two limits; above 1, one of them is broken.
  double used(const Choice& choice, size_t i) const {
    return std::max(ttft_s(choice, i) / slack_s(choice),
                    choice.ready[i].next_iteration_s / settings_.tpot_limit_s);
  }

  PolicySettings settings_;
};

const PolicyEntry kSlo{
    .name = "slo",
    .summary = "shortest delay among those that keep the limits, else least violation",
    .late_binds = false,
    .takes_turns = false,
    .make = [](const PolicySettings& s) -> std::unique_ptr<Policy> {
      return std::make_unique<Slo>(s);
    },
};
TREX_REGISTER(kSlo);

}  // namespace
}  // namespace trex::schedule
