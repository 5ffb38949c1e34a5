// The instances and what is in flight on each: the state behind every decision (9.1, 9.2).
//
// Load is counted at selection, not when a stream starts: otherwise a burst during long prefills
// all goes to one instance. Not thread-safe; the scheduler owns it and holds its lock.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/instance.h"
#include "schedule/length_predictor.h"
#include "schedule/prompt_line.h"
#include "schedule/refit.h"
#include "schedule/request.h"
#include "schedule/speed_estimate.h"

namespace trex::schedule {

using FlightId = uint32_t;

struct ClusterSettings {
  double usual_prompt_tokens = 1000;  // the workload by which operating batches are worked out
  double usual_output_tokens = 200;
  double depth_slack =
      0.1;  // instances take (1 + slack) x their operating batch before the queue holds
  bool measure_speed = true;
};

// What the end of a flight tells about its request.
struct FlightEnd {
  uint32_t workload;
  uint32_t tenant;
  double prompt_tokens;
  double expected_output;
};

class Cluster {
 public:
  explicit Cluster(ClusterSettings settings) : settings_(settings) {}

  InstanceIndex add(InstanceSpec spec);
  void set_state(InstanceIndex instance, InstanceState state);
  // Replaces what an instance is believed to be (a new profile, a wrong one in a test).
  void set_spec(InstanceIndex instance, InstanceSpec spec);

  size_t size() const { return instances_.size(); }
  const InstanceView& view(InstanceIndex instance) const { return views_[instance]; }
  std::span<const InstanceView> views() const { return views_; }
  // With what depends on the moment: how far the engine is with the prompt that it reads.
  InstanceView view_at(InstanceIndex instance, double now_s) const;
  const InstanceSpec& spec(InstanceIndex instance) const { return instances_[instance].spec; }
  double sigma(InstanceIndex instance) const { return instances_[instance].speed.sigma(); }
  // The same of reading prompts: measured from first tokens; sigma until that is known.
  double prompt_sigma(InstanceIndex instance) const;

  // Expected bytes of all in flight, and of all caches that take requests; infinite when one of
  // them has no known limit.
  double reserved_kv_bytes() const { return reserved_kv_bytes_; }
  double kv_capacity_bytes() const { return kv_capacity_bytes_; }
  double most_weight() const { return most_weight_; }  // no instance's weight is above it

  // Brings the expected rest of an instance's flights up to date with the clock. Cheap when that
  // was done a moment ago.
  void refresh(InstanceIndex instance, double now_s, LengthPredictor& lengths);

  // What happens to a request. `cached_tokens` of its prompt need no computing on that instance.
  FlightId start(InstanceIndex instance, const Request& request, LengthEstimate output,
                 double cached_tokens, double now_s);
  void first_token(FlightId flight, double now_s);
  // Ends it on any path; `output_tokens` are those that came (0 for one that never began).
  FlightEnd end(FlightId flight, double output_tokens, bool was_completed, double now_s);

  // See Scheduler::report_engine.
  void report(InstanceIndex instance, EngineReport report);

  InstanceIndex instance_of(FlightId flight) const { return flights_[flight].instance; }

  // Bytes of cache that the request will hold at its predicted length on that instance.
  double kv_bytes(InstanceIndex instance, double prompt_tokens, double output_tokens) const;

 private:
  static constexpr FlightId kNone = UINT32_MAX;
  enum class Phase : uint8_t { Free, Waiting, Prefilling, Decoding };

  struct Flight {
    InstanceIndex instance = 0;
    Phase phase = Phase::Free;
    uint32_t workload = 0, tenant = 0;
    double prompt_tokens = 0, uncached_tokens = 0, cap = 0;
    double expected_output = 0, rest = 0;  // of its output, when last refreshed
    double kv_bytes = 0;
    double ready_s = 0;        // since when its prompt can have been read; see PromptDone
    bool had_to_wait = false;  // for a slot
    double first_token_s = 0;
    double first_step_s = 0;                  // as the model has it, when the first token came
    double prompts_s = 0;                     // Instance::prompts_s then
    ModelParts sums;                          // Instance::sums then
    FlightId previous = kNone, next = kNone;  // in the list that it is in
  };

  struct FlightList {
    FlightId oldest = kNone, newest = kNone;
  };

  struct Instance {
    InstanceSpec spec;
    SpeedEstimate speed, prompt_speed;
    PromptLine line;
    Refit refit;
    perf::IterationCoefficients time;  // the spec's, refitted: what "the model has" is by this
    // By the spec's own: the parts of a step now (without prompts), and their sums over all steps
    // so far. In the sums base is the number of steps, prompts are seconds.
    ModelParts parts, sums;
    double summed_s = 0;                // the time of the sums
    int first_tokens_without_gaps = 0;  // measured ones, in a row
    // Those in phase Waiting, of which an overloaded engine has any number, and the others. Only
    // the others are gone through.
    FlightList waiting, with_slots;
    double waiting_tokens_left = 0;  // expected answers of the waiting
    FlightId reading = kNone;        // the first with a slot and no first token
    double reading_since_s = 0;
    double context_tokens = 0;  // of the decoding ones
    double with_slot = 0;       // not waiting at the engine
    double inverse_rest = 0;    // sum of 1 / rest over those with a slot
    double step_s = 0;          // of decoding alone, as the model has it
    double prompts_s = 0;       // that it has spent on prompts so far, as the model has it
    // Fading sums over what it finished: time of prompts, as the model has it, and answer tokens.
    double finished_prompts_s = 0, finished_tokens = 0;
    double refreshed_s = -1;
    double planned_weight = 0, planned_prompt_token_s = 0, planned_output_token_s = 0;
    double slow_since_s = -1;  // as slow as can be measured; -1: it is not
    EngineReport last_report;
    double report_interval_s = 0;
    int reports_off = 0;  // in a row that do not fit what we count
  };

  void derive_plan(InstanceIndex instance);
  void derive_capability(InstanceIndex instance);
  void derive_load(InstanceIndex instance);
  void append(FlightList& list, FlightId flight);
  void unlink(FlightList& list, FlightId flight);
  void take_slot(Instance& instance, FlightId flight);
  void give_slots(Instance& instance, double slots, double now_s);
  void read_next(Instance& instance, FlightId done, double now_s);
  void watch_outlier(InstanceIndex instance, double now_s);
  bool may_eject(InstanceIndex instance) const;
  bool was_outlier_for_long(InstanceIndex instance, double now_s) const;
  void derive_totals();
  void remove(FlightId flight, double now_s);
  double usual_work_s(double prompt_token_s, double output_token_s) const;
  double effective_sigma(InstanceIndex instance) const;
  double effective_prompt_sigma(InstanceIndex instance) const;
  void forget_speed(InstanceIndex instance);
  void sum_steps(Instance& instance, double now_s);
  void learn_parts(InstanceIndex instance, const Flight& flight, double gaps, double observed_s);
  void refit_time(InstanceIndex instance);
  bool learn_speed(const Flight& flight, double output_tokens, double now_s);
  bool learn_prompt_speed(const Flight& flight, double now_s);
  double prompt_s(const Flight& flight, const perf::IterationCoefficients& time) const;
  void learn_mix(const Flight& flight, double output_tokens);
  double prompt_per_token_s(const Instance& instance) const;

  ClusterSettings settings_;
  std::vector<Instance> instances_;
  std::vector<InstanceView> views_;
  std::vector<Flight> flights_;
  std::vector<FlightId> free_flights_;
  double reserved_kv_bytes_ = 0;
  double kv_capacity_bytes_ = 0;
  double most_weight_ = 0;
};

}  // namespace trex::schedule
