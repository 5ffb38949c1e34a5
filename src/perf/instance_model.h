// The fitted model of one engine instance (heterogeneous serving, section 5.7): what the scheduler,
// the simulator and the mock engine know about speed and memory. The planner derives it from the
// operator model (perf/derive.h), the profiler from measurements (perf/fit.h).
//
//   T_iter = a + beta(N_dec) + g*KV_dec + p*N_pre + q*sum of c_i*(s_i + c_i/2)
//
// All coefficients are non-negative, times are seconds, contexts are tokens. Plain values: nothing
// here allocates, so a decision or a simulated step may call it; any thread may.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/json.h"
#include "perf/kv_cache.h"

namespace trex::perf {

// Where beta may bend (graph-capture sizes, experts that fill up): N_dec of 8, 32 and 128.
inline constexpr std::array<int64_t, 3> kBatchKnots{8, 32, 128};

// A chunk of a prompt: `tokens` new ones after `processed` old ones.
struct PromptChunk {
  double processed = 0;
  double tokens = 0;

  // The attention work c*(s + c/2), in pairs of tokens.
  double pairs() const { return tokens * (processed + tokens / 2); }
};

struct IterationCoefficients {
  double base_s = 0;                       // a
  std::array<double, 4> per_sequence_s{};  // beta, by segment: up to 8, 32, 128, beyond
  double per_context_token_s = 0;          // g
  double per_prompt_token_s = 0;           // p
  double per_prompt_pair_s = 0;            // q

  // All four segments equal: the plain line.
  static IterationCoefficients line(double base_s, double per_sequence_s,
                                    double per_context_token_s, double per_prompt_token_s,
                                    double per_prompt_pair_s);

  // a + beta(b). Rises with b.
  double batch_s(double num_decoding) const {
    double seconds = base_s;
    double low = 0;
    for (size_t i = 0; i < per_sequence_s.size(); ++i) {
      const bool is_last = i == kBatchKnots.size();
      const double high = is_last ? num_decoding : static_cast<double>(kBatchKnots[i]);
      const double covered = (num_decoding < high ? num_decoding : high) - low;
      if (covered <= 0) break;
      seconds += per_sequence_s[i] * covered;
      low = high;
    }
    return seconds;
  }

  // One iteration: `num_decoding` sequences with `context_tokens` in all, and prompt chunks with
  // `prompt_tokens` and `prompt_pairs` in all.
  double iteration_s(double num_decoding, double context_tokens, double prompt_tokens = 0,
                     double prompt_pairs = 0) const {
    return batch_s(num_decoding) + per_context_token_s * context_tokens +
           per_prompt_token_s * prompt_tokens + per_prompt_pair_s * prompt_pairs;
  }

  // A whole prompt of `prompt_tokens` after `cached_tokens` already in the cache, without `a`.
  double prompt_s(double prompt_tokens, double cached_tokens = 0) const {
    return per_prompt_token_s * prompt_tokens +
           per_prompt_pair_s * PromptChunk{cached_tokens, prompt_tokens}.pairs();
  }
};

// Whether a number was measured on the very device, and where it comes from.
struct Evidence {
  bool calibrated = false;
  std::string source;  // "profile of 29 Nov 2026", "operator model, H100 tables"
};

struct InstanceModel {
  std::string name;  // "Llama-3.1-8B on H100 SXM x1"
  IterationCoefficients time;
  KvFunction kv;                 // bytes a sequence of n tokens occupies on the busiest rank
  double kv_capacity_bytes = 0;  // on that rank
  int64_t max_sequences = 0;     // running at once: max_num_seqs, or llama.cpp's slots
  int64_t chunk_tokens = 2048;   // most tokens of one iteration, decoding ones included
  int64_t max_context = 0;       // tokens of one sequence
  // Fitted range; beyond twice of it a prediction is an extrapolation (see is_extrapolation).
  double sampled_batch = 0;
  double sampled_context = 0;
  Evidence evidence;

  // How many sequences of `tokens_each` tokens run at once: min(B_kv, max_sequences).
  int64_t admissible_batch(double tokens_each) const;

  // True if a batch or a sequence's context is beyond twice what was sampled.
  bool is_extrapolation(double num_decoding, double context_each) const;

  // The same instance, `speed` times as fast.
  InstanceModel at_speed(double speed) const;
};

// Throws Input at `where` for a NaN, negative or missing number.
void validate(const InstanceModel& model, const std::string& where);

// The file format of docs/formats.md, "Instance model".
Json to_json(const InstanceModel& model);
InstanceModel instance_model_from_json(const JsonObject& object);

}  // namespace trex::perf
