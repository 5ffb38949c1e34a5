// vtc: fairness between tenants. The virtual token counters decide which request goes next, and
// that is the central queue's work (queue.h) under every policy; what remains here is to let
// requests wait there: an instance takes the next one only when it has a free slot, and of those
// with one the least loaded for its capability does.
#include <fmt/format.h>

#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

class Vtc final : public Policy {
 public:
  size_t pick(const Choice& choice, Rng& rng) override {
    const size_t best = least(choice, rng, 0, [&](size_t i) { return share(choice.ready[i]); });
    return share(choice.ready[best]) < 1 ? best : kHold;
  }

  std::string explain(const Choice& choice, size_t i) const override {
    return fmt::format("{:.0f} of {:.0f} slots taken", choice.ready[i].occupied(),
                       choice.ready[i].slots);
  }

 private:
  static double share(const InstanceView& view) { return view.occupied() / view.slots; }
};

const PolicyEntry kVtc{
    .name = "vtc",
    .summary = "tenants' counters order the queue; a free instance takes the head",
    .late_binds = true,
    .takes_turns = false,
    .make = [](const PolicySettings&) -> std::unique_ptr<Policy> {
      return std::make_unique<Vtc>();
    },
};
TREX_REGISTER(kVtc);

}  // namespace
}  // namespace trex::schedule
