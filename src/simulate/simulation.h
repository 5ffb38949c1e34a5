// One run: a workload meets emulated engines behind the production scheduler, on a virtual clock.
//
// Everything that the scheduler sees comes through its public calls, as in the gateway: submit,
// first token, completion, states of instances. The result depends on the arguments alone. Little's
// law and the conservation of tokens and cache are checked at the end of every run; a violation
// stops the program (it would be a bug of the simulator).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "perf/instance_model.h"
#include "schedule/scheduler.h"
#include "simulate/iteration_engine.h"
#include "simulate/slot_engine.h"
#include "simulate/workload.h"

namespace trex::simulate {

enum class EngineKind { Iterations, Slots };

struct SimulatedInstance {
  EngineKind kind = EngineKind::Iterations;
  IterationEngineSpec iterations;  // what it really is
  SlotEngineSpec slots;
  schedule::InstanceSpec believed;  // what the scheduler is told
  double network_s = 0;             // one way, both ways
};

// Something that goes wrong at one instance.
struct Fault {
  enum class Kind {
    Crash,      // loses everything, comes back `for_s` later and then warms up
    Slowdown,   // takes `factor` times as long for `for_s`
    Partition,  // nothing gets in or out for `for_s`; the engine works on
    Staleness,  // the scheduler hears of first tokens and ends `factor` seconds late for `for_s`
  };
  Kind kind = Kind::Crash;
  size_t instance = 0;
  double at_s = 0;
  double for_s = 30;
  double factor = 2;
  double warm_up_s = 10;   // Crash: after the restart, before it takes requests
  double detection_s = 1;  // Crash: until the scheduler knows
};

enum class Outcome : uint8_t { Completed, Refused, Expired, Failed };
std::string to_string(Outcome outcome);

// What happened to one request. Times are kNever where something did not happen.
struct Record {
  Nanoseconds arrived = kNever;
  Nanoseconds dispatched = kNever;  // the last time, if it had to be sent again
  Nanoseconds first_token = kNever;
  Nanoseconds ended = kNever;
  uint32_t instance = UINT32_MAX;
  uint16_t retries = 0;
  Outcome outcome = Outcome::Completed;
  int64_t cached_tokens = 0;
  int64_t output_tokens = 0;  // as planned, or fewer where the instance's longest context cut them
};

// The state at one moment.
struct Sample {
  double at_s = 0;
  int64_t queued = 0;  // in the scheduler
  std::vector<EngineLoad> instances;
  std::vector<int64_t> dispatched;  // to each instance so far
};

struct InstanceResult {
  std::string name;
  EngineTotals totals;
  int64_t dispatched = 0;
  double sigma = 1;  // the scheduler's speed estimate at the end
};

struct SimulationResult {
  std::vector<Record> records;  // as Workload::requests
  std::vector<Sample> samples;
  std::vector<InstanceResult> instances;
  Nanoseconds makespan = 0;  // the last end
  int64_t events = 0;
  double mean_in_system = 0;  // time average
};

struct SimulationInput {
  const Workload& workload;
  const std::vector<SimulatedInstance>& instances;
  schedule::SchedulerSettings scheduler;
  std::vector<Fault> faults;
  double sample_every_s = 0;   // 0: no time series
  size_t most_samples = 1000;  // when there are more, every other one goes and the distance doubles
  std::function<void(int64_t ended)> on_progress;  // now and then
};

// Throws Input for a run that would take longer than kLongest_s.
SimulationResult simulate(const SimulationInput& input);

}  // namespace trex::simulate
