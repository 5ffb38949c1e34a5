// The HTML page of `trex simulate`: latency distributions, utilisation of each instance over time,
// the queue and the decisions, for every policy that was compared.
#pragma once

#include <string>

#include "simulate/compare.h"

namespace trex::app {

std::string simulate_page(const simulate::ClusterFile& cluster,
                          const simulate::Comparison& comparison);

}  // namespace trex::app
