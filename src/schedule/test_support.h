// Instances of a simple kind for tests and benchmarks: a fixed time per token whatever the batch, a
// number of slots, a prompt speed.
#pragma once

#include <string>
#include <vector>

#include "schedule/instance.h"
#include "schedule/request.h"

namespace trex::schedule {

struct SimpleEngine {
  double token_s = 0.01;  // per output token of each sequence
  int64_t slots = 8;
  double prompt_tokens_per_s = 40'000;  // one prompt at a time
  double kv_capacity_tokens = 0;        // 0: no limit is known
};

inline InstanceSpec simple_instance(std::string name, const SimpleEngine& engine) {
  InstanceSpec spec;
  spec.name = std::move(name);
  spec.model.time.base_s = engine.token_s;
  spec.model.time.per_prompt_token_s = 1 / engine.prompt_tokens_per_s;
  spec.model.max_sequences = engine.slots;
  spec.prompts_delay_answers = false;
  if (engine.kv_capacity_tokens > 0) {
    spec.model.kv.per_token_bytes = 1;
    spec.model.kv_capacity_bytes = engine.kv_capacity_tokens;
  }
  return spec;
}

inline std::vector<InstanceSpec> two_unlike() {
  return {simple_instance("fast", {.token_s = 0.01, .slots = 8}),
          simple_instance("slow", {.token_s = 0.03, .slots = 4, .prompt_tokens_per_s = 12'000})};
}

inline Request simple_request(RequestId id, double prompt_tokens = 1000) {
  Request request;
  request.id = id;
  request.prompt_tokens = prompt_tokens;
  return request;
}

}  // namespace trex::schedule
