// round_robin: each in turn. The baseline; it knows nothing of what an instance can do.
#include <fmt/format.h>

#include "schedule/policy.h"

namespace trex::schedule {
namespace {

class RoundRobin final : public Policy {
 public:
  // By index and not by position, so that instances that come and go do not shift the turn.
  size_t pick(const Choice& choice, Rng&) override {
    size_t next = 0;
    bool found = false;
    for (size_t i = 0; i < choice.ready.size(); ++i) {
      const InstanceIndex index = choice.ready[i].index;
      if (index < turn_) continue;
      if (!found || index < choice.ready[next].index) next = i;
      found = true;
    }
    if (!found) {
      for (size_t i = 1; i < choice.ready.size(); ++i) {
        if (choice.ready[i].index < choice.ready[next].index) next = i;
      }
    }
    turn_ = choice.ready[next].index + 1;
    return next;
  }

  std::string explain(const Choice&, size_t) const override {
    return fmt::format("turn of instance {}", turn_);
  }

 private:
  InstanceIndex turn_ = 0;
};

const PolicyEntry kRoundRobin{
    .name = "round_robin",
    .summary = "each in turn; baseline",
    .late_binds = false,
    .takes_turns = true,
    .is_blind = true,
    .make = [](const PolicySettings&) -> std::unique_ptr<Policy> {
      return std::make_unique<RoundRobin>();
    },
};
TREX_REGISTER(kRoundRobin);

}  // namespace
}  // namespace trex::schedule
