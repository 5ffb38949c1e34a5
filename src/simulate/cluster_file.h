// A cluster file: the settings of a simulation, its instances and its faults (docs/formats.md,
// "Cluster file").
//
//   trace = "azure-conv-2023"
//   load = 0.8
//   [instance.fast]
//   model = "Llama-3.1-8B"
//   device = "H100 SXM"
//   [instance.slow]
//   ...
//   [fault.trip]
//   kind = "slowdown"
//   instance = "slow"
//
// Throws Input for unknown keys, devices, models and instances, naming the nearest, for a model
// that does not fit its device, and for numbers that are not.
#pragma once

#include <string>
#include <vector>

#include "perf/catalogue.h"
#include "simulate/simulate_settings.h"
#include "simulate/simulation.h"

namespace trex::simulate {

struct ClusterFile {
  std::string name;  // the file's, for errors
  SimulateSettings settings;
  std::vector<SimulatedInstance> instances;  // weights not set: they depend on the workload
  std::vector<std::string> tables;           // of each instance, the NAME of its [instance.NAME]
  std::vector<Fault> faults;
};

ClusterFile load_cluster(const Path& path, const std::vector<std::string>& overrides);

// What such an instance is, as the scheduler believes it and as it will be emulated.
SimulatedInstance make_instance(const InstanceSettings& settings, const perf::Catalogue& catalogue,
                                const std::string& name, const std::string& where);

// Requests/s that an instance sustains on the workload (perf E1, with its small-batch correction).
double sustained_rate(const perf::InstanceModel& model, const perf::WorkloadMoments& workload);

// Sets X of every instance as believed, and the usual lengths of the scheduler, from the workload.
// Returns the sum of what the instances really sustain.
double fit_to_workload(std::vector<SimulatedInstance>& instances,
                       schedule::SchedulerSettings& scheduler,
                       const perf::WorkloadMoments& workload);

}  // namespace trex::simulate
