// What a user may set of `trex simulate`: the top of a cluster file, its [instance.NAME] tables and
// its [fault.NAME] tables (docs/formats.md, "Cluster file").
#pragma once

#include <optional>
#include <string>

#include "config/settings.h"
#include "schedule/scheduler_settings.h"
#include "simulate/summary.h"
#include "simulate/workload.h"

namespace trex::simulate {

struct SimulateSettings {
  std::string trace = "azure-conv-2023";
  ArrivalSettings arrivals;
  std::optional<double> load;
  schedule::SchedulerSettings scheduler = patient_scheduler();
  GoodputLimits goodput;
  int64_t samples = 200;
  bool exact = false;
  double noise = 0;
  int64_t threads = 1;

  // A production scheduler turns requests away when they would wait too long; comparing policies
  // needs all of them to be served.
  static schedule::SchedulerSettings patient_scheduler() {
    schedule::SchedulerSettings settings;
    settings.queue.most_waiting = 100'000'000;
    settings.queue.longest_wait_s = 1e7;
    settings.admission.token_budget = 100;
    return settings;
  }

  template <class Visitor>
  void describe(Visitor&& visit) {
    using namespace config;
    visit("trace", trace, "A shipped trace or list of lengths by name, or a file.");
    visit("arrivals", arrivals.arrivals,
          "When requests come: as the trace says, all at once, or drawn.",
          one_of({"trace", "offline", "poisson", "gamma", "mmpp", "closed", "sessions"}));
    visit("requests", arrivals.requests, "Requests of a run; 0: as many as the trace has rows.",
          in_range(0, 100'000'000));
    visit("rate", arrivals.rate,
          "Mean requests/s; with arrivals = trace, 0 leaves the recorded times.", in_range(0, 1e9));
    visit("load", load, "In place of rate: a share of what all instances sustain together.",
          above(0));
    visit("cv", arrivals.cv, "gamma: coefficient of variation of the gaps.", in_range(0.1, 50));
    visit("burst_factor", arrivals.burst_factor, "mmpp: rate within bursts over the mean rate.",
          in_range(1, 1000));
    visit("burst_share", arrivals.burst_share, "mmpp: share of the time within bursts.",
          in_range(0.001, 0.999));
    visit("burst_s", arrivals.burst_s, "mmpp: mean seconds of a burst.", in_range(0.001, 1e6));
    visit("diurnal_swing", arrivals.diurnal_swing,
          "poisson, sessions: the rate swings by this share of it.", in_range(0, 1));
    visit("day_s", arrivals.day_s, "poisson, sessions: seconds of one swing.",
          in_range(0.001, 1e8));
    visit("clients", arrivals.clients, "closed: requests in the system at once.",
          in_range(1, 1'000'000));
    visit("think_s", arrivals.think_s,
          "closed, sessions: mean seconds between an answer and the next request.",
          in_range(0, 1e6));
    visit("turns", arrivals.turns, "sessions: mean number of turns.", in_range(1, 1000));
    visit("system_prompt_tokens", arrivals.system_prompt_tokens,
          "sessions: prompt that all of them share.", in_range(0, 1'000'000));
    visit("tenants", arrivals.num_tenants, "Tenants that requests are spread over.",
          in_range(1, 10'000));
    visit("tenant_skew", arrivals.tenant_skew, "Zipf's exponent of the tenants' shares; 0: equal.",
          in_range(0, 10));
    visit("thin", arrivals.thin,
          "trace: reach `rate` by leaving requests out, not by compressing time.");
    visit("scheduler", scheduler, "The scheduler under test.");
    visit("ttft_limit_s", goodput.ttft_s,
          "Goodput: most seconds to the first token, plus 0.5 ms a prompt token.", above(0));
    visit("tpot_limit_s", goodput.tpot_s, "Goodput: most seconds an output token.", above(0));
    visit("samples", samples, "Points of the time series.", in_range(10, 100'000));
    visit("exact", exact, "Simulate every iteration by itself instead of closed sums.");
    visit("noise", noise, "Standard deviation of the logarithm of an iteration's time.",
          in_range(0, 1));
    visit("threads", threads, "Runs at once; the result does not depend on it.", in_range(1, 1024));
  }
};

struct InstanceSettings {
  std::string engine = "vllm";
  std::optional<Path> profile;
  std::string model;
  std::string device;
  std::string quantisation = "bf16";
  int64_t tp = 1;
  int64_t count = 1;
  std::optional<int64_t> max_sequences;
  std::optional<int64_t> chunk_tokens;
  std::optional<int64_t> max_context;
  double memory_fraction = 0.9;
  int64_t block_tokens = 16;
  bool prefix_cache = true;
  double token_ms = 10;
  double prompt_tokens_per_s = 10'000;
  double network_ms = 0;
  double believed_speed = 1;

  template <class Visitor>
  void describe(Visitor&& visit) {
    using namespace config;
    visit("engine", engine,
          "Whose batching is emulated; slots: constant time per token of each sequence.",
          one_of({"vllm", "sglang", "llama.cpp", "slots"}));
    visit("profile", profile,
          "Instance model file (docs/formats.md); auto: derived from model and device.");
    visit("model", model, "Model of the catalogue (trex perf list).");
    visit("device", device, "Device of the catalogue.");
    visit("quantisation", quantisation, "How the weights are stored and multiplied.");
    visit("tp", tp, "Devices that share the model by tensor parallelism.", in_range(1, 64));
    visit("count", count, "Instances like this.", in_range(1, 10'000));
    visit("max_sequences", max_sequences,
          "Sequences that run at once; auto: 256; llama.cpp: slots that the cache holds, at most "
          "64; slots: 8.",
          in_range(1, 100'000));
    visit("chunk_tokens", chunk_tokens, "Most tokens of one iteration.", in_range(1, 1'000'000));
    visit("max_context", max_context,
          "Most tokens of one sequence; auto: 131072 or as many as fit; llama.cpp: 8192, or a "
          "slot's share of the cache.",
          in_range(2, 100'000'000));
    visit("memory_fraction", memory_fraction, "Share of the device's memory for the engine.",
          in_range(0.1, 1));
    visit("block_tokens", block_tokens, "Tokens of one cache block.", in_range(1, 4096));
    visit("prefix_cache", prefix_cache, "Keep the beginnings of prompts.");
    visit("token_ms", token_ms, "slots: time per output token of each sequence.",
          in_range(1e-6, 1e6));
    visit("prompt_tokens_per_s", prompt_tokens_per_s, "slots: speed of reading prompts.",
          in_range(1e-3, 1e12));
    visit("network_ms", network_ms, "One way between scheduler and engine.", in_range(0, 60'000));
    visit("believed_speed", believed_speed,
          "What the scheduler takes its speed for, over the true one.", in_range(0.01, 100));
  }
};

struct FaultSettings {
  std::string kind = "crash";
  std::string instance;
  double at_s = 0;
  double for_s = 30;
  double factor = 2;
  double warm_up_s = 10;
  double detection_s = 1;

  template <class Visitor>
  void describe(Visitor&& visit) {
    using namespace config;
    visit("kind", kind, "What happens.", one_of({"crash", "slowdown", "partition", "staleness"}));
    visit("instance", instance, "Where: the name of an instance.");
    visit("at_s", at_s, "When.", in_range(0, 1e8));
    visit("for_s", for_s, "How long; a crash: until the restart.", in_range(1e-6, 1e8));
    visit("factor", factor, "slowdown: times as long; staleness: seconds late.",
          in_range(1e-6, 1e6));
    visit("warm_up_s", warm_up_s, "crash: from the restart until it takes requests.",
          in_range(0, 1e8));
    visit("detection_s", detection_s, "crash: until the scheduler knows.", in_range(0, 1e8));
  }
};

}  // namespace trex::simulate
