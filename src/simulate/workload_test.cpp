#include "simulate/workload.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trex::simulate {
namespace {

Trace conversation() {
  return load_trace(Path(TREX_SOURCE_DIR) / "data/traces/azure_llm_2023_conv.csv.zst");
}

TEST(Workload, ArrivalsHaveTheirRateAndSpread) {
  const auto spread = [](const Workload& workload) {
    double sum = 0, squares = 0;
    for (size_t i = 1; i < workload.requests.size(); ++i) {
      const double gap = seconds(workload.requests[i].at - workload.requests[i - 1].at);
      sum += gap;
      squares += gap * gap;
    }
    const auto n = static_cast<double>(workload.requests.size() - 1);
    return std::pair{n / sum, std::sqrt(squares / n / (sum / n) / (sum / n) - 1)};
  };
  const auto of = [&](ArrivalSettings settings) {
    settings.requests = 40'000;
    settings.rate = 5;
    return spread(plan_workload(conversation(), settings));
  };
  const auto poisson_arrivals = of({.arrivals = "poisson"});
  EXPECT_NEAR(poisson_arrivals.first, 5, 0.1);
  EXPECT_NEAR(poisson_arrivals.second, 1, 0.03);
  const auto gamma_arrivals = of({.arrivals = "gamma", .cv = 3});
  EXPECT_NEAR(gamma_arrivals.first, 5, 0.3);
  EXPECT_NEAR(gamma_arrivals.second, 3, 0.2);
  const auto modulated = of({.arrivals = "mmpp"});
  EXPECT_NEAR(modulated.first, 5, 0.6);
  EXPECT_GT(modulated.second, 1.2);
}

// Turns of a session share everything up to the last question; sessions share the system prompt.
TEST(Workload, SessionsGrowAndShareTheirBeginnings) {
  const auto workload =
      plan_workload(conversation(),
                    {.arrivals = "sessions", .requests = 500, .rate = 5, .think_s = 2, .turns = 4});
  int64_t chained = 0;
  for (const PlannedRequest& request : workload.requests) {
    if (request.successor == PlannedRequest::kNone) continue;
    const PlannedRequest& next = workload.requests[request.successor];
    ++chained;
    EXPECT_TRUE(next.is_chained);
    ASSERT_GT(next.lengths.prompt_tokens,
              request.lengths.prompt_tokens + request.lengths.output_tokens);
    for (uint32_t b = 0; b < request.num_blocks; ++b) {
      ASSERT_EQ(workload.blocks[request.first_block + b], workload.blocks[next.first_block + b]);
    }
  }
  EXPECT_NEAR(static_cast<double>(chained) / 500, 1 - 1.0 / 4, 0.06);
}

// Zipf with exponent 1 over three: 1 : 1/2 : 1/3 are 6/11, 3/11 and 2/11.
TEST(Workload, TenantsHaveTheirShares) {
  const auto workload = plan_workload(
      conversation(),
      {.arrivals = "offline", .requests = 40'000, .num_tenants = 3, .tenant_skew = 1});
  double counts[3] = {0, 0, 0};
  for (const PlannedRequest& request : workload.requests) counts[request.tenant] += 1.0 / 40'000;
  EXPECT_NEAR(counts[0], 6.0 / 11, 0.01);
  EXPECT_NEAR(counts[1], 3.0 / 11, 0.01);
  EXPECT_NEAR(counts[2], 2.0 / 11, 0.01);
}

// Half a day of 1 + 0.8 sin has 1/2 + 0.8/pi of the arrivals.
TEST(Workload, TheRateFollowsTheDay) {
  const auto workload = plan_workload(
      conversation(),
      {.arrivals = "poisson", .requests = 40'000, .rate = 5, .diurnal_swing = 0.8, .day_s = 100});
  double mornings = 0;
  for (const PlannedRequest& request : workload.requests) {
    mornings += std::fmod(seconds(request.at), 100) < 50 ? 1.0 / 40'000 : 0;
  }
  EXPECT_NEAR(mornings, 0.5 + 0.8 / M_PI, 0.01);
  EXPECT_NEAR(40'000 / seconds(workload.requests.back().at), 5, 0.1);
}

// 5.53 requests/s over 3,501 s: thinned to 2/s they are fewer over the same time, compressed to
// twice the rate they are all there in half of it.
TEST(Workload, ATraceIsThinnedOrCompressed) {
  const Trace trace = conversation();
  const auto thinned =
      plan_workload(trace, {.arrivals = "trace", .requests = 0, .rate = 2, .thin = true});
  EXPECT_NEAR(static_cast<double>(thinned.requests.size()), 19'366 * 2 / 5.53, 200);
  EXPECT_NEAR(seconds(thinned.requests.back().at), trace.duration_s(), 5);
  const auto compressed =
      plan_workload(trace, {.arrivals = "trace", .requests = 0, .rate = 2 * 5.53});
  EXPECT_EQ(compressed.requests.size(), 19'366u);
  EXPECT_NEAR(seconds(compressed.requests.back().at), trace.duration_s() / 2, 2);
}

}  // namespace
}  // namespace trex::simulate
