// What the simulator asks of an emulated inference engine. Two kinds exist: engines that work in
// iterations (iteration_engine.h: vLLM, SGLang, llama.cpp) and engines whose sequences each take
// their own constant time per token (slot_engine.h).
//
// An engine lives in simulated time: the caller submits requests, asks for the time of the next
// event, and calls advance() at exactly that time. Deterministic; not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulate/event_queue.h"

namespace trex::simulate {

using RequestIndex = uint32_t;

struct EngineRequest {
  RequestIndex index = 0;     // names it in notices
  int64_t prompt_tokens = 1;  // at least 1
  int64_t output_tokens = 1;  // at least 1
  // Ids of the prompt's blocks, equal leading ids meaning equal text; borrowed until it ends.
  std::span<const uint64_t> prefix_blocks;
  int64_t prefix_block_tokens = 0;
};

struct Notice {
  enum class Kind : uint8_t { FirstToken, Finished };
  Kind kind;
  RequestIndex request;
  int64_t tokens;  // FirstToken: of the prompt that were cached; Finished: output tokens
};

// A request that a crash ended, and how much of its answer had come.
struct Lost {
  RequestIndex request;
  int64_t emitted_tokens;
};

struct EngineLoad {
  int64_t running = 0;
  int64_t waiting = 0;
  double kv_share = 0;  // of the cache; 0 where the engine has no limit
};

struct EngineTotals {
  int64_t submitted = 0;
  int64_t finished = 0;
  int64_t lost = 0;
  int64_t output_tokens = 0;      // emitted, also by requests that were lost later
  int64_t delivered_tokens = 0;   // the answers that finished, and what had come of the lost ones
  int64_t computed_tokens = 0;    // of prompts, those computed again after a pre-emption included
  int64_t cached_tokens = 0;      // of prompts, found in the prefix cache
  int64_t recomputed_tokens = 0;  // computed again because of pre-emptions
  int64_t iterations = 0;
  int64_t preemptions = 0;
  Nanoseconds busy = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual void submit(const EngineRequest& request, Nanoseconds now) = 0;

  // kNever when idle. Changes only by the calls of this class.
  virtual Nanoseconds next_event() const = 0;

  // `now` must be next_event(). Appends what happened then.
  virtual void advance(Nanoseconds now, std::vector<Notice>& notices) = 0;

  // Everything takes `factor` times as long from now on (1: as the model says).
  virtual void set_slowdown(double factor, Nanoseconds now) = 0;

  // Forgets all requests and caches.
  virtual std::vector<Lost> crash(Nanoseconds now) = 0;

  virtual EngineLoad load() const = 0;
  virtual const EngineTotals& totals() const = 0;

  // Stops the program unless tokens and cache are conserved: what was submitted has finished, been
  // lost or is here; an idle engine holds no cache.
  virtual void check_conservation() const = 0;
};

}  // namespace trex::simulate
