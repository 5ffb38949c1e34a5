// dynamo_cost: new prompt blocks plus active blocks, by capability (the cost of Dynamo's router,
// with its weight of overlap 1). At temperature 0 the least; otherwise drawn by exp(-cost /
// temperature).
#include <fmt/format.h>

#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

class DynamoCost final : public Policy {
 public:
  explicit DynamoCost(const PolicySettings& settings) : temperature_(settings.temperature) {}

  size_t pick(const Choice& choice, Rng& rng) override {
    if (temperature_ <= 0) return least(choice, rng, 0, [&](size_t i) { return cost(choice, i); });
    // Costs are taken relative to the least, so a temperature means the same at any load.
    double lowest = cost(choice, 0);
    for (size_t i = 1; i < choice.ready.size(); ++i) lowest = std::min(lowest, cost(choice, i));
    const auto share = [&](size_t i) {
      return std::exp(-(cost(choice, i) / lowest - 1) / temperature_);
    };
    double total = 0;
    for (size_t i = 0; i < choice.ready.size(); ++i) total += share(i);
    double mark = rng.uniform() * total;
    for (size_t i = 0; i + 1 < choice.ready.size(); ++i) {
      mark -= share(i);
      if (mark < 0) return i;
    }
    return choice.ready.size() - 1;
  }

  std::string explain(const Choice& choice, size_t i) const override {
    return fmt::format("({:.1f} new + {:.1f} active blocks) / {:.3f} requests/s",
                       new_blocks(choice, i), active_blocks(choice, i), choice.ready[i].weight);
  }

 private:
  static constexpr double kBlockTokens = 64;

  static double new_blocks(const Choice& choice, size_t i) {
    return std::max(uncached(choice, i), 1.0) / kBlockTokens;
  }
  // Tokens in flight as blocks: what is still to be computed and to be written.
  static double active_blocks(const Choice& choice, size_t i) {
    const InstanceView& view = choice.ready[i];
    return (view.uncached_tokens + view.output_tokens_left) / kBlockTokens;
  }
  static double cost(const Choice& choice, size_t i) {
    return (new_blocks(choice, i) + active_blocks(choice, i)) / choice.ready[i].weight;
  }

  double temperature_;
};

const PolicyEntry kDynamoCost{
    .name = "dynamo_cost",
    .summary = "new + active cache blocks / capability; softmax",
    .late_binds = false,
    .takes_turns = false,
    .make = [](const PolicySettings& s) -> std::unique_ptr<Policy> {
      return std::make_unique<DynamoCost>(s);
    },
};
TREX_REGISTER(kDynamoCost);

}  // namespace
}  // namespace trex::schedule
