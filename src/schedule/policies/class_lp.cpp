// class_lp: the planner says which share of each workload class every instance should serve (8.3);
// each class takes turns by those shares, and between turns that are close, shortest expected delay
// decides. Classes without a plan go by capability.
#include <fmt/format.h>
#include <vector>

#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

class ClassLp final : public Policy {
 public:
  explicit ClassLp(const PolicySettings& settings) : shares_(settings.class_shares) {}

  size_t pick(const Choice& choice, Rng& rng) override {
    const size_t row = std::min<size_t>(choice.request.workload, shares_.size());
    std::vector<double>& credit = credit_[row];
    double total = 0, most = -kNever;
    for (size_t i = 0; i < choice.ready.size(); ++i) {
      const double share = share_of(choice, row, i);
      credit[choice.ready[i].index] += share;
      total += share;
      if (share > 0) most = std::max(most, credit[choice.ready[i].index]);
    }
    // None of those planned is ready: any is better than none.
    const bool planned = total > 0;
    const size_t pick = least(choice, rng, 0, [&](size_t i) {
      const double behind = planned ? most - credit[choice.ready[i].index] : 0;
      const bool is_close = !planned || (share_of(choice, row, i) > 0 && behind <= kClose * total);
      return is_close ? expected_delay_s(choice, i) : kNever;
    });
    credit[choice.ready[pick].index] -= total;
    return pick;
  }

  std::string explain(const Choice& choice, size_t i) const override {
    const size_t row = std::min<size_t>(choice.request.workload, shares_.size());
    return fmt::format("credit {:.3f} + share {:.3f}, delay {:.3f} s",
                       credit_[row][choice.ready[i].index], share_of(choice, row, i),
                       expected_delay_s(choice, i));
  }

  void instances_changed(std::span<const InstanceView> all) override {
    credit_.assign(shares_.size() + 1, std::vector<double>(all.size(), 0));
  }

 private:
  static constexpr double kNever = 1e300;
  static constexpr double kClose = 0.5;  // turns apart, in requests of the class

  double share_of(const Choice& choice, size_t row, size_t i) const {
    const InstanceView& view = choice.ready[i];
    if (row >= shares_.size()) return view.weight;
    return view.index < shares_[row].size() ? shares_[row][view.index] : 0;
  }

  std::vector<std::vector<double>> shares_;  // by class, by instance
  std::vector<std::vector<double>> credit_;  // the same, and a last row for classes without a plan
};

const PolicyEntry kClassLp{
    .name = "class_lp",
    .summary = "planned shares of each workload class, sed between close turns",
    .late_binds = false,
    .takes_turns = true,
    .make = [](const PolicySettings& s) -> std::unique_ptr<Policy> {
      return std::make_unique<ClassLp>(s);
    },
};
TREX_REGISTER(kClassLp);

}  // namespace
}  // namespace trex::schedule
