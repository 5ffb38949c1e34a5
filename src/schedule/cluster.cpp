#include "schedule/cluster.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace trex::schedule {
namespace {

constexpr double kSecondsBetweenRefreshes = 0.05;
// The operating batch is the smallest that reaches this share of the full batch's throughput.
constexpr double kEnoughThroughput = 0.95;

// A prompt without a first token is not read to its end, whatever the model says.
constexpr double kMostRead = 0.9;

// How much prompt comes with a token of answer is an average over about so many requests.
constexpr double kMixOver = 500, kMixPrior = 20;
// Steps of a full engine take at most this many times as long as those of an empty one, as far as
// the price of joining goes.
constexpr double kMostStretch = 20;

// Reconciliation with an engine's own counts (9.7).
constexpr int kReportsToBelieve = 3;
constexpr double kTolerance = 3, kToleranceShare = 0.2;
constexpr double kIntervalsUntilStale = 3;

double iteration_s(const perf::IterationCoefficients& time, double batch, double context_each) {
  return time.iteration_s(batch, batch * context_each);
}

// B*: throughput b / T(b) rises with b, so the first one that is enough can be bisected.
double operating_batch(const perf::IterationCoefficients& time, double full, double context_each) {
  const double enough = kEnoughThroughput * full / iteration_s(time, full, context_each);
  double low = 1, high = full;
  while (low < high) {
    const double middle = std::floor((low + high) / 2);
    if (middle / iteration_s(time, middle, context_each) >= enough) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

InstanceIndex Cluster::add(InstanceSpec spec) {
  const auto index = static_cast<InstanceIndex>(instances_.size());
  Instance instance;
  instance.spec = std::move(spec);
  instances_.push_back(std::move(instance));
  InstanceView view;
  view.index = index;
  views_.push_back(view);
  refit_time(index);
  derive_plan(index);
  derive_capability(index);
  derive_totals();
  return index;
}

void Cluster::set_state(InstanceIndex index, InstanceState state) {
  views_[index].state = state;
  if (state == InstanceState::Down) {  // what comes back is another process
    instances_[index].reports_off = 0;
    views_[index].external = 0;
    forget_speed(index);
  }
  derive_totals();
}

void Cluster::set_spec(InstanceIndex index, InstanceSpec spec) {
  instances_[index].spec = std::move(spec);
  instances_[index].refit = {};
  refit_time(index);
  derive_plan(index);
  derive_capability(index);
  derive_totals();
}

void Cluster::derive_totals() {
  kv_capacity_bytes_ = 0;
  most_weight_ = 0;
  for (const InstanceView& view : views_) {
    most_weight_ = std::max(most_weight_, view.weight);
    if (view.state == InstanceState::Down) continue;
    kv_capacity_bytes_ += view.kv_capacity_bytes > 0 ? view.kv_capacity_bytes
                                                     : std::numeric_limits<double>::infinity();
  }
}

double Cluster::kv_bytes(InstanceIndex instance, double prompt_tokens, double output_tokens) const {
  return instances_[instance].spec.model.kv.bytes(std::llround(prompt_tokens + output_tokens));
}

// What the model says, which no measured speed changes.
void Cluster::derive_plan(InstanceIndex index) {
  Instance& instance = instances_[index];
  const perf::InstanceModel& model = instance.spec.model;
  const double prompt = settings_.usual_prompt_tokens, output = settings_.usual_output_tokens;
  const double context = prompt + output / 2;

  InstanceView& view = views_[index];
  view.slots = static_cast<double>(std::max<int64_t>(model.admissible_batch(prompt + output), 1));
  const double operating = operating_batch(instance.time, view.slots, context);
  instance.planned_output_token_s = iteration_s(instance.time, operating, context) / operating;
  instance.planned_prompt_token_s = instance.time.prompt_s(prompt) / prompt;
  view.depth = std::ceil(view.slots * (1 + settings_.depth_slack));
  view.kv_capacity_bytes = model.kv_capacity_bytes;
  view.network_s = instance.spec.network_s;
  view.prompts_delay_answers = instance.spec.prompts_delay_answers;
  const double work_s =
      usual_work_s(instance.planned_prompt_token_s, instance.planned_output_token_s);
  instance.planned_weight = 1 / work_s;
  if (instance.spec.weight > 0) {  // of the spec's model
    const auto& believed = model.time;
    const double batch = operating_batch(believed, view.slots, context);
    instance.planned_weight =
        instance.spec.weight * (usual_work_s(believed.prompt_s(prompt) / prompt,
                                             iteration_s(believed, batch, context) / batch) /
                                work_s);
  }
}

double Cluster::usual_work_s(double prompt_token_s, double output_token_s) const {
  return prompt_token_s * settings_.usual_prompt_tokens +
         output_token_s * settings_.usual_output_tokens;
}

void Cluster::derive_capability(InstanceIndex index) {
  const Instance& instance = instances_[index];
  InstanceView& view = views_[index];
  const double sigma = effective_sigma(index), prompt_sigma = effective_prompt_sigma(index);
  view.prompt_token_s = prompt_sigma * instance.planned_prompt_token_s;
  view.output_token_s = sigma * instance.planned_output_token_s;
  const double work_s = usual_work_s(prompt_sigma / sigma * instance.planned_prompt_token_s,
                                     instance.planned_output_token_s);
  const double planned_s =
      usual_work_s(instance.planned_prompt_token_s, instance.planned_output_token_s);
  view.weight = instance.planned_weight / (sigma * (work_s / planned_s));
  most_weight_ = std::max(most_weight_, view.weight);
  derive_load(index);
}

void Cluster::derive_load(InstanceIndex index) {
  Instance& instance = instances_[index];
  const auto& time = instance.time;
  InstanceView& view = views_[index];
  const double sigma = effective_sigma(index);
  const double prompt_s = effective_prompt_sigma(index) * prompt_per_token_s(instance);
  const double usual_context = settings_.usual_prompt_tokens + settings_.usual_output_tokens / 2;
  view.backlog_s =
      view.prompt_token_s * view.uncached_tokens + view.output_token_s * view.output_tokens_left;

  const double others = std::min(view.external, view.slots);
  const double batch = view.decoding + others;
  const double context = instance.context_tokens + others * usual_context +
                         view.decoding * settings_.usual_output_tokens / 2;
  const auto gap_s = [&](double sequences, double tokens) {
    return sigma * time.iteration_s(sequences, tokens) + sequences * prompt_s;
  };
  instance.step_s = time.iteration_s(std::max(batch, 1.0), context);
  const auto& believed = instance.spec.model.time;
  instance.parts.base() = believed.base_s;
  instance.parts.batch() = believed.batch_s(std::max(batch, 1.0)) - believed.base_s;
  instance.parts.context() = believed.per_context_token_s * context;
  view.iteration_s = gap_s(std::max(batch, 1.0), context);
  view.next_iteration_s = gap_s(batch + 1, context + usual_context);
  view.release_per_s = instance.inverse_rest / view.iteration_s;
  view.line_token_s = view.prompt_token_s;
  if (instance.spec.prompts_delay_answers) {  // each chunk comes with a step of all answers
    const auto chunk = static_cast<double>(instance.spec.model.chunk_tokens);
    view.line_token_s += sigma * instance.step_s / std::max(chunk - batch, 1.0);
  }

  view.joined = std::min(view.occupied() + 1, view.slots);
  const double joined_context = context + (view.joined - batch) * usual_context;
  view.joined_iteration_s = gap_s(view.joined, joined_context);
  view.joined_slope_s = sigma * (time.iteration_s(view.joined, joined_context) -
                                 time.iteration_s(view.joined - 1, joined_context - usual_context));
  view.stretch = std::min(view.joined_iteration_s / (sigma * time.base_s), kMostStretch);
}

// Not where prompts are read apart from steps: there one waits for slots, and the guess made
// nothing better (four engines, H4 with slow prompts).
InstanceView Cluster::view_at(InstanceIndex index, double now_s) const {
  const Instance& instance = instances_[index];
  InstanceView view = views_[index];
  view.unread_tokens = view.uncached_tokens;
  if (instance.spec.prompts_delay_answers && instance.reading != kNone && view.line_token_s > 0) {
    const double read = (now_s - instance.reading_since_s) / view.line_token_s;
    view.unread_tokens -=
        std::clamp(read, 0.0, kMostRead * flights_[instance.reading].uncached_tokens);
  }
  return view;
}

// `done` has its first token or is gone; the next prompt's turn begins if it was the one read:
// prompts are read in the order of their slots.
void Cluster::read_next(Instance& instance, FlightId done, double now_s) {
  if (instance.reading != done) return;
  do {
    instance.reading = flights_[instance.reading].next;
  } while (instance.reading != kNone && flights_[instance.reading].phase == Phase::Decoding);
  instance.reading_since_s = now_s;
}

void Cluster::append(FlightList& list, FlightId id) {
  Flight& flight = flights_[id];
  flight.previous = list.newest;
  flight.next = kNone;
  (list.newest == kNone ? list.oldest : flights_[list.newest].next) = id;
  list.newest = id;
}

void Cluster::unlink(FlightList& list, FlightId id) {
  const Flight& flight = flights_[id];
  (flight.previous == kNone ? list.oldest : flights_[flight.previous].next) = flight.next;
  (flight.next == kNone ? list.newest : flights_[flight.next].previous) = flight.previous;
}

FlightId Cluster::start(InstanceIndex index, const Request& request, LengthEstimate output,
                        double cached_tokens, double now_s) {
  if (free_flights_.empty()) {
    free_flights_.push_back(static_cast<FlightId>(flights_.size()));
    flights_.emplace_back();
  }
  const FlightId id = free_flights_.back();
  free_flights_.pop_back();

  Instance& instance = instances_[index];
  InstanceView& view = views_[index];
  Flight& flight = flights_[id];
  flight = Flight{.instance = index,
                  .phase = Phase::Waiting,
                  .workload = request.workload,
                  .tenant = request.tenant,
                  .prompt_tokens = request.prompt_tokens,
                  .uncached_tokens = std::max(request.prompt_tokens - cached_tokens, 0.0),
                  .cap = request.max_new_tokens,
                  .expected_output = output.mean,
                  .rest = std::max(output.mean, 1.0),
                  .kv_bytes = kv_bytes(index, request.prompt_tokens, output.p90),
                  .ready_s = now_s + 2 * instance.spec.network_s};
  append(instance.waiting, id);
  instance.waiting_tokens_left += flight.rest;
  give_slots(instance, view.slots, now_s);

  view.in_flight += 1;
  view.before_first_token += 1;
  view.uncached_tokens += flight.uncached_tokens;
  view.output_tokens_left += flight.rest;
  view.kv_bytes += flight.kv_bytes;
  reserved_kv_bytes_ += flight.kv_bytes;
  derive_load(index);
  return id;
}

void Cluster::first_token(FlightId id, double now_s) {
  Flight& flight = flights_[id];
  if (flight.phase == Phase::Decoding) return;
  Instance& instance = instances_[flight.instance];
  InstanceView& view = views_[flight.instance];
  sum_steps(instance, now_s);
  if (flight.phase == Phase::Waiting) {
    // The engine holds more than we believed: it began this one before one with a slot ended.
    take_slot(instance, id);
  }
  flight.phase = Phase::Decoding;
  flight.first_token_s = now_s;
  read_next(instance, id, now_s);
  view.before_first_token -= 1;
  view.decoding += 1;
  view.uncached_tokens -= flight.uncached_tokens;
  instance.context_tokens += flight.prompt_tokens;
  instance.prompts_s += prompt_s(flight, instance.time);
  instance.sums.prompts() += prompt_s(flight, instance.spec.model.time);
  if (learn_prompt_speed(flight, now_s)) {
    derive_capability(flight.instance);
  } else {
    derive_load(flight.instance);
  }
  flight.first_step_s = instance.step_s;
  flight.prompts_s = instance.prompts_s;
  flight.sums = instance.sums;
}

// As the model has it; 0 where prompts do not delay answers.
double Cluster::prompt_s(const Flight& flight, const perf::IterationCoefficients& time) const {
  if (!instances_[flight.instance].spec.prompts_delay_answers) return 0;
  return time.prompt_s(flight.uncached_tokens, flight.prompt_tokens - flight.uncached_tokens);
}

void Cluster::learn_mix(const Flight& flight, double output_tokens) {
  constexpr double kFade = 1 - 1 / kMixOver;
  Instance& instance = instances_[flight.instance];
  instance.finished_prompts_s =
      kFade * instance.finished_prompts_s + prompt_s(flight, instance.time);
  instance.finished_tokens = kFade * instance.finished_tokens + output_tokens;
}

// Before much is known, of the usual request.
double Cluster::prompt_per_token_s(const Instance& instance) const {
  if (!instance.spec.prompts_delay_answers) return 0;
  const double usual_s = instance.time.prompt_s(settings_.usual_prompt_tokens);
  return (kMixPrior * usual_s + instance.finished_prompts_s) /
         (kMixPrior * settings_.usual_output_tokens + instance.finished_tokens);
}

void Cluster::take_slot(Instance& instance, FlightId id) {
  const Flight& flight = flights_[id];
  unlink(instance.waiting, id);
  instance.waiting_tokens_left -= flight.rest;
  if (instance.waiting.oldest == kNone) instance.waiting_tokens_left = 0;  // and no rounding error
  append(instance.with_slots, id);
  instance.inverse_rest += 1 / flight.rest;
  instance.with_slot += 1;
}

void Cluster::give_slots(Instance& instance, double slots, double now_s) {
  while (instance.waiting.oldest != kNone && instance.with_slot < slots) {
    const FlightId id = instance.waiting.oldest;
    take_slot(instance, id);
    Flight& flight = flights_[id];
    flight.phase = Phase::Prefilling;
    flight.had_to_wait = now_s > flight.ready_s;
    flight.ready_s = std::max(flight.ready_s, now_s);
    if (instance.reading != kNone) continue;
    instance.reading = id;
    instance.reading_since_s = now_s;
  }
}

FlightEnd Cluster::end(FlightId id, double output_tokens, bool was_completed, double now_s) {
  const Flight flight = flights_[id];
  TREX_CHECK(flight.phase != Phase::Free, "flight {} ended twice", id);
  sum_steps(instances_[flight.instance], now_s);
  const bool learnt =
      flight.phase == Phase::Decoding && was_completed && learn_speed(flight, output_tokens, now_s);
  if (was_completed) learn_mix(flight, output_tokens);
  remove(id, now_s);
  if (learnt) {
    watch_outlier(flight.instance, now_s);
    derive_capability(flight.instance);
  } else {
    derive_load(flight.instance);
  }
  return {flight.workload, flight.tenant, flight.prompt_tokens, flight.expected_output};
}

void Cluster::remove(FlightId id, double now_s) {
  Flight& flight = flights_[id];
  Instance& instance = instances_[flight.instance];
  InstanceView& view = views_[flight.instance];
  read_next(instance, id, now_s);
  view.in_flight -= 1;
  view.output_tokens_left -= flight.rest;
  view.kv_bytes -= flight.kv_bytes;
  reserved_kv_bytes_ -= flight.kv_bytes;
  if (flight.phase == Phase::Decoding) {
    view.decoding -= 1;
    instance.context_tokens -= flight.prompt_tokens;
  } else {
    view.before_first_token -= 1;
    view.uncached_tokens -= flight.uncached_tokens;
    instance.line.lose();
  }
  if (flight.phase == Phase::Waiting) {
    unlink(instance.waiting, id);
    instance.waiting_tokens_left -= flight.rest;
  } else {
    unlink(instance.with_slots, id);
    instance.inverse_rest -= 1 / flight.rest;
    instance.with_slot -= 1;
    give_slots(instance, view.slots, now_s);
  }
  if (view.in_flight == 0) {  // no rounding error outlives a busy period
    view.uncached_tokens = view.output_tokens_left = view.kv_bytes = 0;
    instance.context_tokens = instance.inverse_rest = instance.waiting_tokens_left = 0;
  }
  flight.phase = Phase::Free;
  free_flights_.push_back(id);
}

void Cluster::report(InstanceIndex index, EngineReport report) {
  Instance& instance = instances_[index];
  InstanceView& view = views_[index];
  if (report.at_s > instance.last_report.at_s) {
    instance.report_interval_s = report.at_s - instance.last_report.at_s;
  }
  instance.last_report = report;
  const double reported = report.running + report.waiting;
  const double off = reported - view.occupied();
  const bool fits = std::abs(off) <= std::max(kTolerance, kToleranceShare * reported);
  instance.reports_off = fits ? 0 : instance.reports_off + 1;
  if (instance.reports_off < kReportsToBelieve) return;
  instance.reports_off = 0;
  view.external = std::max(reported - view.in_flight, 0.0);
  derive_load(index);
}

void Cluster::refresh(InstanceIndex index, double now_s, LengthPredictor& lengths) {
  Instance& instance = instances_[index];
  if (now_s - instance.refreshed_s < kSecondsBetweenRefreshes) return;
  instance.refreshed_s = now_s;
  InstanceView& view = views_[index];
  if (now_s - instance.last_report.at_s > kIntervalsUntilStale * instance.report_interval_s) {
    view.external = 0;
  }
  if (was_outlier_for_long(index, now_s)) forget_speed(index);
  view.output_tokens_left = instance.waiting_tokens_left;
  instance.inverse_rest = 0;
  for (FlightId id = instance.with_slots.oldest; id != kNone; id = flights_[id].next) {
    Flight& flight = flights_[id];
    if (flight.phase == Phase::Decoding) {
      const double emitted = (now_s - flight.first_token_s) / view.iteration_s;
      flight.rest = lengths.rest(flight.workload, flight.prompt_tokens, emitted, flight.cap);
    }
    view.output_tokens_left += flight.rest;
    instance.inverse_rest += 1 / flight.rest;
  }
  derive_load(index);
}

}  // namespace trex::schedule
