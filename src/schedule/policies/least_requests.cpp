// least_requests: fewest requests in flight, whatever the instance can do. A baseline.
#include <fmt/format.h>

#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

class LeastRequests final : public Policy {
 public:
  size_t pick(const Choice& choice, Rng& rng) override {
    // Ties are drawn uniformly: the first instance must not get all that arrive when all are idle.
    size_t pick = 0, equals = 1;
    for (size_t i = 1; i < choice.ready.size(); ++i) {
      const double load = choice.ready[i].occupied(), least = choice.ready[pick].occupied();
      if (load > least) continue;
      equals = load < least ? 1 : equals + 1;
      if (rng.below(equals) == 0) pick = i;
    }
    return pick;
  }

  std::string explain(const Choice& choice, size_t i) const override {
    return fmt::format("{:.0f} in flight", choice.ready[i].occupied());
  }
};

const PolicyEntry kLeastRequests{
    .name = "least_requests",
    .summary = "fewest in flight; baseline",
    .late_binds = false,
    .takes_turns = false,
    .make = [](const PolicySettings&) -> std::unique_ptr<Policy> {
      return std::make_unique<LeastRequests>();
    },
};
TREX_REGISTER(kLeastRequests);

}  // namespace
}  // namespace trex::schedule
