// wrr: smooth weighted round robin. Every instance gains its weight as credit, the one with most
// credit is taken and pays the sum. No feedback: right only while the weights are.
#include <fmt/format.h>
#include <vector>

#include "schedule/policy.h"

namespace trex::schedule {
namespace {

class SmoothWrr final : public Policy {
 public:
  size_t pick(const Choice& choice, Rng&) override {
    size_t pick = 0;
    double total = 0;
    for (size_t i = 0; i < choice.ready.size(); ++i) {
      double& credit = credit_[choice.ready[i].index];
      credit += choice.ready[i].weight;
      total += choice.ready[i].weight;
      if (credit > credit_[choice.ready[pick].index]) pick = i;
    }
    credit_[choice.ready[pick].index] -= total;
    return pick;
  }

  std::string explain(const Choice& choice, size_t i) const override {
    return fmt::format("credit {:.3f} + {:.3f}", credit_[choice.ready[i].index],
                       choice.ready[i].weight);
  }

  // Turns begin anew, so that what a lost instance left unpaid distorts nothing.
  void instances_changed(std::span<const InstanceView> all) override {
    credit_.assign(all.size(), 0);
  }

 private:
  std::vector<double> credit_;  // by instance
};

const PolicyEntry kSmoothWrr{
    .name = "wrr",
    .summary = "smooth weighted round robin by capability",
    .late_binds = false,
    .takes_turns = true,
    .make = [](const PolicySettings&) -> std::unique_ptr<Policy> {
      return std::make_unique<SmoothWrr>();
    },
};
TREX_REGISTER(kSmoothWrr);

}  // namespace
}  // namespace trex::schedule
