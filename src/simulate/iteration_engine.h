// An engine with continuous batching, emulated iteration by iteration: waiting queue, running set,
// cache by blocks or bytes, chunked prompts, pre-emption by recomputing, prefix cache. How long an
// iteration takes is perf::InstanceModel's (heterogeneous serving, 5.7 and 14.1).
//
// Decode iterations with an unchanged running set follow one another in a closed sum, because their
// time grows linearly with the step; so the work is O(requests log n), not O(tokens). `exact` takes
// every iteration by itself; both agree up to the rounding of nanoseconds (tested to 0.1 %).
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "base/rng.h"
#include "perf/instance_model.h"
#include "simulate/engine.h"
#include "simulate/prefix_cache.h"

namespace trex::simulate {

enum class Batching {
  DecodeFirst,   // vLLM: every decoding sequence, the rest of the chunk budget for prompts
  PromptsFirst,  // SGLang: prompts alone while there are any that fit
  FixedSlots,    // llama.cpp: as DecodeFirst; each slot owns its share of the cache
};

struct IterationEngineSpec {
  perf::InstanceModel model;
  Batching batching = Batching::DecodeFirst;
  int64_t block_tokens = 16;  // cache is given out in blocks of so many tokens
  bool prefix_cache = true;
  bool exact = false;
  double noise = 0;   // standard deviation of the logarithm of an iteration's time
  uint64_t seed = 1;  // of the noise
};

class IterationEngine final : public Engine {
 public:
  explicit IterationEngine(IterationEngineSpec spec);

  void submit(const EngineRequest& request, Nanoseconds now) override;
  Nanoseconds next_event() const override { return run_.is_on ? end_of(run_.steps) : kNever; }
  void advance(Nanoseconds now, std::vector<Notice>& notices) override;
  void set_slowdown(double factor, Nanoseconds now) override;
  std::vector<Lost> crash(Nanoseconds now) override;
  EngineLoad load() const override;
  const EngineTotals& totals() const override { return totals_; }
  void check_conservation() const override;

 private:
  using Slot = uint32_t;
  enum class State : uint8_t { Free, Waiting, Prefilling, Decoding };

  struct Sequence {
    EngineRequest request;
    State state = State::Free;
    uint64_t admission = 0;  // larger: admitted later
    int64_t to_compute = 0;  // tokens of the prompt, and of the answer after a pre-emption
    int64_t computed = 0;
    int64_t cached = 0;         // of the prompt, when first admitted
    int64_t emitted = 0;        // when it began decoding
    int64_t begun_at_step = 0;  // value of step_ then
    bool has_first_token = false;
    size_t position = 0;  // in decoding_
    double held_bytes = 0;
  };
  struct Chunk {
    Slot slot;
    int64_t tokens;
  };
  // The iterations under way: `steps` alike ones, or one with chunks.
  struct Run {
    bool is_on = false;
    Nanoseconds begin = 0;
    int64_t steps = 0;
    double first_s = 0;   // the first step
    double growth_s = 0;  // each step takes so much longer than the one before
  };
  struct Finish {
    int64_t step;
    Slot slot;
    uint64_t admission;  // tells a slot's present sequence from an earlier one
  };

  void plan(Nanoseconds now);
  void choose_chunks();
  bool admit_next();
  bool can_admit() const;
  void make_room_for_a_step();
  int64_t most_steps();
  void time_run(Nanoseconds now);
  Nanoseconds end_of(int64_t steps) const;
  void cut_run_after(Nanoseconds now);

  int64_t emitted(const Sequence& sequence) const;
  int64_t context(const Sequence& sequence) const {
    return sequence.request.prompt_tokens + emitted(sequence);
  }
  void finish_prompts(std::vector<Notice>& notices);
  void finish_decoding(std::vector<Notice>& notices);
  void begin_decoding(Slot slot);
  void stop_decoding(Slot slot);
  void finish(Slot slot, std::vector<Notice>& notices);
  void preempt_newest();

  double bytes_of(int64_t tokens) const;
  double most_bytes_after(int64_t steps) const;
  double bytes_after(int64_t steps) const;
  void measure_cache();
  bool fits(double more_bytes);
  void hold(Sequence& sequence, double bytes);

  IterationEngineSpec spec_;
  bool has_cache_limit_;
  double slope_bytes_ = 0, jump_bytes_ = 0;  // growth of a sequence's cache is at most these
  double prefix_block_bytes_ = 0;
  double slowdown_ = 1;
  Rng noise_;

  std::vector<Sequence> sequences_;
  std::vector<Slot> free_;
  std::deque<Slot> waiting_;
  std::vector<Slot> prefilling_;  // oldest first
  std::vector<Slot> decoding_;
  std::vector<Finish> finishes_;  // a heap by step
  std::vector<Chunk> chunks_;
  Run run_;
  int64_t step_ = 0;            // decode steps taken
  int64_t decode_context_ = 0;  // tokens of all decoding sequences
  bool decodes_in_run_ = false;
  uint64_t admissions_ = 0;

  double held_bytes_ = 0;  // by running sequences when last measured
  int64_t measured_at_step_ = 0;
  PrefixCache prefixes_;
  EngineTotals totals_;
};

}  // namespace trex::simulate
