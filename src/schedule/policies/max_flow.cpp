// max_flow: interleaved weighted round robin over the edges of a graph of stages (Helix). The
// weights are the planner's maximum flow over each edge; a request that comes from stage `from`
// takes the next turn of that row. Successors whose cache is nearly full are passed over. Without
// flows: capability.
#include <fmt/format.h>
#include <vector>

#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

class MaxFlow final : public Policy {
 public:
  explicit MaxFlow(const PolicySettings& settings) : flows_(settings.edge_flows) {}

  size_t pick(const Choice& choice, Rng&) override {
    const size_t row = std::min<size_t>(choice.request.from_stage, flows_.size());
    if (take_turn(choice, row, true)) return turn_;
    take_turn(choice, row, false);
    return turn_;
  }

  std::string explain(const Choice& choice, size_t i) const override {
    const size_t row = std::min<size_t>(choice.request.from_stage, flows_.size());
    return fmt::format("credit {:.3f} + flow {:.3f}, cache {:.2f}",
                       credit_[row][choice.ready[i].index], flow(choice, row, i),
                       kv_share(choice.ready[i], choice.kv_bytes[i]));
  }

  void instances_changed(std::span<const InstanceView> all) override {
    credit_.assign(flows_.size() + 1, std::vector<double>(all.size(), 0));
  }

 private:
  static constexpr double kHighWater = 0.9;

  double flow(const Choice& choice, size_t row, size_t i) const {
    const InstanceView& view = choice.ready[i];
    if (row >= flows_.size()) return view.weight;
    return view.index < flows_[row].size() ? flows_[row][view.index] : 0;
  }

  // Sets `turn_`; false if all are masked (then credits stay as they were).
  bool take_turn(const Choice& choice, size_t row, bool masked) {
    std::vector<double>& credit = credit_[row];
    double total = 0;
    turn_ = kHold;
    for (size_t i = 0; i < choice.ready.size(); ++i) {
      if (masked && kv_share(choice.ready[i], choice.kv_bytes[i]) > kHighWater) continue;
      // When the plan leaves nobody, any is better than none.
      const double gain = masked ? flow(choice, row, i) : choice.ready[i].weight;
      if (gain <= 0) continue;
      credit[choice.ready[i].index] += gain;
      total += gain;
      if (turn_ == kHold || credit[choice.ready[i].index] > credit[choice.ready[turn_].index])
        turn_ = i;
    }
    if (turn_ == kHold) return false;
    credit[choice.ready[turn_].index] -= total;
    return true;
  }

  std::vector<std::vector<double>> flows_;   // by stage that it comes from, by instance
  std::vector<std::vector<double>> credit_;  // the same, and a last row for stages without a plan
  size_t turn_ = 0;
};

const PolicyEntry kMaxFlow{
    .name = "max_flow",
    .summary = "turns by the planned flow over each edge",
    .late_binds = false,
    .takes_turns = true,
    .make = [](const PolicySettings& s) -> std::unique_ptr<Policy> {
      return std::make_unique<MaxFlow>(s);
    },
};
TREX_REGISTER(kMaxFlow);

}  // namespace
}  // namespace trex::schedule
