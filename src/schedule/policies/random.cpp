// random: a uniform draw. A baseline.
#include <fmt/format.h>

#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

class Random final : public Policy {
 public:
  size_t pick(const Choice& choice, Rng& rng) override { return rng.below(choice.ready.size()); }

  std::string explain(const Choice& choice, size_t) const override {
    return fmt::format("one of {}", choice.ready.size());
  }
};

const PolicyEntry kRandom{
    .name = "random",
    .summary = "uniform draw; baseline",
    .late_binds = false,
    .takes_turns = false,
    .is_blind = true,
    .make = [](const PolicySettings&) -> std::unique_ptr<Policy> {
      return std::make_unique<Random>();
    },
};
TREX_REGISTER(kRandom);

}  // namespace
}  // namespace trex::schedule
