// The engines against queueing theory near saturation, where means take long to settle.
#include "simulate/queueing.h"

#include <gtest/gtest.h>

namespace trex::simulate {
namespace {

TEST(QueueingNearSaturation, OneServerWithExponentialTimes) {
  for (const double rho : {0.8, 0.9}) {
    SlotEngine engine(servers(1));
    EXPECT_NEAR(mean_stay(engine, poisson(rho / kMean_s, Service::Exponential, kToken_s, enough(rho), 1)) / mm_c_stay(1, rho), 1, 0.02) << rho;
  }
}

// Pollaczek and Khinchine with no variance: W = rho/(2(1 - rho)).
TEST(QueueingNearSaturation, OneServerWithFixedTimes) {
  for (const double rho : {0.8, 0.9}) {
    SlotEngine engine(servers(1));
    const double expected = kMean_s * (1 + rho / (2 * (1 - rho)));
    EXPECT_NEAR(mean_stay(engine, poisson(rho / kMean_s, Service::Fixed, kToken_s, enough(rho), 2)) / expected, 1, 0.02) << rho;
  }
}

TEST(QueueingNearSaturation, FourServers) {
  for (const double rho : {0.8, 0.9}) {
    SlotEngine engine(servers(4));
    EXPECT_NEAR(mean_stay(engine, poisson(4 * rho / kMean_s, Service::Exponential, kToken_s, enough(rho), 3)) / mm_c_stay(4, rho), 1, 0.02) << rho;
  }
}

TEST(QueueingNearSaturation, ProcessorSharingIsInsensitiveToLengths) {
  constexpr double kShareToken_s = 1e-3;
  for (const Service service : {Service::Exponential, Service::Fixed}) {
    const double rho = 0.85;
    IterationEngine engine = sharing_engine(kShareToken_s);
    EXPECT_NEAR(mean_stay(engine, poisson(rho / kMean_s, service, kShareToken_s, enough(rho) / 2, 4)) * (1 - rho), 1, 0.02);
  }
}

}  // namespace
}  // namespace trex::simulate
