// bounded_hash: consistent hashing with bounded load (9.3): a prompt's beginning decides the order
// in which instances are asked, and the first whose share of the load stays within 1.25 times its
// share of capability takes it. The order is by a hash of prompt and instance instead of places on
// a ring: as on a ring, an instance that comes or goes moves only its own prompts, and no state is
// kept.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/hash.h"
#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

class BoundedHash final : public Policy {
 public:
  size_t pick(const Choice& choice, Rng&) override {
    const Totals totals = sum(choice);
    const auto fits = [&](size_t i) {
      return choice.ready[i].occupied() + 1 <= most(choice, totals, i);
    };
    size_t pick = 0;
    for (size_t i = 1; i < choice.ready.size(); ++i) {
      const bool is_earlier = rank(choice, i) < rank(choice, pick);
      if (fits(i) == fits(pick) ? is_earlier : fits(i)) pick = i;
    }
    return pick;
  }

  std::string explain(const Choice& choice, size_t i) const override {
    return fmt::format("{:.0f} requests, at most {:.0f}; rank {:016x}",
                       choice.ready[i].occupied() + 1, most(choice, sum(choice), i),
                       rank(choice, i));
  }

 private:
  struct Totals {
    double requests = 1, weight = 0;  // this one included
  };
  static Totals sum(const Choice& choice) {
    Totals totals;
    for (const InstanceView& view : choice.ready) {
      totals.requests += view.occupied();
      totals.weight += view.weight;
    }
    return totals;
  }

  // A bound that grows by more than one with each request would make a large instance the more
  // attractive the more it has.
  static double most(const Choice& choice, const Totals& totals, size_t i) {
    constexpr double kBound = 1.25;
    const double share = std::min(kBound * choice.ready[i].weight / totals.weight, 1.0);
    return std::ceil(share * totals.requests);
  }

  // The first blocks tell conversations apart behind a common system prompt; what follows differs
  // from turn to turn.
  static uint64_t rank(const Choice& choice, size_t i) {
    constexpr size_t kKeyBlocks = 4;
    const auto blocks = choice.request.prefix_blocks;
    const uint64_t key =
        blocks.empty() ? choice.request.id : blocks[std::min(blocks.size(), kKeyBlocks) - 1];
    const std::array<uint64_t, 2> pair{key, choice.ready[i].index};
    return hash64({reinterpret_cast<const char*>(pair.data()), sizeof pair});
  }
};

const PolicyEntry kBoundedHash{
    .name = "bounded_hash",
    .summary = "by the prompt's beginning, to the first within its share of load",
    .late_binds = false,
    .takes_turns = true,  // a sample would not hold the instance that has the prompt
    .make = [](const PolicySettings&) -> std::unique_ptr<Policy> {
      return std::make_unique<BoundedHash>();
    },
};
TREX_REGISTER(kBoundedHash);

}  // namespace
}  // namespace trex::schedule
