#include "schedule/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "schedule/decision.h"

namespace trex::schedule {

namespace {

// Kinds of requests of which the scheduler expects the same. Allocates nothing.
class HeldKinds {
 public:
  bool contains(const Request& request) const {
    return std::find(kinds_.begin(), kinds_.begin() + size_, kind(request)) !=
           kinds_.begin() + size_;
  }
  void insert(const Request& request) { kinds_[size_++] = kind(request); }

 private:
  static uint64_t kind(const Request& request) {
    return request.workload * kNumPromptClasses + prompt_class(request.prompt_tokens);
  }

  std::array<uint64_t, CentralQueue::kLookAhead> kinds_;
  std::ptrdiff_t size_ = 0;
};

}  // namespace

std::string_view text_of(RefusalReason reason) {
  switch (reason) {
    case RefusalReason::QueueFull:
      return "the queue is full";
    case RefusalReason::TooLong:
      return "the prompt fits no instance";
    case RefusalReason::Overloaded:
      return "the wait would be too long";
    case RefusalReason::TooLate:
      return "the deadline cannot be met";
    case RefusalReason::Expired:
      return "no instance was free in time";
  }
  return "";
}

Scheduler::Scheduler(SchedulerSettings settings, std::vector<InstanceSpec> instances)
    : state_(std::make_unique<State>(std::move(settings))) {
  for (InstanceSpec& spec : instances) state_->add(std::move(spec));
}

Scheduler::~Scheduler() = default;

Admission Scheduler::submit(const Request& request, double now_s) {
  State& s = *state_;
  const std::lock_guard guard(s.lock);
  const Choice choice = s.gather(request, now_s, false);
  if (s.queue.size() == 0 && !s.is_too_late(choice)) {
    const size_t position = s.decide(choice);
    if (position != kHold) {
      const FlightId flight = s.start(choice, position);
      return {.flight = InFlight(*this, flight, s.cluster.instance_of(flight), request.id, now_s)};
    }
  }
  if (const auto reason = s.reason_to_refuse(request, choice))
    return {.refusal = s.refusal(*reason)};
  s.queue.push(request, now_s, s.shortest_prompt_s(choice));
  return {.is_queued = true};
}

std::optional<Departure> Scheduler::next_departure(double now_s) {
  State& s = *state_;
  const std::lock_guard guard(s.lock);
  if (const auto expired = s.queue.pop_expired(now_s)) {
    return Departure{.request = expired->id, .refusal = s.refusal(RefusalReason::Expired)};
  }
  if (s.queue.has_deadlines()) s.queue.expect_departures(s.requests_per_s());
  HeldKinds held;
  for (size_t depth = 0; const Waiting* waiting = s.queue.peek(depth, now_s); ++depth) {
    const RequestId id = waiting->request.id;
    if (held.contains(waiting->request)) continue;
    const Choice choice = s.gather(waiting->request, now_s, false);
    if (s.is_too_late(choice)) {
      s.queue.remove(id);
      return Departure{.request = id, .refusal = s.refusal(RefusalReason::TooLate)};
    }
    const size_t position = s.decide(choice);
    if (position == kHold) {
      if (!s.has_room(choice)) return std::nullopt;
      // It waits for another instance than those with room, or fits nowhere now. One behind it of
      // which something else is expected may go.
      if (!choice.ready.empty()) held.insert(waiting->request);
      continue;
    }
    const FlightId flight = s.start(choice, position);
    s.queue.depart(id);
    return Departure{.request = id,
                     .flight = InFlight(*this, flight, s.cluster.instance_of(flight), id, now_s)};
  }
  return std::nullopt;
}

double Scheduler::next_expiry_s() {
  const std::lock_guard guard(state_->lock);
  return state_->queue.next_expiry_s();
}

bool Scheduler::cancel_queued(RequestId request) {
  const std::lock_guard guard(state_->lock);
  return state_->queue.remove(request);
}

InstanceIndex Scheduler::add_instance(InstanceSpec spec) {
  const std::lock_guard guard(state_->lock);
  state_->add(std::move(spec));
  return static_cast<InstanceIndex>(state_->cluster.size() - 1);
}

void Scheduler::set_state(InstanceIndex instance, InstanceState state) {
  const std::lock_guard guard(state_->lock);
  state_->cluster.set_state(instance, state);
  if (state == InstanceState::Down) state_->prefixes[instance].clear();
  state_->policy->instances_changed(state_->cluster.views());
}

void Scheduler::set_spec(InstanceIndex instance, InstanceSpec spec) {
  const std::lock_guard guard(state_->lock);
  state_->cluster.set_spec(instance, std::move(spec));
  state_->policy->instances_changed(state_->cluster.views());
}

void Scheduler::report_engine(InstanceIndex instance, EngineReport report) {
  const std::lock_guard guard(state_->lock);
  state_->cluster.report(instance, report);
}

std::vector<InstanceView> Scheduler::snapshot() const {
  const std::lock_guard guard(state_->lock);
  const auto views = state_->cluster.views();
  return {views.begin(), views.end()};
}

double Scheduler::sigma(InstanceIndex instance) const {
  const std::lock_guard guard(state_->lock);
  return state_->cluster.sigma(instance);
}

size_t Scheduler::num_queued() const {
  const std::lock_guard guard(state_->lock);
  return state_->queue.size();
}

double Scheduler::saturation() const {
  constexpr double kManyWaiting = 5, kMuchCache = 0.8;
  const std::lock_guard guard(state_->lock);
  double least = 0;
  bool found = false;
  for (const InstanceView& view : state_->cluster.views()) {
    if (view.state != InstanceState::Ready) continue;
    const double cache =
        view.kv_capacity_bytes > 0 ? view.kv_bytes / (kMuchCache * view.kv_capacity_bytes) : 0;
    const double each = std::max(view.before_first_token / kManyWaiting, cache);
    least = found ? std::min(least, each) : each;
    found = true;
  }
  return least;
}

std::string Scheduler::explain(const Request& request, double now_s) {
  State& s = *state_;
  const std::lock_guard guard(s.lock);
  const Choice choice = s.gather(request, now_s, true);
  std::string text =
      fmt::format("{}: {} candidates, answer of about {:.0f} tokens, {} waiting\n",
                  s.settings.policy, choice.ready.size(), choice.output.mean, s.queue.size());
  for (size_t i = 0; i < choice.ready.size(); ++i) {
    const InstanceView& view = choice.ready[i];
    text +=
        fmt::format("  {}: {}{}\n", s.cluster.spec(view.index).name, s.policy->explain(choice, i),
                    view.occupied() < view.depth ? "" : " (full)");
  }
  return text;
}

void Scheduler::first_token(FlightId flight, double now_s) {
  const std::lock_guard guard(state_->lock);
  state_->cluster.first_token(flight, now_s);
}

void Scheduler::end(FlightId flight, double output_tokens, bool was_completed, double now_s) {
  State& s = *state_;
  const std::lock_guard guard(s.lock);
  const FlightEnd ended = s.cluster.end(flight, output_tokens, was_completed, now_s);
  if (was_completed) s.lengths.observe(ended.workload, ended.prompt_tokens, output_tokens);
  s.queue.charge(ended.tenant, 0, output_tokens - ended.expected_output);
}

}  // namespace trex::schedule
