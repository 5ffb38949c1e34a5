// Completing many prompts at once.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "infer/sampling.h"
#include "model/config.h"
#include "model/parameters.h"

namespace trex::infer {

struct GenerateOptions {
  int64_t max_new_tokens = 256;
  SamplingOptions sampling;
  uint64_t seed = 0;
  std::vector<int32_t> stop_ids;  // end a completion and are no part of it
  int64_t num_token_ids = 0;      // ids from here on are never chosen; 0: all may be
  int64_t batch_size = 96;        // prompts that take a step together
};

struct Prompt {
  std::vector<int32_t> ids;  // not empty
  uint64_t stream = 0;       // names its random stream
};

enum class Finish { Stop, Length };

struct Completion {
  std::vector<int32_t> ids;
  Finish finish = Finish::Length;
};

// Calls `done(i, completion)` once for each prompt, in no particular order. Prompts of like lengths
// are batched; what else is in a batch changes a prompt's logits by rounding at most. Random draws
// depend on seed, stream and position alone.
void generate(const model::ModelConfig& config, const model::Parameters& parameters,
              const std::vector<Prompt>& prompts, const GenerateOptions& options,
              const std::function<void(size_t, Completion)>& done);

}  // namespace trex::infer
