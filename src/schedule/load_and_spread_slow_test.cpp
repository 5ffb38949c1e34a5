// The shipped defaults away from the experiment that they were measured on: other speeds, other
// loads.
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "schedule/policy.h"
#include "schedule/virtual_engines.h"

namespace trex::schedule {
namespace {

// Poisson arrivals at a share of the engines' capacity, lengths drawn from the recorded ones.
std::vector<Arrival> made(const std::vector<SimpleEngine>& engines, double load, uint64_t seed) {
  static const std::vector<Arrival> kLengths =
      read_arrivals(Path(TREX_SOURCE_DIR) / "data/traces/four_engines/requests_seed1.csv.zst");
  constexpr double kMeanOutput = 211, kSeconds = 60;
  double capacity = 0;
  for (const SimpleEngine& engine : engines)
    capacity += static_cast<double>(engine.slots) / (engine.token_s * kMeanOutput);
  Rng rng(seed, "arrivals");
  std::vector<Arrival> arrivals;
  for (double at_s = rng.exponential(load * capacity); at_s < kSeconds;
       at_s += rng.exponential(load * capacity)) {
    Arrival arrival = rng.pick(kLengths);
    arrival.at_s = at_s;
    arrivals.push_back(arrival);
  }
  return arrivals;
}

class LoadAndSpread : public testing::TestWithParam<std::tuple<double, double>> {};

// The defaults are not fitted to one experiment: speeds from equal to eight times apart, little
// load and much.
TEST_P(LoadAndSpread, DefaultIsWithinFivePercentOfTheBestPolicy) {
  const auto [spread, load] = GetParam();
  std::vector<SimpleEngine> engines;
  for (int i = 0; i < 4; ++i) {
    const double token_s = 0.01 * std::pow(spread, i / 3.0);
    engines.push_back({.token_s = token_s, .slots = 16, .prompt_tokens_per_s = 400 / token_s});
  }
  const auto mean_latency_s = [&](const std::string& policy) {
    std::vector<Outcome> outcomes;
    for (const uint64_t seed : {1, 2, 3}) {
      SchedulerSettings settings;
      settings.policy = policy;
      outcomes.push_back(run_engines(settings, engines, made(engines, load, seed)));
    }
    return mean_of(outcomes).mean_latency_s;
  };
  double best = 1e9;
  std::string best_policy;
  for (const PolicyEntry* entry : Registry<PolicyEntry>::instance().entries()) {
    if (entry->name == "cap") continue;
    const double latency_s = mean_latency_s(std::string(entry->name));
    if (latency_s < best) best = latency_s, best_policy = entry->name;
  }
  EXPECT_LE(mean_latency_s("cap"), 1.05 * best) << "the best is " << best_policy;
}

INSTANTIATE_TEST_SUITE_P(Cells, LoadAndSpread,
                         testing::Combine(testing::Values(1.2, 2.0, 8.0),
                                          testing::Values(0.5, 0.7, 0.95)));

}  // namespace
}  // namespace trex::schedule
