// The scheduler: one object that gateway and simulator both use. It admits requests, picks an
// instance for each or keeps it in the central queue, counts what is in flight, and learns lengths
// and speeds from what comes back.
//
// Time comes in as an argument (seconds on the caller's clock, not before 0), so a simulation
// drives it with a virtual one. Every public call may come from any thread; a spin lock guards the
// state for the microsecond that a decision takes. In the steady state a decision allocates
// nothing. Depends only on its settings (the seed among them) and on the calls made.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schedule/in_flight.h"
#include "schedule/policy.h"
#include "schedule/scheduler_settings.h"

namespace trex::schedule {

// Why a request is not served. None is an error: each is an answer to give to the caller.
enum class RefusalReason : uint8_t {
  QueueFull,   // no room in its class
  TooLong,     // its prompt fits no instance there is: coming back does not help
  Overloaded,  // it would wait longer than its class may
  TooLate,     // its deadline can no longer be met
  Expired,     // it has waited as long as a request may
};
std::string_view text_of(RefusalReason reason);

struct Refusal {
  RefusalReason reason;
  double retry_after_s;  // 0 when coming back does not help
};

// What becomes of a request that arrives. Exactly one of the three.
struct Admission {
  InFlight flight{};                 // go now, or
  bool is_queued = false;            // wait in the central queue, or
  std::optional<Refusal> refusal{};  // not at all
};

// A request that leaves the central queue: to an instance, or out.
struct Departure {
  RequestId request = 0;
  InFlight flight{};                 // empty when it is refused
  std::optional<Refusal> refusal{};  // Expired or TooLate
};

class Scheduler {
 public:
  // Throws Input for an unknown policy, naming the nearest.
  Scheduler(SchedulerSettings settings, std::vector<InstanceSpec> instances);
  ~Scheduler();

  // The id must not be in use by a request that waits.
  Admission submit(const Request& request, double now_s);

  // The next request that leaves the queue at this time, if any. Call it until it gives nothing
  // after everything that may let one go: an end, a first token, an arrival that was queued, an
  // instance that came or changed, and when next_expiry_s() has come.
  std::optional<Departure> next_departure(double now_s);
  double next_expiry_s();  // infinity when nothing waits

  // A caller that went away while its request waited. False if it does not wait (any more).
  bool cancel_queued(RequestId request);

  // Instances come, go and change. An index is never used again. Setting one Ready that was Down
  // begins it anew: nothing in its cache, no speed known.
  InstanceIndex add_instance(InstanceSpec spec);
  void set_state(InstanceIndex instance, InstanceState state);
  void set_spec(InstanceIndex instance, InstanceSpec spec);

  // What the engine itself says it holds (9.7). More than we sent there, for three reports in a
  // row, is somebody else's load, counted beside ours.
  void report_engine(InstanceIndex instance, EngineReport report);

  std::vector<InstanceView> snapshot() const;
  double sigma(InstanceIndex instance) const;
  size_t num_queued() const;
  // 1 or more: every ready instance has as much as it should take (9.6). 0 when none is ready.
  double saturation() const;

  // Why a request would go where: every candidate with the terms of its score. Changes no decision.
  std::string explain(const Request& request, double now_s);

 private:
  friend class InFlight;
  struct State;
  void first_token(FlightId flight, double now_s);
  void end(FlightId flight, double output_tokens, bool was_completed, double now_s);

  std::unique_ptr<State> state_;
};

}  // namespace trex::schedule
