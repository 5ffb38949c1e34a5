#include "simulate/iteration_engine.h"

#include <algorithm>

#include "base/check.h"
#include "perf/prefix_blocks.h"

namespace trex::simulate {
namespace {

// For heaps whose first entry ends first.
constexpr auto kEndsLater = [](const auto& a, const auto& b) { return a.step > b.step; };

}  // namespace

IterationEngine::IterationEngine(IterationEngineSpec spec)
    : spec_(std::move(spec)),
      has_cache_limit_(spec_.batching != Batching::FixedSlots && spec_.model.kv_capacity_bytes > 0),
      noise_(spec_.seed, "iteration noise") {
  TREX_CHECK(spec_.model.max_sequences > 0 && spec_.block_tokens > 0, "an engine without slots");
  const perf::KvFunction& kv = spec_.model.kv;
  slope_bytes_ = kv.per_token_bytes + kv.window_token_bytes;
  for (const auto& entries : kv.compressed) {
    if (entries.ratio == 0) continue;
    slope_bytes_ += entries.bytes / static_cast<double>(entries.ratio);
    jump_bytes_ += entries.bytes;
  }
  jump_bytes_ += slope_bytes_ * static_cast<double>(spec_.block_tokens);
}

// --- Time --------------------------------------------------------------------------------------

Nanoseconds IterationEngine::end_of(int64_t steps) const {
  const auto n = static_cast<double>(steps);
  return run_.begin + nanoseconds(n * run_.first_s + run_.growth_s * n * (n - 1) / 2);
}

// What is new may join at the next boundary of steps.
void IterationEngine::cut_run_after(Nanoseconds now) {
  if (!run_.is_on || run_.steps == 1) return;
  int64_t low = 1, high = run_.steps;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (end_of(middle) >= now) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  run_.steps = low;
}

void IterationEngine::time_run(Nanoseconds now) {
  const auto& time = spec_.model.time;
  double tokens = 0, pairs = 0;
  for (const Chunk& chunk : chunks_) {
    const perf::PromptChunk part{static_cast<double>(sequences_[chunk.slot].computed),
                                 static_cast<double>(chunk.tokens)};
    tokens += part.tokens;
    pairs += part.pairs();
  }
  const double batch = decodes_in_run_ ? static_cast<double>(decoding_.size()) : 0;
  const double context = decodes_in_run_ ? static_cast<double>(decode_context_) : 0;
  double factor = slowdown_;
  if (spec_.noise > 0) {
    // Independent noise of n steps averages out as 1/sqrt(n).
    factor *= std::exp(spec_.noise / std::sqrt(static_cast<double>(run_.steps)) * noise_.normal());
  }
  run_.is_on = true;
  run_.begin = now;
  run_.first_s = factor * time.iteration_s(batch, context, tokens, pairs);
  run_.growth_s = factor * time.per_context_token_s * batch;
}

// --- Choosing what runs next ---------------------------------------------------------------------

bool IterationEngine::can_admit() const {
  return !waiting_.empty() &&
         static_cast<int64_t>(prefilling_.size() + decoding_.size()) < spec_.model.max_sequences;
}

bool IterationEngine::admit_next() {
  if (!can_admit()) return false;
  const Slot slot = waiting_.front();
  Sequence& sequence = sequences_[slot];
  const double bytes = bytes_of(sequence.to_compute + 1);
  if (!fits(bytes)) return false;
  waiting_.pop_front();
  sequence.state = State::Prefilling;
  sequence.admission = ++admissions_;
  sequence.computed = 0;
  if (spec_.prefix_cache && !sequence.request.prefix_blocks.empty()) {
    const auto blocks = static_cast<int64_t>(prefixes_.match(sequence.request.prefix_blocks));
    sequence.computed =
        std::min(blocks * sequence.request.prefix_block_tokens, sequence.to_compute - 1);
    totals_.cached_tokens += sequence.computed;
    sequence.cached = sequence.computed;
  }
  hold(sequence, bytes);
  prefilling_.push_back(slot);
  return true;
}

void IterationEngine::choose_chunks() {
  const bool prompts_first = spec_.batching == Batching::PromptsFirst;
  int64_t budget = spec_.model.chunk_tokens;
  if (!prompts_first) budget -= static_cast<int64_t>(decoding_.size());
  for (size_t next = 0; budget > 0; ++next) {
    if (next == prefilling_.size() && !admit_next()) break;
    const Sequence& sequence = sequences_[prefilling_[next]];
    const int64_t tokens = std::min(sequence.to_compute - sequence.computed, budget);
    chunks_.push_back({prefilling_[next], tokens});
    budget -= tokens;
  }
  decodes_in_run_ = !decoding_.empty() && (!prompts_first || chunks_.empty());
}

void IterationEngine::plan(Nanoseconds now) {
  run_.is_on = false;
  chunks_.clear();
  make_room_for_a_step();
  choose_chunks();
  if (chunks_.empty() && decoding_.empty()) return;
  run_.steps = chunks_.empty() && !spec_.exact ? most_steps() : 1;
  time_run(now);
}

// Until the first sequence ends or the cache is full.
int64_t IterationEngine::most_steps() {
  while (sequences_[finishes_.front().slot].admission != finishes_.front().admission ||
         sequences_[finishes_.front().slot].state != State::Decoding) {
    std::pop_heap(finishes_.begin(), finishes_.end(), kEndsLater);
    finishes_.pop_back();
  }
  int64_t high = finishes_.front().step - step_;
  const double capacity = spec_.model.kv_capacity_bytes;
  if (!has_cache_limit_ || most_bytes_after(high) <= capacity) return high;
  measure_cache();
  int64_t low = 1;
  while (low < high) {
    const int64_t middle = low + (high - low + 1) / 2;
    if (bytes_after(middle) <= capacity) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// --- The cache -----------------------------------------------------------------------------------

double IterationEngine::bytes_of(int64_t tokens) const {
  const int64_t blocks = (tokens + spec_.block_tokens - 1) / spec_.block_tokens;
  return std::ceil(
      spec_.model.kv.bytes(blocks * spec_.block_tokens));  // whole bytes: sums are exact
}

double IterationEngine::most_bytes_after(int64_t steps) const {
  const auto grown = static_cast<double>(step_ + steps - measured_at_step_);
  return held_bytes_ + static_cast<double>(decoding_.size()) * (slope_bytes_ * grown + jump_bytes_);
}

// What running sequences hold `steps` decode steps from now.
double IterationEngine::bytes_after(int64_t steps) const {
  double bytes = held_bytes_;
  for (const Slot slot : decoding_) {
    bytes += bytes_of(context(sequences_[slot]) + steps) - sequences_[slot].held_bytes;
  }
  return bytes;
}

void IterationEngine::measure_cache() {
  if (measured_at_step_ == step_) return;
  for (const Slot slot : decoding_) {
    Sequence& sequence = sequences_[slot];
    hold(sequence, bytes_of(context(sequence)));
  }
  measured_at_step_ = step_;
}

void IterationEngine::hold(Sequence& sequence, double bytes) {
  held_bytes_ += bytes - sequence.held_bytes;
  sequence.held_bytes = bytes;
}

bool IterationEngine::fits(double more_bytes) {
  if (!has_cache_limit_) return true;
  // With the next step's growth, and a little free (vLLM's watermark): a newcomer that would be
  // pre-empted before its prompt is computed makes no progress, and under PromptsFirst nobody does.
  constexpr double kUsable = 0.99;
  const double most = kUsable * spec_.model.kv_capacity_bytes - more_bytes;
  if (most_bytes_after(1) <= most) return true;
  measure_cache();
  const bool is_empty = prefilling_.empty() && decoding_.empty();
  return bytes_after(1) <= most || is_empty;
}

void IterationEngine::make_room_for_a_step() {
  if (!has_cache_limit_) return;
  const double capacity = spec_.model.kv_capacity_bytes;
  if (most_bytes_after(1) <= capacity) return;
  measure_cache();
  while (prefilling_.size() + decoding_.size() > 1 && bytes_after(1) > capacity) preempt_newest();
}

void IterationEngine::preempt_newest() {
  const auto is_older = [&](Slot a, Slot b) {
    return sequences_[a].admission < sequences_[b].admission;
  };
  const auto decoding = std::max_element(decoding_.begin(), decoding_.end(), is_older);
  Slot slot;
  if (!prefilling_.empty() &&
      (decoding == decoding_.end() || is_older(*decoding, prefilling_.back()))) {
    slot = prefilling_.back();
    prefilling_.pop_back();
    totals_.recomputed_tokens += sequences_[slot].computed;
  } else {
    slot = *decoding;
    Sequence& sequence = sequences_[slot];
    const int64_t so_far = emitted(sequence);
    stop_decoding(slot);
    sequence.emitted = so_far;
    sequence.to_compute = sequence.request.prompt_tokens + sequence.emitted;
    totals_.recomputed_tokens += sequence.to_compute;
  }
  Sequence& sequence = sequences_[slot];
  hold(sequence, 0);
  sequence.state = State::Waiting;
  waiting_.push_front(slot);
  ++totals_.preemptions;
}

// --- What an iteration did
// -------------------------------------------------------------------------

int64_t IterationEngine::emitted(const Sequence& sequence) const {
  return sequence.state == State::Decoding ? sequence.emitted + step_ - sequence.begun_at_step
                                           : sequence.emitted;
}

void IterationEngine::begin_decoding(Slot slot) {
  Sequence& sequence = sequences_[slot];
  sequence.state = State::Decoding;
  sequence.begun_at_step = step_;
  sequence.position = decoding_.size();
  decoding_.push_back(slot);
  decode_context_ += context(sequence);
  finishes_.push_back(
      {step_ + sequence.request.output_tokens - sequence.emitted, slot, sequence.admission});
  std::push_heap(finishes_.begin(), finishes_.end(), kEndsLater);
}

void IterationEngine::stop_decoding(Slot slot) {
  Sequence& sequence = sequences_[slot];
  decode_context_ -= sequence.request.prompt_tokens + emitted(sequence);
  const size_t position = sequence.position;
  decoding_[position] = decoding_.back();
  sequences_[decoding_[position]].position = position;
  decoding_.pop_back();
}

void IterationEngine::finish(Slot slot, std::vector<Notice>& notices) {
  Sequence& sequence = sequences_[slot];
  hold(sequence, 0);
  notices.push_back(
      {Notice::Kind::Finished, sequence.request.index, sequence.request.output_tokens});
  ++totals_.finished;
  totals_.delivered_tokens += sequence.request.output_tokens;
  sequence.state = State::Free;
  free_.push_back(slot);
}

void IterationEngine::finish_decoding(std::vector<Notice>& notices) {
  while (!finishes_.empty() && finishes_.front().step <= step_) {
    const Finish done = finishes_.front();
    std::pop_heap(finishes_.begin(), finishes_.end(), kEndsLater);
    finishes_.pop_back();
    const Sequence& sequence = sequences_[done.slot];
    if (sequence.admission != done.admission || sequence.state != State::Decoding) continue;
    stop_decoding(done.slot);
    finish(done.slot, notices);
  }
}

void IterationEngine::finish_prompts(std::vector<Notice>& notices) {
  for (const Chunk& chunk : chunks_) {
    Sequence& sequence = sequences_[chunk.slot];
    sequence.computed += chunk.tokens;
    totals_.computed_tokens += chunk.tokens;
    if (sequence.computed < sequence.to_compute) continue;
    prefilling_.erase(std::find(prefilling_.begin(), prefilling_.end(), chunk.slot));
    const EngineRequest& request = sequence.request;
    ++sequence.emitted;
    ++totals_.output_tokens;
    if (!sequence.has_first_token) {
      sequence.has_first_token = true;
      notices.push_back({Notice::Kind::FirstToken, request.index, sequence.cached});
    }
    if (spec_.prefix_cache && !request.prefix_blocks.empty()) {
      prefixes_.insert(request.prefix_blocks);
      const double block = perf::cached_block_bytes(spec_.model.kv, request.prefix_block_tokens);
      const double spare = std::max(spec_.model.kv_capacity_bytes - held_bytes_, 0.0);
      if (has_cache_limit_ && block > 0) prefixes_.shrink_to(static_cast<size_t>(spare / block));
    }
    if (sequence.emitted >= request.output_tokens) {
      finish(chunk.slot, notices);
    } else {
      begin_decoding(chunk.slot);
    }
  }
}

void IterationEngine::advance(Nanoseconds now, std::vector<Notice>& notices) {
  TREX_CHECK(now == next_event(), "advance to {} but the next event is at {}", now, next_event());
  totals_.busy += now - run_.begin;
  totals_.iterations += run_.steps;
  if (decodes_in_run_) {
    step_ += run_.steps;
    const auto batch = static_cast<int64_t>(decoding_.size());
    decode_context_ += batch * run_.steps;
    totals_.output_tokens += batch * run_.steps;
  }
  finish_decoding(notices);
  finish_prompts(notices);
  plan(now);
}

// --- What comes from outside
// -------------------------------------------------------------------------

void IterationEngine::submit(const EngineRequest& request, Nanoseconds now) {
  if (free_.empty()) {
    free_.push_back(static_cast<Slot>(sequences_.size()));
    sequences_.emplace_back();
  }
  const Slot slot = free_.back();
  free_.pop_back();
  sequences_[slot] =
      Sequence{.request = request, .state = State::Waiting, .to_compute = request.prompt_tokens};
  ++totals_.submitted;
  const bool is_next = waiting_.empty();
  waiting_.push_back(slot);
  if (!run_.is_on) {
    plan(now);
  } else if (is_next && can_admit()) {
    cut_run_after(now);
  }
}

void IterationEngine::set_slowdown(double factor, Nanoseconds now) {
  slowdown_ = factor;
  cut_run_after(now);
}

std::vector<Lost> IterationEngine::crash(Nanoseconds now) {
  std::vector<Lost> lost;
  if (run_.is_on) {
    totals_.busy += now - run_.begin;
    // Steps of the run that had ended.
    int64_t done = 0;
    while (done < run_.steps && end_of(done + 1) <= now) ++done;
    if (decodes_in_run_) {
      step_ += done;
      totals_.output_tokens += done * static_cast<int64_t>(decoding_.size());
    }
    run_.is_on = false;
  }
  for (const Sequence& sequence : sequences_) {
    if (sequence.state != State::Free) lost.push_back({sequence.request.index, emitted(sequence)});
  }
  std::sort(lost.begin(), lost.end(),
            [](const Lost& a, const Lost& b) { return a.request < b.request; });
  totals_.lost += static_cast<int64_t>(lost.size());
  for (const Lost& one : lost) totals_.delivered_tokens += one.emitted_tokens;
  sequences_.clear();
  free_.clear();
  waiting_.clear();
  prefilling_.clear();
  decoding_.clear();
  finishes_.clear();
  chunks_.clear();
  prefixes_.clear();
  decode_context_ = 0;
  held_bytes_ = 0;
  return lost;
}

EngineLoad IterationEngine::load() const {
  return {.running = static_cast<int64_t>(prefilling_.size() + decoding_.size()),
          .waiting = static_cast<int64_t>(waiting_.size()),
          .kv_share = has_cache_limit_ ? bytes_after(0) / spec_.model.kv_capacity_bytes : 0};
}

void IterationEngine::check_conservation() const {
  const EngineLoad here = load();
  TREX_CHECK(totals_.submitted == totals_.finished + totals_.lost + here.running + here.waiting,
             "{} submitted, {} finished, {} lost, {} here", totals_.submitted, totals_.finished,
             totals_.lost, here.running + here.waiting);
  if (here.running + here.waiting > 0) return;
  TREX_CHECK(totals_.output_tokens == totals_.delivered_tokens, "{} tokens emitted, {} delivered",
             totals_.output_tokens, totals_.delivered_tokens);
  TREX_CHECK(held_bytes_ == 0, "an idle engine holds {} bytes of cache", held_bytes_);
  TREX_CHECK(decode_context_ == 0, "an idle engine decodes {} tokens of context", decode_context_);
}

}  // namespace trex::simulate
