// predictive: runs the instance model forward for each candidate and takes the earliest end of the
// request (the idea of Block). Between two ends the batch is constant, so one step of the forward
// run is one departure: at most kMostSteps of them.
#include <fmt/format.h>

#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

class Predictive final : public Policy {
 public:
  size_t pick(const Choice& choice, Rng& rng) override {
    return least(choice, rng, 0, [&](size_t i) { return end_s(choice, i); });
  }

  std::string explain(const Choice& choice, size_t i) const override {
    return fmt::format("ends in {:.3f} s", end_s(choice, i));
  }

 private:
  static constexpr int kMostSteps = 64;

  // The step time at a batch: a line through the two that are known.
  static double step_s(const InstanceView& view, double batch) {
    const double slope = std::max(view.next_iteration_s - view.iteration_s, 0.0);
    return std::max(view.iteration_s + slope * (batch - std::max(view.decoding, 1.0)),
                    view.iteration_s / 4);
  }

  // Those in flight are taken to have the mean rest, spread evenly from none to twice of it.
  static double end_s(const Choice& choice, size_t i) {
    const InstanceView& view = choice.ready[i];
    double batch = view.occupied();
    const double rest =
        batch > 0 ? std::max(view.output_tokens_left / std::max(view.in_flight, 1.0), 1.0) : 1;
    const double tokens_between_ends = 2 * rest / std::max(std::min(batch, view.slots), 1.0);
    double left = choice.output.mean;
    double now =
        slot_wait_s(choice, i) + view.prompt_token_s * (view.uncached_tokens + uncached(choice, i));
    batch = std::min(batch, view.slots - 1);
    for (int step = 0; step < kMostSteps && left > tokens_between_ends && batch >= 1; ++step) {
      now += tokens_between_ends * step_s(view, batch + 1);
      left -= tokens_between_ends;
      batch -= 1;
    }
    return now + left * step_s(view, batch + 1);
  }
};

const PolicyEntry kPredictive{
    .name = "predictive",
    .summary = "earliest end by running the instance model forward",
    .late_binds = false,
    .takes_turns = false,
    .make = [](const PolicySettings&) -> std::unique_ptr<Policy> {
      return std::make_unique<Predictive>();
    },
};
TREX_REGISTER(kPredictive);

}  // namespace
}  // namespace trex::schedule
