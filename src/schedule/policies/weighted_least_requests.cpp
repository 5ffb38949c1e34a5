// weighted_least_requests: fewest requests in flight for what the instance can do. Needs no
// lengths.
#include <fmt/format.h>

#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

class WeightedLeastRequests final : public Policy {
 public:
  size_t pick(const Choice& choice, Rng& rng) override {
    return least(choice, rng, 0, [&](size_t i) { return score(choice.ready[i]); });
  }

  std::string explain(const Choice& choice, size_t i) const override {
    return fmt::format("({:.0f} in flight + 1) / {:.3f} requests/s", choice.ready[i].occupied(),
                       choice.ready[i].weight);
  }

 private:
  static double score(const InstanceView& view) { return (view.occupied() + 1) / view.weight; }
};

const PolicyEntry kWeightedLeastRequests{
    .name = "weighted_least_requests",
    .summary = "fewest in flight / capability; needs no lengths",
    .late_binds = false,
    .takes_turns = false,
    .make = [](const PolicySettings&) -> std::unique_ptr<Policy> {
      return std::make_unique<WeightedLeastRequests>();
    },
};
TREX_REGISTER(kWeightedLeastRequests);

}  // namespace
}  // namespace trex::schedule
