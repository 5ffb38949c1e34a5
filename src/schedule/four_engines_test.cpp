// The experiment of data/traces/four_engines with the production scheduler and shipped defaults.
#include <gtest/gtest.h>

#include "schedule/virtual_engines.h"

namespace trex::schedule {
namespace {

const std::vector<SimpleEngine> kFourEngines{
    {.token_s = 0.010, .slots = 32, .prompt_tokens_per_s = 40'000},
    {.token_s = 0.020, .slots = 16, .prompt_tokens_per_s = 20'000},
    {.token_s = 0.035, .slots = 8, .prompt_tokens_per_s = 11'429},
    {.token_s = 0.045, .slots = 8, .prompt_tokens_per_s = 8'889}};

std::vector<Arrival> recorded(int seed) {
  return read_arrivals(Path(TREX_SOURCE_DIR) / "data/traces/four_engines" /
                       ("requests_seed" + std::to_string(seed) + ".csv.zst"));
}

Outcome run_recorded(const SchedulerSettings& settings) {
  std::vector<Outcome> outcomes;
  for (const int seed : {1, 2, 3})
    outcomes.push_back(run_engines(settings, kFourEngines, recorded(seed)));
  return mean_of(outcomes);
}

SchedulerSettings with_policy(const std::string& policy) {
  SchedulerSettings settings;
  settings.policy = policy;
  return settings;
}

// What was measured over sockets with other programs' routers holds this simulation to reality.
TEST(FourEngines, BaselinesAgreeWithWhatWasMeasuredOverSockets) {
  const Outcome turns = run_engines(with_policy("round_robin"), kFourEngines, recorded(1));
  EXPECT_NEAR(turns.mean_latency_s / 60.3, 1, 0.03);
  EXPECT_NEAR(turns.p99_latency_s / 249, 1, 0.10);
  EXPECT_NEAR(turns.mean_ttft_s / 54, 1, 0.05);
  // Least in flight: 6.0 to 6.2 s mean, 37 to 43 s p99.
  const Outcome least = run_engines(with_policy("least_requests"), kFourEngines, recorded(1));
  EXPECT_NEAR(least.mean_latency_s, 6.1, 0.4);
  EXPECT_NEAR(least.p99_latency_s, 40, 5);
}

TEST(FourEngines, DefaultReachesItsTargetsWithoutTrueLengths) {
  const Outcome outcome = run_recorded({});
  EXPECT_LE(outcome.mean_latency_s, 2.6);
  EXPECT_LE(outcome.p99_latency_s, 9.0);
  EXPECT_LE(outcome.mean_ttft_s, 0.3);
}

}  // namespace
}  // namespace trex::schedule
