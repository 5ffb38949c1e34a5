// Throughput and latency of an instance in closed form (heterogeneous serving, section 5.8). The
// closed forms select candidates; the simulator decides.
//
// Pure functions of their arguments; any thread.
#pragma once

#include <cstdint>
#include <functional>

#include "perf/operator_model.h"
#include "perf/workload.h"

namespace trex::perf {

// Seconds of one iteration: an OperatorModel's, a pipeline's or an InstanceModel's.
using IterationSeconds = std::function<double(const Iteration&)>;

IterationSeconds seconds_of(const InstanceModel& model);

// What an instance can hold, besides its speed.
struct InstanceLimits {
  int64_t batch = 0;  // B: sequences at once for this workload
  int64_t chunk_tokens = 2048;
};

// E1, the default.
struct Throughput {
  int64_t batch = 0;          // B
  double decode_s = 0;        // T_dec: one iteration at B without prompts
  double prompt_s = 0;        // c_pre: what one request's prompt adds to a running batch
  double requests_per_s = 0;  // X
  double output_tokens_per_s = 0;
};

// X = 1 / (c_pre + O*T_dec/B). All zero when batch is 0.
Throughput closed_form(const IterationSeconds& seconds, const InstanceLimits& limits,
                       const WorkloadMoments& workload);

// A mean prompt alone on an instance, chunk after chunk: each also pays the iteration's own cost.
double prompt_alone_s(const IterationSeconds& seconds, const WorkloadMoments& workload,
                      int64_t chunk_tokens);

// Factor on X for B < 32, where the spread of output lengths leaves slots empty: 1 - 0.5/sqrt(B).
double small_batch_correction(int64_t batch);

// E2, AIConfigurator's mixed-step form, as a cross-check.
struct MixedSteps {
  double output_tokens_per_s = 0;
  double time_per_token_s = 0;  // TPOT
  double first_token_s = 0;     // TTFT
};
MixedSteps mixed_steps(const IterationSeconds& seconds, const InstanceLimits& limits,
                       const WorkloadMoments& workload);

// E3: latency at an offered load.
struct Load {
  double requests_per_s = 0;
  double arrival_cv2 = 1;  // squared coefficient of variation of the gaps between arrivals
  double service_cv2 = 1;
};

struct LoadedLatency {
  bool is_stable = false;       // rho < 1; otherwise the rest is not defined
  double utilisation = 0;       // rho
  double decode_batch = 0;      // sequences decoding at once
  double first_token_s = 0;     // TTFT, mean
  double time_per_token_s = 0;  // TPOT, mean
};
LoadedLatency latency_at(const IterationSeconds& seconds, const InstanceLimits& limits,
                         const WorkloadMoments& workload, const Load& load);

// Separate prefill and decode instances.
struct SplitPhases {
  double requests_per_s = 0;
  int64_t prefill_instances = 0;
  int64_t decode_instances = 0;
  double transfer_s = 0;  // KV of one prompt over the slower side's link
};

// The best split of `instances` equal ones; 0 requests/s if there are fewer than two.
// `link_bytes_per_s` carries all transfers.
SplitPhases split_phases(const IterationSeconds& seconds, const InstanceLimits& limits,
                         const WorkloadMoments& workload, int64_t instances, double prompt_kv_bytes,
                         double link_bytes_per_s);

}  // namespace trex::perf
