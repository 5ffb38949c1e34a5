// ttft_min: least expected time to the first token, cached prefixes counted (as Mooncake's
// conductor). It looks no further than the first token, so slow decoding costs nothing in its eyes.
// Requests whose deadline cannot be met are turned away by the scheduler.
#include <fmt/format.h>

#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

class TtftMin final : public Policy {
 public:
  size_t pick(const Choice& choice, Rng& rng) override {
    return least(choice, rng, 0, [&](size_t i) { return ttft_s(choice, i); });
  }

  std::string explain(const Choice& choice, size_t i) const override {
    return fmt::format("first token in {:.3f} s (wait {:.3f})", ttft_s(choice, i),
                       wait_s(choice, i));
  }
};

const PolicyEntry kTtftMin{
    .name = "ttft_min",
    .summary = "least expected time to the first token",
    .late_binds = false,
    .takes_turns = false,
    .make = [](const PolicySettings&) -> std::unique_ptr<Policy> {
      return std::make_unique<TtftMin>();
    },
};
TREX_REGISTER(kTtftMin);

}  // namespace
}  // namespace trex::schedule
