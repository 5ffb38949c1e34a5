// One decision at a time: which instances may take a request, what the policy says, and whom to
// turn away. The state behind the scheduler's lock; private to the module.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/rng.h"
#include "schedule/cluster.h"
#include "schedule/length_predictor.h"
#include "schedule/policy.h"
#include "schedule/prefix_index.h"
#include "schedule/queue.h"
#include "schedule/scheduler.h"
#include "schedule/spin_lock.h"

namespace trex::schedule {

struct Scheduler::State {
  explicit State(SchedulerSettings s);

  mutable SpinLock lock;
  SchedulerSettings settings;
  const PolicyEntry& entry;
  std::unique_ptr<Policy> policy;
  bool late_binding;
  Cluster cluster;
  LengthPredictor lengths;
  CentralQueue queue;
  Rng rng;
  std::vector<PrefixIndex> prefixes;  // by instance

  // One decision's candidates, kept to save allocations.
  std::vector<InstanceView> ready;
  std::vector<double> cached_tokens, kv_bytes;

  void add(InstanceSpec spec);

  // The candidates of a request; `everything`: no sampling, and no random number drawn.
  Choice gather(const Request& request, double now_s, bool everything);
  // A position in `ready`, or kHold.
  size_t decide(const Choice& choice);
  // Whether any candidate, or an instance that is none, may take a request at all.
  bool has_room(const Choice& choice) const;
  FlightId start(const Choice& choice, size_t position);

  double requests_per_s() const;  // that all ready instances sustain
  // Whether a request should be turned away before it waits.
  std::optional<RefusalReason> reason_to_refuse(const Request& request, const Choice& choice) const;
  bool fits_somewhere(const Request& request) const;
  bool is_too_late(const Choice& choice) const;
  // What its prompt takes without any waiting; 0 when nothing is ready.
  double shortest_prompt_s(const Choice& choice) const;
  Refusal refusal(RefusalReason reason);

 private:
  bool fits(const Request& request, InstanceIndex instance) const;
  bool is_candidate(const Request& request, InstanceIndex instance) const;
  void add_candidate(const Request& request, LengthEstimate output, InstanceIndex instance,
                     double now_s);
  void sample_candidates(const Request& request, LengthEstimate output, double now_s);
  bool is_over_budget(double more_kv_bytes) const;
  double longest_ttft_s(Priority priority) const;
};

}  // namespace trex::schedule
