// One way to run a model on devices of one kind: precision, parallel layout, engine limits; and the
// memory that it leaves for the KV cache (heterogeneous serving, section 5.4).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "perf/device.h"
#include "perf/kv_cache.h"
#include "perf/model_spec.h"

namespace trex::perf {

// How weights are stored and multiplied.
struct Quantisation {
  std::string name;         // "bf16", "fp8", "int4", ...
  double weight_bytes = 2;  // per parameter outside the routed experts, scales included
  double expert_bytes = 2;  // per parameter of a routed expert
  double embedding_bytes = 2;
  Arithmetic arithmetic = Arithmetic::Bf16;
  bool block_scaled = false;  // 8-bit with a scale per block: another MoE kernel
};

std::span<const Quantisation> quantisations();
// Throws Input at `where`, naming the nearest one.
const Quantisation& find_quantisation(const std::string& name, const std::string& where);

// Ranks of one instance. Attention is sharded over tp and replicated dp times, experts over
// moe_ep x moe_tp ranks with tp*dp = moe_tp*moe_ep; pp such groups follow one another.
struct Layout {
  int64_t tp = 1;
  int64_t pp = 1;
  int64_t dp = 1;
  int64_t ep = 1;

  int64_t devices() const { return tp * pp * dp; }
  int64_t moe_tp() const { return tp * dp / ep; }
  std::string text() const;  // "TP4", "TP2xPP2", "DP8 EP8"
};

// Why a layout cannot run this model, or nothing.
std::optional<std::string> layout_problem(const ModelSpec& model, const Layout& layout);

enum class MemoryRule {
  FractionOfTotal,  // vLLM, SGLang: KV = M*u - (weights + activations + reserve)
  FractionOfFree,   // TensorRT-LLM: KV = (M - (weights + activations + reserve))*u
};

struct EngineLimits {
  double memory_fraction = 0.90;  // u
  MemoryRule memory_rule = MemoryRule::FractionOfTotal;
  int64_t max_sequences = 256;  // max_num_seqs
  int64_t chunk_tokens = 2048;  // most tokens of one iteration
  int64_t max_context = 8192;   // one sequence of this length must fit
  double kv_element_bytes = 2;
  double reserve_bytes = 3.5e9;      // driver, context, graphs
  double collective_bytes = 0.35e9;  // when tp >= 2
  double tolerance = 0.03;           // of the device's memory, when saying that nothing fits
};

// Bytes on the busiest rank.
struct MemoryBudget {
  double device_bytes = 0;
  double usable_bytes = 0;  // what the engine may use for everything
  double weight_bytes = 0;
  double activation_bytes = 0;
  double reserve_bytes = 0;
  double kv_bytes = 0;  // what is left; negative if the weights alone do not fit
  KvFunction kv;        // of one sequence on this rank

  // What would have to be saved, or added to the device, so that a sequence of `tokens` fits;
  // 0 or less if it does.
  double missing_bytes(int64_t tokens) const { return kv.bytes(tokens) - kv_bytes; }
};

// The layers of one pipeline stage.
struct StageRange {
  int64_t first_layer = 0;
  int64_t num_layers = 0;
  bool has_head = true;  // final norm and logits
  bool has_embedding = true;
};

StageRange whole_model(const ModelSpec& model);

// Stored bytes of a stage's weights on one rank.
double stage_weight_bytes(const ModelSpec& model, const Quantisation& quantisation,
                          const Layout& layout, const StageRange& stage);

MemoryBudget memory_budget(const ModelSpec& model, const DeviceSpec& device,
                           const Quantisation& quantisation, const Layout& layout,
                           const EngineLimits& limits, const StageRange& stage);

// B = min(B_kv, max_sequences) for sequences that reserve `tokens_each`, over all dp replicas.
int64_t admissible_batch(const MemoryBudget& budget, const Layout& layout,
                         const EngineLimits& limits, double tokens_each);

// llama.cpp server: a context of `context_total` tokens split over `slots` slots.
int64_t admissible_slots(int64_t slots, int64_t context_total, int64_t tokens_each);

}  // namespace trex::perf
