#include "simulate/queueing_suite.h"

namespace trex::simulate {

INSTANTIATE_TEST_SUITE_P(HalfLoaded, Queueing, testing::Values(0.5, 0.7));

}  // namespace trex::simulate
