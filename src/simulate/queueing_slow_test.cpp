#include "simulate/queueing_suite.h"

namespace trex::simulate {

INSTANTIATE_TEST_SUITE_P(NearSaturation, Queueing, testing::Values(0.8, 0.9));

}  // namespace trex::simulate
