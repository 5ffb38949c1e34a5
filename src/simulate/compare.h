// Policies against each other on the same arrivals, over several seeds.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "simulate/cluster_file.h"

namespace trex::simulate {

struct PolicyRuns {
  std::string policy;
  std::vector<Summary> by_seed;
  SimulationResult first;  // the first seed's run, with its time series

  // Mean and interval of one of named_numbers().
  Estimate estimate(const std::string& number) const;
};

struct Comparison {
  std::vector<PolicyRuns> policies;
  Workload first_workload;      // of the first seed
  double capacity_per_s = 0;    // what all instances sustain together
  double offered_per_s = 0;     // mean over seeds; 0 for an offline batch and closed loops
  std::string offered;          // in words: "12.30 requests/s", "all at once", "by 64 clients"
  int64_t too_long = 0;         // requests of the first seed whose prompt no instance takes
  int64_t longest_context = 0;  // of all instances
};

// Names of `text`: "all", or a list like "cap,round_robin". Throws Usage, naming the nearest.
std::vector<std::string> policies_from(const std::string& text);

// Seeds are 1 to `seeds`. With a trace's own arrivals, a seed shifts nothing but the scheduler's
// draws and the noise.
Comparison compare(const ClusterFile& cluster, const std::vector<std::string>& policies,
                   int64_t seeds, Progress& progress);

}  // namespace trex::simulate
