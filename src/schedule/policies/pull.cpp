// pull: an instance takes the head of the central queue when it has a free slot. Nothing is
// predicted, so wrong beliefs about speed do no harm; the faster of the free ones asks first.
#include <fmt/format.h>

#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

class Pull final : public Policy {
 public:
  size_t pick(const Choice& choice, Rng& rng) override {
    const size_t best = least(choice, rng, 0, [&](size_t i) { return score(choice.ready[i]); });
    return has_room(choice.ready[best]) ? best : kHold;
  }

  std::string explain(const Choice& choice, size_t i) const override {
    const InstanceView& view = choice.ready[i];
    return fmt::format("{:.0f} of {:.0f} slots taken, token {:.4f} s", view.occupied(), view.slots,
                       view.next_iteration_s);
  }

 private:
  static bool has_room(const InstanceView& view) { return view.occupied() < view.slots; }

  // Those without room come last, whatever their speed.
  static double score(const InstanceView& view) {
    constexpr double kNoRoom = 1e9;
    return view.next_iteration_s + (has_room(view) ? 0 : kNoRoom);
  }
};

const PolicyEntry kPull{
    .name = "pull",
    .summary = "a free instance takes the head of the queue",
    .late_binds = true,
    .takes_turns = false,
    .make = [](const PolicySettings&) -> std::unique_ptr<Policy> {
      return std::make_unique<Pull>();
    },
};
TREX_REGISTER(kPull);

}  // namespace
}  // namespace trex::schedule
