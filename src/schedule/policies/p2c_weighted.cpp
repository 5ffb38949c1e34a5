// p2c_weighted: two draws in proportion to capability, the one with the shorter expected delay. Its
// cost does not grow with the number of instances.
#include <fmt/format.h>

#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

class PowerOfTwoWeighted final : public Policy {
 public:
  size_t pick(const Choice& choice, Rng& rng) override {
    const size_t a = weighted_draw(choice, rng), b = weighted_draw(choice, rng);
    return expected_delay_s(choice, b) < expected_delay_s(choice, a) ? b : a;
  }

  std::string explain(const Choice& choice, size_t i) const override {
    return fmt::format("{:.3f} s of work, if drawn (weight {:.3f})", expected_delay_s(choice, i),
                       choice.ready[i].weight);
  }
};

const PolicyEntry kPowerOfTwoWeighted{
    .name = "p2c_weighted",
    .summary = "shorter expected delay of two draws by capability",
    .late_binds = false,
    .takes_turns = false,
    .make = [](const PolicySettings&) -> std::unique_ptr<Policy> {
      return std::make_unique<PowerOfTwoWeighted>();
    },
};
TREX_REGISTER(kPowerOfTwoWeighted);

}  // namespace
}  // namespace trex::schedule
