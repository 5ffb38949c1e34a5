// A request's place on an instance, held while its answer is being made.
#pragma once

#include "schedule/cluster.h"
#include "schedule/request.h"

namespace trex::schedule {

class Scheduler;

// Whoever holds it must tell it what happens; when it is destroyed first, the request counts as
// abandoned. So the counters behind every decision are released on every path. Movable, for use by
// one thread at a time. The scheduler must outlive it.
class InFlight {
 public:
  InFlight() = default;
  InFlight(InFlight&& other) noexcept;
  InFlight& operator=(InFlight&& other) noexcept;
  ~InFlight();

  explicit operator bool() const { return scheduler_ != nullptr; }
  InstanceIndex instance() const { return instance_; }
  RequestId request() const { return request_; }

  void first_token(double now_s);
  // All of the answer has come. Ends the flight.
  void completed(double output_tokens, double now_s);
  // It ended otherwise (cancelled, failed): counted, but nothing is learnt from its length.
  void abandoned(double output_tokens, double now_s);

 private:
  friend class Scheduler;
  InFlight(Scheduler& scheduler, FlightId flight, InstanceIndex instance, RequestId request,
           double now_s)
      : scheduler_(&scheduler),
        flight_(flight),
        instance_(instance),
        request_(request),
        last_s_(now_s) {}

  Scheduler* scheduler_ = nullptr;
  FlightId flight_ = 0;
  InstanceIndex instance_ = 0;
  RequestId request_ = 0;
  double last_s_ = 0;  // the latest time that it heard of: when it ended, if nobody says
};

}  // namespace trex::schedule
