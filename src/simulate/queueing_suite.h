// The engines against queueing theory (heterogeneous serving, 14.2 step 1), at a load that each
// test program chooses: near saturation means take long to settle.
#pragma once

#include <gtest/gtest.h>

#include "simulate/queueing.h"

namespace trex::simulate {

// The parameter is rho.
class Queueing : public testing::TestWithParam<double> {};

TEST_P(Queueing, OneServerWithExponentialTimes) {
  const double rho = GetParam();
  SlotEngine engine(servers(1));
  const auto requests = poisson(rho / kMean_s, Service::Exponential, kToken_s, enough(rho), 1);
  EXPECT_NEAR(mean_stay(engine, requests) / mm_c_stay(1, rho), 1, 0.02);
}

// Pollaczek and Khinchine with no variance: W = rho/(2(1 - rho)).
TEST_P(Queueing, OneServerWithFixedTimes) {
  const double rho = GetParam();
  SlotEngine engine(servers(1));
  const double expected = kMean_s * (1 + rho / (2 * (1 - rho)));
  const auto requests = poisson(rho / kMean_s, Service::Fixed, kToken_s, enough(rho), 2);
  EXPECT_NEAR(mean_stay(engine, requests) / expected, 1, 0.02);
}

TEST_P(Queueing, FourServers) {
  const double rho = GetParam();
  SlotEngine engine(servers(4));
  const auto requests = poisson(4 * rho / kMean_s, Service::Exponential, kToken_s, enough(rho), 3);
  EXPECT_NEAR(mean_stay(engine, requests) / mm_c_stay(4, rho), 1, 0.02);
}

TEST_P(Queueing, ProcessorSharingIsInsensitiveToLengths) {
  constexpr double kShareToken_s = 1e-3;
  const double rho = GetParam();
  for (const Service service : {Service::Exponential, Service::Fixed}) {
    IterationEngine engine = sharing_engine(kShareToken_s);
    const auto requests = poisson(rho / kMean_s, service, kShareToken_s, enough(rho) / 2, 4);
    EXPECT_NEAR(mean_stay(engine, requests) * (1 - rho), 1, 0.02);
  }
}

}  // namespace trex::simulate
