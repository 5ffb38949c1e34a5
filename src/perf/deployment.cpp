#include "perf/deployment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace trex::perf {
namespace {

// 2*T_max*h bytes times this, by tensor-parallel degree (AIConfigurator's measured peaks).
double activation_factor(int64_t tp) { return tp == 1 ? 10 : tp == 2 ? 6 : 5; }

}  // namespace

std::span<const Quantisation> quantisations() {
  // Blocks of scales: int4 groups of 128 with fp16 scale and zero, fp4 one scale byte per 32,
  // fp8-block one fp32 scale per 128 x 128; GGUF block sizes for q8_0 and the q4_k_m mixture.
  static const std::vector<Quantisation> kAll{
      {"bf16", 2, 2, 2, Arithmetic::Bf16, false},
      {"fp16", 2, 2, 2, Arithmetic::Fp16, false},
      {"fp8", 1, 1, 2, Arithmetic::Fp8, false},
      {"fp8-block", 1, 1, 2, Arithmetic::Fp8, true},
      {"fp8-fp4", 1, 0.53125, 2, Arithmetic::Fp8, true},  // DeepSeek-V4 as published
      {"int8", 1, 1, 2, Arithmetic::Int8, false},
      {"int4", 0.53, 0.53, 2, Arithmetic::Half, false},
      {"q8_0", 1.0625, 1.0625, 1.0625, Arithmetic::Half, false},
      {"q4_k_m", 0.606, 0.606, 0.606, Arithmetic::Half, false},
  };
  return kAll;
}

const Quantisation& find_quantisation(const std::string& name, const std::string& where) {
  std::vector<std::string> names;
  for (const Quantisation& entry : quantisations()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  const std::string hint = did_you_mean(name, names);
  throw input_error(where, "quantisation", "one of " + listed(names, names.size()), in_quotes(name),
                    hint);
}

std::string Layout::text() const {
  std::string text = dp > 1 ? fmt::format("DP{}", dp) : "";
  if (tp > 1 || text.empty()) text += fmt::format("{}TP{}", text.empty() ? "" : "x", tp);
  if (pp > 1) text += fmt::format("xPP{}", pp);
  if (ep > 1) text += fmt::format(" EP{}", ep);
  return text;
}

std::optional<std::string> layout_problem(const ModelSpec& model, const Layout& layout) {
  if (layout.tp < 1 || layout.pp < 1 || layout.dp < 1 || layout.ep < 1) {
    return "every degree must be at least 1";
  }
  if (model.num_heads % layout.tp != 0) {
    return fmt::format("{} heads do not split over TP{}", model.num_heads, layout.tp);
  }
  const int64_t expert_width = model.is_moe() ? model.expert_ffn : model.ffn;
  const int64_t width_ranks = model.is_moe() ? std::max<int64_t>(layout.moe_tp(), 1) : layout.tp;
  if (expert_width % width_ranks != 0) {
    return fmt::format("FFN width {} does not split over {} ranks", expert_width, width_ranks);
  }
  if (layout.pp > model.num_layers) {
    return fmt::format("{} layers do not fill PP{}", model.num_layers, layout.pp);
  }
  if (!model.is_moe() && (layout.ep > 1 || layout.dp > 1)) {
    return "expert and attention-data parallelism need a mixture-of-experts model";
  }
  if (layout.tp * layout.dp % layout.ep != 0) {
    return fmt::format("tp*dp = {} is not a multiple of ep = {}", layout.tp * layout.dp, layout.ep);
  }
  if (model.is_moe() && model.num_experts % layout.ep != 0) {
    return fmt::format("{} experts do not split over EP{}", model.num_experts, layout.ep);
  }
  return std::nullopt;
}

StageRange whole_model(const ModelSpec& model) { return {0, model.num_layers, true, true}; }

double stage_weight_bytes(const ModelSpec& model, const Quantisation& quantisation,
                          const Layout& layout, const StageRange& stage) {
  const double h = static_cast<double>(model.hidden);
  const double expert = 3 * h * static_cast<double>(model.expert_ffn);
  double dense = 0;
  double routed = 0;
  for (int64_t layer = stage.first_layer; layer < stage.first_layer + stage.num_layers; ++layer) {
    dense += attention_parameters(model, layer);
    if (model.is_moe() && layer >= model.dense_layers) {
      dense += h * static_cast<double>(model.num_experts) +
               expert * static_cast<double>(model.shared_experts);
      routed += expert * static_cast<double>(model.num_experts);
    } else {
      dense += (model.gated_ffn ? 3 : 2) * h * static_cast<double>(model.ffn);
    }
  }
  const double matrix = static_cast<double>(model.vocab) * h;
  double embeddings = (stage.has_embedding ? matrix : 0) + (stage.has_head ? matrix : 0);
  if (stage.has_embedding && stage.has_head && model.tied_embeddings) embeddings = matrix;
  const double tp = static_cast<double>(layout.tp);
  return dense * quantisation.weight_bytes / tp + embeddings * quantisation.embedding_bytes / tp +
         routed * quantisation.expert_bytes / static_cast<double>(layout.tp * layout.dp);
}

MemoryBudget memory_budget(const ModelSpec& model, const DeviceSpec& device,
                           const Quantisation& quantisation, const Layout& layout,
                           const EngineLimits& limits, const StageRange& stage) {
  MemoryBudget budget;
  budget.device_bytes = device.memory_bytes.value;
  budget.weight_bytes = stage_weight_bytes(model, quantisation, layout, stage);
  budget.activation_bytes = 2 * static_cast<double>(limits.chunk_tokens) *
                            static_cast<double>(model.hidden) * activation_factor(layout.tp);
  budget.reserve_bytes = limits.reserve_bytes + (layout.tp > 1 ? limits.collective_bytes : 0);
  const double used = budget.weight_bytes + budget.activation_bytes + budget.reserve_bytes;
  if (limits.memory_rule == MemoryRule::FractionOfTotal) {
    budget.usable_bytes = budget.device_bytes * limits.memory_fraction;
    budget.kv_bytes = budget.usable_bytes - used;
  } else {
    budget.kv_bytes = (budget.device_bytes - used) * limits.memory_fraction;
    budget.usable_bytes = used + budget.kv_bytes;
  }
  const double share = static_cast<double>(stage.num_layers) /
                       static_cast<double>(model.num_layers) /
                       static_cast<double>(kv_shards(model, layout.tp));
  budget.kv = kv_of(model, limits.kv_element_bytes).scaled(share);
  return budget;
}

int64_t admissible_batch(const MemoryBudget& budget, const Layout& layout,
                         const EngineLimits& limits, double tokens_each) {
  if (budget.kv_bytes <= 0) return 0;
  const double bytes_each = budget.kv.bytes(static_cast<int64_t>(std::ceil(tokens_each)));
  const double per_replica = std::floor(budget.kv_bytes / bytes_each);
  const double all = std::min(per_replica * static_cast<double>(layout.dp),
                              static_cast<double>(limits.max_sequences));
  return static_cast<int64_t>(all);
}

int64_t admissible_slots(int64_t slots, int64_t context_total, int64_t tokens_each) {
  return std::min(slots, context_total / std::max<int64_t>(tokens_each, 1));
}

}  // namespace trex::perf
