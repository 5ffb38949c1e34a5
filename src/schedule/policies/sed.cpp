// sed: shortest expected delay, in instance-seconds: least backlog plus own work (9.3).
#include <fmt/format.h>

#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

class Sed final : public Policy {
 public:
  size_t pick(const Choice& choice, Rng& rng) override {
    return least(choice, rng, 0, [&](size_t i) { return expected_delay_s(choice, i); });
  }

  std::string explain(const Choice& choice, size_t i) const override {
    return fmt::format("backlog {:.3f} s + work {:.3f} s", choice.ready[i].backlog_s,
                       work_s(choice, i));
  }
};

const PolicyEntry kSed{
    .name = "sed",
    .summary = "least backlog + work in instance-seconds",
    .late_binds = false,
    .takes_turns = false,
    .make = [](const PolicySettings&) -> std::unique_ptr<Policy> {
      return std::make_unique<Sed>();
    },
};
TREX_REGISTER(kSed);

}  // namespace
}  // namespace trex::schedule
