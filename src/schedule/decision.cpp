#include "schedule/decision.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "perf/prefix_blocks.h"
#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

const PolicyEntry& find_policy(const std::string& name) {
  const auto& registry = Registry<PolicyEntry>::instance();
  if (const PolicyEntry* entry = registry.find(name)) return *entry;
  throw input_error("policy", "", "one of " + listed(registry.names()), in_quotes(name),
                    did_you_mean(name, registry.names()));
}

ClusterSettings cluster_settings(const SchedulerSettings& settings) {
  return {.usual_prompt_tokens = settings.usual_prompt_tokens,
          .usual_output_tokens = settings.usual_output_tokens,
          .depth_slack = settings.depth_slack,
          .measure_speed = settings.measure_speed};
}

}  // namespace

Scheduler::State::State(SchedulerSettings s)
    : settings(std::move(s)),
      entry(find_policy(settings.policy)),
      policy(entry.make(settings.policy_settings)),
      late_binding(settings.late_binding.value_or(entry.late_binds)),
      cluster(cluster_settings(settings)),
      lengths({.prior_mean_tokens = settings.usual_output_tokens}),
      queue(settings.queue),
      rng(settings.seed, "schedule") {}

void Scheduler::State::add(InstanceSpec spec) {
  const double capacity = spec.model.kv_capacity_bytes;
  const double block_bytes = perf::cached_block_bytes(spec.model.kv, settings.prefix_block_tokens);
  const auto most = static_cast<double>(settings.prefix_most_blocks);
  const double fit = capacity > 0 && block_bytes > 0 ? capacity / block_bytes : most;
  prefixes.emplace_back(static_cast<size_t>(std::clamp(fit, 1.0, most)), settings.prefix_expiry_s);
  cluster.add(std::move(spec));
  const size_t size = cluster.size();
  for (auto* values : {&cached_tokens, &kv_bytes}) values->reserve(size);
  ready.reserve(size);
  policy->instances_changed(cluster.views());
}

bool Scheduler::State::fits(const Request& request, InstanceIndex instance) const {
  const perf::InstanceModel& model = cluster.spec(instance).model;
  if (model.max_context > 0 && request.prompt_tokens >= static_cast<double>(model.max_context))
    return false;
  return model.kv_capacity_bytes <= 0 ||
         cluster.kv_bytes(instance, request.prompt_tokens, 1) <= model.kv_capacity_bytes;
}

bool Scheduler::State::fits_somewhere(const Request& request) const {
  for (InstanceIndex i = 0; i < cluster.size(); ++i) {
    if (fits(request, i)) return true;
  }
  return cluster.size() == 0;
}

bool Scheduler::State::is_candidate(const Request& request, InstanceIndex instance) const {
  return cluster.view(instance).state == InstanceState::Ready && fits(request, instance);
}

void Scheduler::State::add_candidate(const Request& request, LengthEstimate output,
                                     InstanceIndex instance, double now_s) {
  cluster.refresh(instance, now_s, lengths);
  ready.push_back(cluster.view_at(instance, now_s));
  const size_t blocks =
      request.prefix_blocks.empty() ? 0 : prefixes[instance].match(request.prefix_blocks, now_s);
  // The last prompt token is always computed: its output is the first answer token.
  const double matched =
      static_cast<double>(blocks) * static_cast<double>(settings.prefix_block_tokens);
  cached_tokens.push_back(std::min(matched, std::max(request.prompt_tokens - 1, 0.0)));
  kv_bytes.push_back(cluster.kv_bytes(instance, request.prompt_tokens, output.p90));
}

// Distinct candidates, drawn with probability proportional to weight (uniform draws would overload
// slow instances) by rejection, so that the cost does not grow with the number of instances.
void Scheduler::State::sample_candidates(const Request& request, LengthEstimate output,
                                         double now_s) {
  constexpr size_t kDraws = 12, kTries = 400;
  for (size_t tries = 0; tries < kTries && ready.size() < kDraws; ++tries) {
    const auto drawn = static_cast<InstanceIndex>(rng.below(cluster.size()));
    if (rng.uniform() * cluster.most_weight() >= cluster.view(drawn).weight) continue;
    if (!is_candidate(request, drawn)) continue;
    const bool is_new = std::none_of(ready.begin(), ready.end(),
                                     [&](const InstanceView& view) { return view.index == drawn; });
    if (is_new) add_candidate(request, output, drawn, now_s);
  }
}

Choice Scheduler::State::gather(const Request& request, double now_s, bool everything) {
  const LengthEstimate output = lengths.predict(request);
  ready.clear();
  cached_tokens.clear();
  kv_bytes.clear();
  const bool is_large = cluster.size() > static_cast<size_t>(settings.most_compared);
  if (is_large && !everything && !entry.takes_turns) sample_candidates(request, output, now_s);
  if (ready.empty()) {
    for (InstanceIndex i = 0; i < cluster.size(); ++i) {
      if (is_candidate(request, i)) add_candidate(request, output, i, now_s);
    }
  }
  return Choice{.request = request,
                .output = output,
                .ready = ready,
                .cached_tokens = cached_tokens,
                .kv_bytes = kv_bytes,
                .now_s = now_s,
                .queued = static_cast<double>(std::max<size_t>(queue.size(), 1))};
}

size_t Scheduler::State::decide(const Choice& choice) {
  if (choice.ready.empty()) return kHold;
  const size_t position = policy->pick(choice, rng);
  if (position == kHold || is_over_budget(choice.kv_bytes[position])) return kHold;
  if (!late_binding) return position;
  const InstanceView& view = choice.ready[position];
  return view.occupied() < view.depth ? position : kHold;
}

bool Scheduler::State::has_room(const Choice& choice) const {
  if (choice.ready.empty()) return true;  // this one fits nowhere; another may
  double least_kv_bytes = choice.kv_bytes[0];
  for (const double bytes : choice.kv_bytes) least_kv_bytes = std::min(least_kv_bytes, bytes);
  if (is_over_budget(least_kv_bytes)) return false;
  return std::any_of(choice.ready.begin(), choice.ready.end(),
                     [](const InstanceView& view) { return view.occupied() < view.depth; });
}

// An empty cluster takes anything: a request larger than the budget would wait for ever.
bool Scheduler::State::is_over_budget(double more_kv_bytes) const {
  const double reserved = cluster.reserved_kv_bytes();
  const double budget = settings.admission.token_budget * cluster.kv_capacity_bytes();
  return reserved > 0 && reserved + more_kv_bytes > budget;
}

FlightId Scheduler::State::start(const Choice& choice, size_t position) {
  const InstanceIndex instance = choice.ready[position].index;
  if (!choice.request.prefix_blocks.empty()) {
    prefixes[instance].insert(choice.request.prefix_blocks, choice.now_s);
  }
  // The answer is charged as expected and settled when it ends: otherwise a tenant with long
  // answers would get many of them before the first was counted.
  queue.charge(choice.request.tenant, choice.request.prompt_tokens, choice.output.mean);
  return cluster.start(instance, choice.request, choice.output, choice.cached_tokens[position],
                       choice.now_s);
}

double Scheduler::State::requests_per_s() const {
  double total = 0;
  for (const InstanceView& view : cluster.views()) {
    if (view.state == InstanceState::Ready) total += view.weight;
  }
  return total;
}

double Scheduler::State::longest_ttft_s(Priority priority) const {
  const double queue_limit = settings.queue.longest_wait_s;
  if (priority == Priority::Interactive)
    return settings.admission.interactive_ttft_s.value_or(queue_limit);
  if (priority == Priority::Default) return settings.admission.default_ttft_s.value_or(queue_limit);
  return kForever;
}

double Scheduler::State::shortest_prompt_s(const Choice& choice) const {
  if (choice.ready.empty()) return 0;
  double shortest = kForever;
  for (size_t i = 0; i < choice.ready.size(); ++i) {
    shortest = std::min(shortest, choice.ready[i].prompt_token_s * uncached(choice, i));
  }
  return shortest;
}

// Even without any more waiting its prompt would end after the deadline.
bool Scheduler::State::is_too_late(const Choice& choice) const {
  if (choice.request.ttft_deadline_s <= 0 || choice.ready.empty()) return false;
  return choice.now_s + shortest_prompt_s(choice) > choice.request.ttft_deadline_s;
}

// While nothing is ready (engines start, breakers are open) requests wait; they are not refused.
std::optional<RefusalReason> Scheduler::State::reason_to_refuse(const Request& request,
                                                                const Choice& choice) const {
  if (choice.ready.empty() && !fits_somewhere(request)) return RefusalReason::TooLong;
  if (is_too_late(choice)) return RefusalReason::TooLate;
  if (!queue.has_room(request.priority)) return RefusalReason::QueueFull;
  const double drained_per_s = requests_per_s();
  if (drained_per_s <= 0) return std::nullopt;
  // Lower classes wait longer, so they are the first to be turned away.
  size_t before = 0;
  for (size_t p = 0; p <= static_cast<size_t>(request.priority); ++p) {
    before += queue.size(static_cast<Priority>(p));
  }
  const double wait_s = static_cast<double>(before) / drained_per_s;
  if (wait_s > longest_ttft_s(request.priority)) return RefusalReason::Overloaded;
  return std::nullopt;
}

// Until the queue has drained by one, with jitter so that those refused together do not come back
// together.
Refusal Scheduler::State::refusal(RefusalReason reason) {
  if (reason == RefusalReason::TooLong) return {reason, 0};
  constexpr double kWhenNothingIsReady_s = 30;
  const double drained_per_s = requests_per_s();
  const double drain_s = drained_per_s > 0 ? static_cast<double>(queue.size() + 1) / drained_per_s
                                           : kWhenNothingIsReady_s;
  return {reason, std::ceil(std::max(drain_s, 1.0) * rng.uniform(0.8, 1.2))};
}

}  // namespace trex::schedule
