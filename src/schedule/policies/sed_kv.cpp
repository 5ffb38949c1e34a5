// sed_kv: shortest expected delay, and a price for filling the cache (9.3).
#include <fmt/format.h>

#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

class SedKv final : public Policy {
 public:
  explicit SedKv(const PolicySettings& settings) : price_s_(settings.kv_price_s) {}

  size_t pick(const Choice& choice, Rng& rng) override {
    return least(choice, rng, 0, [&](size_t i) {
      return expected_delay_s(choice, i) + price_s_ * kv_price(choice, i);
    });
  }

  std::string explain(const Choice& choice, size_t i) const override {
    return fmt::format("backlog {:.3f} s + work {:.3f} s + cache {:.3f} s",
                       choice.ready[i].backlog_s, work_s(choice, i),
                       price_s_ * kv_price(choice, i));
  }

 private:
  double price_s_;
};

const PolicyEntry kSedKv{
    .name = "sed_kv",
    .summary = "sed, and lambda x cache use",
    .late_binds = false,
    .takes_turns = false,
    .make = [](const PolicySettings& s) -> std::unique_ptr<Policy> {
      return std::make_unique<SedKv>(s);
    },
};
TREX_REGISTER(kSedKv);

}  // namespace
}  // namespace trex::schedule
