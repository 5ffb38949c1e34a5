// Iteration time from first principles: rooflines with the efficiency of real kernels, operator by
// operator (heterogeneous serving, section 5.5). For planning before hardware exists; a running
// instance is described by the fitted perf/instance_model.h.
//
// An OperatorModel is immutable after construction, allocates nothing in iteration() and may be
// used by any thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "perf/deployment.h"
#include "perf/instance_model.h"

namespace trex::perf {

// What one iteration works on. Contexts are tokens of each decoding sequence.
struct Iteration {
  double num_decoding = 0;
  double context_each = 0;
  std::span<const PromptChunk> chunks;
  // Chunks that end their prompt, each with a row of logits. The convention of the golden values
  // is that every chunk does.
  double finished_prompts() const { return static_cast<double>(chunks.size()); }
};

enum class Operator {
  Linear,   // dense products and the logits
  Experts,  // routed and shared experts
  PromptAttention,
  DecodeAttention,
  TensorParallel,  // all-reduces
  ExpertParallel,  // dispatch and combine
  Overhead,        // scheduling, sampling, launches
};
inline constexpr size_t kNumOperators = 7;
std::string_view to_string(Operator op);

// Seconds of one operator. `total_s` is what it adds to the iteration: the larger of compute and
// memory for dense products, their sum elsewhere, as section 5.5 has it.
struct OperatorTime {
  double compute_s = 0;
  double memory_s = 0;
  double fixed_s = 0;  // launches, latency of links
  double communication_s = 0;
  double total_s = 0;

  std::string_view bound() const;  // "compute", "memory", "communication", "latency" or "-"
};

struct IterationTime {
  std::array<OperatorTime, kNumOperators> operators{};

  const OperatorTime& of(Operator op) const { return operators[static_cast<size_t>(op)]; }
  OperatorTime& of(Operator op) { return operators[static_cast<size_t>(op)]; }
  double total_s() const;
};

class OperatorModel {
 public:
  // One stage on `layout` of `device`. Throws Input if the device cannot compute in the
  // quantisation's arithmetic or the layout does not suit the model.
  OperatorModel(const ModelSpec& model, const DeviceSpec& device, const Quantisation& quantisation,
                const Layout& layout, const EngineLimits& limits, const StageRange& stage);

  IterationTime iteration(const Iteration& iteration) const;
  double seconds(const Iteration& iteration) const { return this->iteration(iteration).total_s(); }

  // Bytes of activations that pass to the next stage for `num_tokens`.
  double boundary_bytes(double num_tokens) const;
  bool calibrated() const { return device_.calibrated(); }

 private:
  OperatorTime linear(double num_tokens, double rows) const;
  OperatorTime experts(double num_tokens) const;
  OperatorTime prompt_attention(std::span<const PromptChunk> chunks) const;
  OperatorTime decode_attention(const Iteration& iteration) const;
  OperatorTime tensor_parallel(double num_tokens) const;
  OperatorTime expert_parallel(double num_tokens) const;

  ModelSpec model_;
  DeviceSpec device_;
  Quantisation quantisation_;
  Layout layout_;
  StageRange stage_;
  KvFunction kv_;         // of the stage, before sharding
  double peak_ = 0;       // FLOP/s of the products
  double half_peak_ = 0;  // FLOP/s of attention
  double bandwidth_ = 0;
  bool is_fp8_cache_ = false;
  double dense_parameters_ = 0;  // read in every iteration by the stage, without the logits
  double head_parameters_ = 0;
  double moe_layers_ = 0;
  std::array<double, 3> layers_by_ratio_{};  // DeepSeek-V4: ratio 0, 4, 128
  AlphaBeta all_reduce_;
};

// Expected distinct experts that `num_tokens` tokens touch among `num_experts`, each taking
// `top_k` uniformly.
double touched_experts(double num_experts, double top_k, double num_tokens);

// Expected distinct remote ranks that one token's experts lie on.
double remote_ranks(int64_t ep, int64_t num_experts, int64_t top_k);

}  // namespace trex::perf
