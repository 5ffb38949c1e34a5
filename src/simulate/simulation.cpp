#include "simulate/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/check.h"
#include "base/error.h"

namespace trex::simulate {
namespace {

using schedule::InFlight;

constexpr int kMostRetries = 3;
constexpr int64_t kEndsBetweenProgress = 2'000;

enum class EventKind : uint8_t {
  Arrival,
  Engine,
  Deliver,
  Heard,
  FaultBegins,
  FaultEnds,
  Detected,
  Back,
  Expiry,
  Sample
};

struct Event {
  EventKind kind;
  uint8_t what = 0;       // Heard: Notice::Kind
  uint16_t epoch = 0;     // Deliver, Heard, Detected: lives of the instance
  uint32_t instance = 0;  // or fault
  RequestIndex request = 0;
};

struct Place {
  std::unique_ptr<Engine> engine;
  Nanoseconds planned = kNever;  // the engine event that is in the queue
  Nanoseconds network = 0;
  uint16_t epoch = 0;
  bool is_up = true;
  Nanoseconds closed_until = 0;        // Partition
  Nanoseconds deaf_for = 0;            // Staleness
  std::vector<RequestIndex> stranded;  // lost or sent while down, not yet detected
  int64_t dispatched = 0;
};

class Simulation {
 public:
  explicit Simulation(const SimulationInput& input)
      : input_(input),
        plan_(input.workload.requests),
        scheduler_(settings_of(input), specs_of(input)) {
    result_.records.resize(plan_.size());
    for (size_t i = 0; i < plan_.size(); ++i)
      result_.records[i].output_tokens = plan_[i].lengths.output_tokens;
    flights_.resize(plan_.size());
    emitted_.resize(plan_.size());
    uint64_t index = 0;
    for (const SimulatedInstance& instance : input.instances) {
      Place place;
      place.network = nanoseconds(instance.network_s);
      if (instance.kind == EngineKind::Slots) {
        place.engine = std::make_unique<SlotEngine>(instance.slots);
      } else {
        IterationEngineSpec spec = instance.iterations;
        spec.seed = spec.seed * 1'000'003 + index;
        place.engine = std::make_unique<IterationEngine>(std::move(spec));
      }
      places_.push_back(std::move(place));
      ++index;
    }
  }

  SimulationResult run() {
    for (uint32_t i = 0; i < plan_.size(); ++i) {
      if (!plan_[i].is_chained) push(plan_[i].at, {.kind = EventKind::Arrival, .request = i});
    }
    for (uint32_t i = 0; i < input_.faults.size(); ++i) {
      push(nanoseconds(input_.faults[i].at_s), {.kind = EventKind::FaultBegins, .instance = i});
    }
    if (input_.sample_every_s > 0) {
      sample_every_ = std::max<Nanoseconds>(nanoseconds(input_.sample_every_s), 1);
      push(0, {.kind = EventKind::Sample});
    }
    while (!events_.is_empty() && ended_ < plan_.size()) {
      now_ = events_.next_time();
      if (now_ >= nanoseconds(kLongest_s)) {
        throw input_error(
            "simulation", "", fmt::format("a run of at most {:.0e} s", kLongest_s),
            fmt::format("{} of {} requests ended by then", ended_, plan_.size()),
            "check the arrivals' times or rate, the instances' speeds and the faults");
      }
      ++result_.events;
      happen(events_.pop());
    }
    finish();
    return std::move(result_);
  }

 private:
  static schedule::SchedulerSettings settings_of(const SimulationInput& input) {
    schedule::SchedulerSettings settings = input.scheduler;
    if (input.workload.block_tokens > 0) settings.prefix_block_tokens = input.workload.block_tokens;
    return settings;
  }
  static std::vector<schedule::InstanceSpec> specs_of(const SimulationInput& input) {
    std::vector<schedule::InstanceSpec> specs;
    for (const SimulatedInstance& instance : input.instances) specs.push_back(instance.believed);
    return specs;
  }

  double now_s() const { return seconds(now_); }
  void push(Nanoseconds at, Event event) { events_.push(at, event); }
  void happen(const Event& event);

  void arrive(RequestIndex request);
  void submit(RequestIndex request);
  void dispatch(RequestIndex request, InFlight flight);
  void deliver(RequestIndex request, uint32_t instance, uint16_t epoch);
  void drain_queue();
  void watch_expiry();
  void advance_engine(uint32_t instance);
  void replan(uint32_t instance);
  void notice(uint32_t instance, const Notice& notice);
  void heard(RequestIndex request, Notice::Kind kind);
  void end(RequestIndex request, Outcome outcome);
  void count_in_system(int64_t change);

  void begin_fault(uint32_t fault);
  void end_fault(uint32_t fault);
  void crash(uint32_t instance);
  void detect_crash(uint32_t fault);
  void take_sample();
  void finish();

  const SimulationInput& input_;
  const std::vector<PlannedRequest>& plan_;
  schedule::Scheduler scheduler_;
  std::vector<Place> places_;
  std::vector<InFlight> flights_;  // by request; after scheduler_: released before it goes
  std::vector<int64_t> emitted_;   // of requests that a crash ended
  EventQueue<Event> events_;
  std::vector<Notice> notices_;  // scratch
  Nanoseconds now_ = 0;
  size_t ended_ = 0;
  Nanoseconds watched_expiry_ = kNever;
  Nanoseconds sample_every_ = 0;

  int64_t in_system_ = 0;  // for Little's law, counted apart from the records
  Nanoseconds counted_at_ = 0;
  long double request_ns_ = 0;
  long double heard_late_ns_ = 0;  // from ends to when the scheduler hears of them (Staleness)
  SimulationResult result_;
};

void Simulation::happen(const Event& event) {
  switch (event.kind) {
    case EventKind::Arrival:
      arrive(event.request);
      break;
    case EventKind::Engine:
      if (places_[event.instance].planned == now_) advance_engine(event.instance);
      break;
    case EventKind::Deliver:
      deliver(event.request, event.instance, event.epoch);
      break;
    case EventKind::Heard:
      heard(event.request, static_cast<Notice::Kind>(event.what));
      break;
    case EventKind::FaultBegins:
      begin_fault(event.instance);
      break;
    case EventKind::FaultEnds:
      end_fault(event.instance);
      break;
    case EventKind::Detected:
      detect_crash(event.instance);
      break;
    case EventKind::Back: {
      places_[event.instance].is_up = true;
      scheduler_.set_state(event.instance, schedule::InstanceState::Ready);
      drain_queue();
      break;
    }
    case EventKind::Expiry:
      watched_expiry_ = kNever;
      drain_queue();
      break;
    case EventKind::Sample:
      take_sample();
      break;
  }
}

void Simulation::count_in_system(int64_t change) {
  request_ns_ +=
      static_cast<long double>(in_system_) * static_cast<long double>(now_ - counted_at_);
  counted_at_ = now_;
  in_system_ += change;
}

void Simulation::arrive(RequestIndex request) {
  count_in_system(+1);
  result_.records[request].arrived = now_;
  submit(request);
}

void Simulation::submit(RequestIndex index) {
  const PlannedRequest& planned = plan_[index];
  const RequestClass& kind = input_.workload.classes[planned.request_class];
  schedule::Request request;
  request.id = index;
  request.tenant = planned.tenant;
  request.workload = planned.request_class;
  request.priority = kind.priority;
  request.arrival_s = seconds(result_.records[index].arrived);
  request.prompt_tokens = static_cast<double>(planned.lengths.prompt_tokens);
  if (kind.ttft_deadline_s > 0) request.ttft_deadline_s = request.arrival_s + kind.ttft_deadline_s;
  request.prefix_blocks =
      std::span(input_.workload.blocks).subspan(planned.first_block, planned.num_blocks);
  schedule::Admission admission = scheduler_.submit(request, now_s());
  if (admission.flight) {
    dispatch(index, std::move(admission.flight));
  } else if (admission.is_queued) {
    drain_queue();
  } else {
    end(index, Outcome::Refused);
  }
}

void Simulation::dispatch(RequestIndex request, InFlight flight) {
  const uint32_t instance = flight.instance();
  Place& place = places_[instance];
  flights_[request] = std::move(flight);
  Record& record = result_.records[request];
  record.dispatched = now_;
  record.instance = instance;
  ++place.dispatched;
  const Nanoseconds at = std::max(now_ + place.network, place.closed_until);
  if (at == now_) {
    deliver(request, instance, place.epoch);
  } else {
    push(at, {.kind = EventKind::Deliver,
              .epoch = place.epoch,
              .instance = instance,
              .request = request});
  }
}

void Simulation::deliver(RequestIndex request, uint32_t instance, uint16_t epoch) {
  Place& place = places_[instance];
  if (!place.is_up || epoch != place.epoch) {
    place.stranded.push_back(request);
    return;
  }
  const PlannedRequest& planned = plan_[request];
  // An engine ends an answer at its longest context; no prompt is sent that fills it.
  const int64_t longest = input_.instances[instance].iterations.model.max_context;
  const int64_t room = std::max<int64_t>(longest - planned.lengths.prompt_tokens, 1);
  const int64_t output_tokens =
      std::min(planned.lengths.output_tokens, longest > 0 ? room : planned.lengths.output_tokens);
  place.engine->submit(
      {.index = request,
       .prompt_tokens = planned.lengths.prompt_tokens,
       .output_tokens = output_tokens,
       .prefix_blocks =
           std::span(input_.workload.blocks).subspan(planned.first_block, planned.num_blocks),
       .prefix_block_tokens = input_.workload.block_tokens},
      now_);
  replan(instance);
}

void Simulation::replan(uint32_t instance) {
  Place& place = places_[instance];
  const Nanoseconds next = place.engine->next_event();
  if (next == place.planned) return;
  place.planned = next;
  if (next != kNever) push(next, {.kind = EventKind::Engine, .instance = instance});
}

void Simulation::advance_engine(uint32_t instance) {
  Place& place = places_[instance];
  notices_.clear();
  place.planned = kNever;
  place.engine->advance(now_, notices_);
  replan(instance);
  // Dispatching may plan engines anew but never advances one, so the scratch list stays as it is.
  for (const Notice& said : notices_) notice(instance, said);
  drain_queue();
}

// The engine has said something; the caller hears it after the network, the scheduler perhaps
// later.
void Simulation::notice(uint32_t instance, const Notice& said) {
  Place& place = places_[instance];
  Record& record = result_.records[said.request];
  const Nanoseconds at = std::max(now_ + place.network, place.closed_until);
  if (said.kind == Notice::Kind::FirstToken) {
    record.first_token = at;
    record.cached_tokens = said.tokens;
  }
  if (said.kind == Notice::Kind::Finished) record.output_tokens = said.tokens;
  const Nanoseconds heard_at = at + place.deaf_for;
  if (heard_at == now_) {
    heard(said.request, said.kind);
  } else {
    if (said.kind == Notice::Kind::Finished) record.ended = at;
    push(heard_at, {.kind = EventKind::Heard,
                    .what = static_cast<uint8_t>(said.kind),
                    .epoch = place.epoch,
                    .instance = instance,
                    .request = said.request});
  }
}

void Simulation::heard(RequestIndex request, Notice::Kind kind) {
  if (!flights_[request]) return;
  if (kind == Notice::Kind::FirstToken) {
    flights_[request].first_token(now_s());
    return;
  }
  flights_[request].completed(static_cast<double>(result_.records[request].output_tokens), now_s());
  end(request, Outcome::Completed);
  if (scheduler_.num_queued() > 0) drain_queue();
}

void Simulation::end(RequestIndex request, Outcome outcome) {
  count_in_system(-1);
  Record& record = result_.records[request];
  record.outcome = outcome;
  record.ended = std::min(record.ended, now_);
  heard_late_ns_ += static_cast<long double>(now_ - record.ended);
  result_.makespan = std::max(result_.makespan, now_);
  ++ended_;
  if (input_.on_progress && ended_ % kEndsBetweenProgress == 0)
    input_.on_progress(static_cast<int64_t>(ended_));
  const uint32_t successor = plan_[request].successor;
  if (successor != PlannedRequest::kNone) {
    push(now_ + plan_[successor].at, {.kind = EventKind::Arrival, .request = successor});
  }
}

void Simulation::drain_queue() {
  if (scheduler_.num_queued() == 0) return;
  while (auto departure = scheduler_.next_departure(now_s())) {
    const auto request = static_cast<RequestIndex>(departure->request);
    if (departure->flight) {
      dispatch(request, std::move(departure->flight));
    } else {
      end(request, Outcome::Expired);
    }
  }
  watch_expiry();
}

void Simulation::watch_expiry() {
  const double next_s = scheduler_.next_expiry_s();
  if (!std::isfinite(next_s)) return;
  const Nanoseconds next = std::max(nanoseconds(next_s) + 1, now_ + 1);
  if (next >= watched_expiry_) return;
  watched_expiry_ = next;
  push(next, {.kind = EventKind::Expiry});
}

// --- Faults
// ----------------------------------------------------------------------------------------

void Simulation::begin_fault(uint32_t index) {
  const Fault& fault = input_.faults[index];
  const auto instance = static_cast<uint32_t>(fault.instance);
  Place& place = places_[instance];
  switch (fault.kind) {
    case Fault::Kind::Crash:
      crash(instance);
      push(now_ + nanoseconds(fault.detection_s), {.kind = EventKind::Detected, .instance = index});
      push(now_ + nanoseconds(std::max(fault.for_s + fault.warm_up_s, fault.detection_s)) + 1,
           {.kind = EventKind::Back, .instance = instance});
      return;
    case Fault::Kind::Slowdown:
      place.engine->set_slowdown(fault.factor, now_);
      replan(instance);
      break;
    case Fault::Kind::Partition:
      place.closed_until = now_ + nanoseconds(fault.for_s);
      return;
    case Fault::Kind::Staleness:
      place.deaf_for = nanoseconds(fault.factor);
      break;
  }
  push(now_ + nanoseconds(fault.for_s), {.kind = EventKind::FaultEnds, .instance = index});
}

void Simulation::end_fault(uint32_t index) {
  const Fault& fault = input_.faults[index];
  Place& place = places_[fault.instance];
  if (fault.kind == Fault::Kind::Staleness) {
    place.deaf_for = 0;
    return;
  }
  place.engine->set_slowdown(1, now_);
  replan(static_cast<uint32_t>(fault.instance));
}

void Simulation::crash(uint32_t instance) {
  Place& place = places_[instance];
  place.is_up = false;
  ++place.epoch;
  for (const Lost& lost : place.engine->crash(now_)) {
    emitted_[lost.request] = lost.emitted_tokens;
    place.stranded.push_back(lost.request);
  }
  place.planned = kNever;
}

// Whoever has had no token yet is sent again elsewhere; an answer that has begun cannot be.
void Simulation::detect_crash(uint32_t index) {
  const auto instance = static_cast<uint32_t>(input_.faults[index].instance);
  Place& place = places_[instance];
  scheduler_.set_state(instance, schedule::InstanceState::Down);
  std::vector<RequestIndex> stranded;
  stranded.swap(place.stranded);
  for (const RequestIndex request : stranded) {
    Record& record = result_.records[request];
    if (flights_[request])
      flights_[request].abandoned(static_cast<double>(emitted_[request]), now_s());
    if (emitted_[request] > 0 || record.retries >= kMostRetries) {
      end(request, Outcome::Failed);
    } else {
      ++record.retries;
      record.first_token = kNever;
      submit(request);
    }
  }
  drain_queue();
}

// --- What is kept
// ----------------------------------------------------------------------------------

void Simulation::take_sample() {
  Sample sample;
  sample.at_s = now_s();
  sample.queued = static_cast<int64_t>(scheduler_.num_queued());
  for (const Place& place : places_) {
    sample.instances.push_back(place.engine->load());
    sample.dispatched.push_back(place.dispatched);
  }
  auto& samples = result_.samples;
  samples.push_back(std::move(sample));
  Nanoseconds next = now_ + sample_every_;
  if (samples.size() >= input_.most_samples) {
    // The last one goes too where their number is even: `next` is on the wider grid then.
    if (samples.size() % 2 != 0) next += sample_every_;
    for (size_t i = 1; 2 * i < samples.size(); ++i) samples[i] = std::move(samples[2 * i]);
    samples.resize((samples.size() + 1) / 2);
    sample_every_ *= 2;
  }
  if (ended_ < plan_.size()) push(next, {.kind = EventKind::Sample});
}

void Simulation::finish() {
  TREX_CHECK(ended_ == plan_.size(), "{} of {} requests ended", ended_, plan_.size());
  count_in_system(0);
  // Little: requests in the system, averaged over time, are arrivals times mean time in it.
  long double stays_ns = heard_late_ns_;
  for (const Record& record : result_.records) {
    stays_ns += static_cast<long double>(record.ended - record.arrived);
  }
  TREX_CHECK(std::abs(static_cast<double>(request_ns_ - stays_ns)) <=
                 1e-9 * static_cast<double>(stays_ns) + 1,
             "Little's law: {} request-ns counted, {} recorded", static_cast<double>(request_ns_),
             static_cast<double>(stays_ns));
  if (result_.makespan > 0) {
    result_.mean_in_system =
        static_cast<double>(request_ns_ / static_cast<long double>(result_.makespan));
  }
  for (size_t i = 0; i < places_.size(); ++i) {
    places_[i].engine->check_conservation();
    result_.instances.push_back({input_.instances[i].believed.name, places_[i].engine->totals(),
                                 places_[i].dispatched,
                                 scheduler_.sigma(static_cast<uint32_t>(i))});
  }
}

}  // namespace

std::string to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::Completed:
      return "completed";
    case Outcome::Refused:
      return "refused";
    case Outcome::Expired:
      return "expired";
    case Outcome::Failed:
      return "failed";
  }
  return "";
}

SimulationResult simulate(const SimulationInput& input) { return Simulation(input).run(); }

}  // namespace trex::simulate
