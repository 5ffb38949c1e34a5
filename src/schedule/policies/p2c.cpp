// p2c: two uniform draws, the one with fewer requests. A baseline: slow instances are drawn as
// often as fast ones, so where speeds are spread it overloads them though the others are idle
// (9.10).
#include <fmt/format.h>

#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

class PowerOfTwo final : public Policy {
 public:
  size_t pick(const Choice& choice, Rng& rng) override {
    const size_t a = rng.below(choice.ready.size()), b = rng.below(choice.ready.size());
    return choice.ready[b].occupied() < choice.ready[a].occupied() ? b : a;
  }

  std::string explain(const Choice& choice, size_t i) const override {
    return fmt::format("{:.0f} in flight, if drawn", choice.ready[i].occupied());
  }
};

const PolicyEntry kPowerOfTwo{
    .name = "p2c",
    .summary = "fewer in flight of two uniform draws; unsafe where speeds differ",
    .late_binds = false,
    .takes_turns = false,
    .make = [](const PolicySettings&) -> std::unique_ptr<Policy> {
      return std::make_unique<PowerOfTwo>();
    },
};
TREX_REGISTER(kPowerOfTwo);

}  // namespace
}  // namespace trex::schedule
