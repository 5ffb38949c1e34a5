// How fast the instances of a cluster are, and which are not fit to be used (9.7).
#include <algorithm>

#include "schedule/cluster.h"

namespace trex::schedule {
namespace {

// First tokens tell of the speed of prompts as long as the cache does not hold them up.
constexpr double kNearlyFull = 0.95;
// Where gaps tell of prompts too, first tokens count when so many came without a gap.
constexpr int kFirstTokensUntilHeard = 20;

// Outliers (9.7): as slow as can be measured for a minute. They keep a tenth of their weight, and
// one that gets no work for a minute is tried again as if nothing were known.
constexpr double kSlowFor_s = 60;
constexpr double kOutlierSigma = 10;
constexpr double kMostEjectedShare = 0.3;

}  // namespace

// The time of an answer after its first token against the model's: steps at the batches when it
// began and ended, and the prompts that were read meanwhile.
bool Cluster::learn_speed(const Flight& flight, double output_tokens, double now_s) {
  constexpr double kFewTokens = 8;  // fewer say more of the clock than of the engine
  if (!settings_.measure_speed || output_tokens < kFewTokens) return false;
  Instance& instance = instances_[flight.instance];
  const double observed_s = now_s - flight.first_token_s;
  const double expected_s = (output_tokens - 1) * (flight.first_step_s + instance.step_s) / 2 +
                            instance.prompts_s - flight.prompts_s;
  if (!(observed_s > 0) || !(expected_s > 0)) return false;
  instance.first_tokens_without_gaps = 0;
  learn_parts(flight.instance, flight, output_tokens - 1, observed_s);
  instance.speed.observe(observed_s, expected_s, now_s);
  return true;
}

// Steps since the last change of what is decoded: as many as fit, each with the parts that it has.
void Cluster::sum_steps(Instance& instance, double now_s) {
  const double steps = std::max(now_s - instance.summed_s, 0.0) / instance.step_s;
  instance.summed_s = now_s;
  instance.sums.base() += steps;
  instance.sums.batch() += steps * instance.parts.batch();
  instance.sums.context() += steps * instance.parts.context();
}

// The mean step during the answer, as often as it had one; and the prompts read meanwhile.
void Cluster::learn_parts(InstanceIndex index, const Flight& flight, double gaps,
                          double observed_s) {
  Instance& instance = instances_[index];
  const ModelParts &first = flight.sums, &last = instance.sums;
  const double steps = last.base() - first.base();
  ModelParts parts;
  parts.base() = gaps * instance.parts.base();
  parts.batch() = gaps * (last.batch() - first.batch()) / steps;
  parts.context() = gaps * (last.context() - first.context()) / steps;
  parts.prompts() = last.prompts() - first.prompts();
  if (!instance.refit.observe(parts, observed_s / instance.speed.sigma())) return;
  refit_time(index);
  derive_plan(index);
}

void Cluster::refit_time(InstanceIndex index) {
  Instance& instance = instances_[index];
  const ModelParts& factors = instance.refit.factors();
  instance.time = instance.spec.model.time;
  instance.time.base_s *= factors.base();
  for (double& each : instance.time.per_sequence_s) each *= factors.batch();
  instance.time.per_context_token_s *= factors.context();
  instance.time.per_prompt_token_s *= factors.prompts();
  instance.time.per_prompt_pair_s *= factors.prompts();
}

// What the engine has read until this first token against the model.
//
// Where prompts are read apart from answers, nothing else tells of their speed, and it has a
// multiplier of its own: reading is bound by arithmetic and writing by memory, so a device is
// seldom off by the same factor in both.
//
// Where steps carry both, the time of prompts is in the gaps too, in much the same proportion
// (steps are 0.4 of the time of gaps and 0.2 of first tokens' under azure-code). Two multipliers
// solved from two such mixtures multiply every error by five: sigma stood at 1.8 beside 0.8 for
// prompts where both are 1, and H5's goodput fell by 12 %. Both kinds of samples in one sigma cost
// up to 4 % of offline throughput, as first tokens see a step's prompts from another side. So there
// they count only as long as no gaps come: when all answers are short.
bool Cluster::learn_prompt_speed(const Flight& flight, double now_s) {
  Instance& instance = instances_[flight.instance];
  const InstanceView& view = views_[flight.instance];
  if (!settings_.measure_speed || flight.uncached_tokens <= 0) return false;
  const perf::InstanceModel& model = instance.spec.model;
  const double batch = view.decoding - 1;
  const bool is_apart = !instance.spec.prompts_delay_answers;
  const bool has_cache_room =
      view.kv_capacity_bytes <= 0 || view.kv_bytes <= kNearlyFull * view.kv_capacity_bytes;
  // What is cached is a guess, others' prompts are not known, and where the cache is the limit so
  // is the moment at which it had room.
  const bool has_known_slots = view.slots == static_cast<double>(model.max_sequences);
  const bool is_sure = flight.uncached_tokens == flight.prompt_tokens && view.external == 0 &&
                       has_cache_room && (has_known_slots || !flight.had_to_wait);
  const auto sample = instance.line.done(
      {.at_s = now_s,
       .ready_s = flight.ready_s,
       .tokens = flight.uncached_tokens,
       .prompt_s = instance.time.prompt_s(flight.uncached_tokens),
       .token_s = instance.time.per_prompt_token_s,
       .step_s = instance.time.iteration_s(batch, instance.context_tokens - flight.prompt_tokens +
                                                      batch * settings_.usual_output_tokens / 2),
       .decodes = batch > 0,
       .tokens_behind = view.uncached_tokens,
       .tokens_each_step =
           is_apart ? 0 : std::max(static_cast<double>(model.chunk_tokens) - batch, 1.0),
       .joins_at_once = flight.had_to_wait,
       .is_sure = is_sure});
  if (!sample) return false;
  if (!is_apart) {
    if (++instance.first_tokens_without_gaps <= kFirstTokensUntilHeard) return false;
    instance.speed.observe(sample->observed_s, sample->prompt_s + sample->steps_s, now_s);
    return true;
  }
  if (sample->prompt_s < sample->steps_s) return false;
  const double sigma = instance.speed.sigma();
  instance.prompt_speed.start_from(sigma);
  const double steps_over_prompts = sigma / prompt_sigma(flight.instance);
  instance.prompt_speed.observe(sample->observed_s,
                                sample->prompt_s + steps_over_prompts * sample->steps_s, now_s);
  return instance.prompt_speed.is_known();
}

void Cluster::forget_speed(InstanceIndex index) {
  Instance& instance = instances_[index];
  instance.speed = instance.prompt_speed = {};
  instance.line = {};
  instance.refit = {};
  instance.slow_since_s = -1;
  views_[index].is_outlier = false;
  refit_time(index);
  derive_plan(index);
  derive_capability(index);
}

double Cluster::prompt_sigma(InstanceIndex index) const {
  const Instance& instance = instances_[index];
  return (instance.prompt_speed.is_known() ? instance.prompt_speed : instance.speed).sigma();
}

double Cluster::effective_sigma(InstanceIndex index) const {
  return views_[index].is_outlier ? std::max(sigma(index), kOutlierSigma) : sigma(index);
}

double Cluster::effective_prompt_sigma(InstanceIndex index) const {
  const double sigma = prompt_sigma(index);
  return views_[index].is_outlier ? std::max(sigma, kOutlierSigma) : sigma;
}

// Never so many that the rest could not carry the load: they may all be slow for a reason outside.
bool Cluster::may_eject(InstanceIndex index) const {
  double all = 0, ejected = instances_[index].planned_weight;
  for (const InstanceView& view : views_) {
    if (view.state == InstanceState::Down) continue;
    all += instances_[view.index].planned_weight;
    if (view.is_outlier && view.index != index) ejected += instances_[view.index].planned_weight;
  }
  return ejected <= kMostEjectedShare * all;
}

void Cluster::watch_outlier(InstanceIndex index, double now_s) {
  Instance& instance = instances_[index];
  InstanceView& view = views_[index];
  if (!instance.speed.is_at_slowest()) {
    instance.slow_since_s = -1;
    view.is_outlier = false;
    return;
  }
  if (instance.slow_since_s < 0) instance.slow_since_s = now_s;
  if (now_s - instance.slow_since_s >= kSlowFor_s && !view.is_outlier) {
    view.is_outlier = may_eject(index);
  }
}

bool Cluster::was_outlier_for_long(InstanceIndex index, double now_s) const {
  const double last_s = instances_[index].speed.last_sample_s();
  return views_[index].is_outlier && now_s - last_s > kSlowFor_s;
}

}  // namespace trex::schedule
