// A routing policy: one file in policies/, one entry in the registry.
//
// A policy chooses among instances that are ready; filtering and counting are the scheduler's. It
// sees a request, a snapshot and a random stream. It does no I/O, takes no lock, reads no clock and
// allocates nothing while it picks.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/registry.h"
#include "base/rng.h"
#include "schedule/instance.h"
#include "schedule/policy_settings.h"
#include "schedule/request.h"

namespace trex::schedule {

// The predicted length of an answer (length_predictor.h).
struct LengthEstimate {
  double mean = 0;
  double p90 = 0;
  // Answers up to so long make 99 % of all answer tokens: about the longest of those that are being
  // written at a moment, where long ones are more frequent than among all.
  double longest = 0;
};

// One decision's inputs. Spans are parallel and not empty; they are borrowed for the call.
struct Choice {
  const Request& request;
  LengthEstimate output;
  std::span<const InstanceView> ready;
  std::span<const double> cached_tokens;  // of this prompt, by instance
  std::span<const double> kv_bytes;       // that it would hold at its p90 length, by instance
  double now_s;
  double queued;  // requests waiting in the central queue, this one included
};

// Positions are within Choice::ready.
inline constexpr size_t kHold = static_cast<size_t>(-1);  // better to wait in the central queue

class Policy {
 public:
  virtual ~Policy() = default;

  // A position in `choice.ready`, or kHold.
  virtual size_t pick(const Choice& choice, Rng& rng) = 0;

  // The terms behind a candidate's score, for an explanation ("wait 0.12 s x 12 + work 2.1 s").
  // Smaller scores win. May allocate; never called on the hot path.
  virtual std::string explain(const Choice& choice, size_t candidate) const = 0;

  // Instances have come, gone or changed their weight: state that is kept by instance starts anew.
  virtual void instances_changed(std::span<const InstanceView> all) { (void)all; }
};

struct PolicyEntry {
  std::string_view name;
  std::string_view summary;
  // Its choices wait in the central queue while the chosen instance is at its depth.
  bool late_binds;
  // It keeps turns or credits by instance, so it must see all of them and not a sample.
  bool takes_turns;
  // It looks at neither load nor capability: a baseline.
  bool is_blind = false;
  std::unique_ptr<Policy> (*make)(const PolicySettings& settings);
};

}  // namespace trex::schedule
