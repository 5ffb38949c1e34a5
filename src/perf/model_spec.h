// What a language model is to the performance model: layer counts and widths, nothing else
// (heterogeneous serving, sections 5.1 and 5.2). Parameter counts follow from it.
//
// Plain values; every function depends on its arguments alone and may be called from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trex::perf {

enum class AttentionKind {
  Grouped,     // multi-head, grouped-query and multi-query attention
  Latent,      // MLA: one latent vector a token (DeepSeek-V3)
  Compressed,  // DeepSeek-V4: sliding window, CSA (ratio 4) and HCA (ratio 128) layers
};

// Low-rank sizes of MLA.
struct LatentSizes {
  int64_t query_rank = 0;  // q_lora; 0: queries are projected directly
  int64_t kv_rank = 0;     // kv_lora
  int64_t nope_dim = 0;    // per head, without rotary position
  int64_t rope_dim = 0;
  int64_t value_dim = 0;
};

// DeepSeek-V4's attention. A layer's ratio says how many tokens one compressed entry stands for;
// 0 means that the layer has its sliding window only.
struct CompressedSizes {
  std::vector<int64_t> layer_ratios;  // one a layer: 0, 4 or 128
  int64_t window = 128;
  int64_t query_rank = 0;
  int64_t output_rank = 0;  // o_lora, per group
  int64_t output_groups = 0;
  int64_t indexer_heads = 0;
  int64_t indexer_dim = 0;
  int64_t indexer_top_k = 0;
};

struct ModelSpec {
  std::string name;
  std::string source;  // where the numbers come from, for reports
  int64_t num_layers = 0;
  int64_t hidden = 0;
  int64_t vocab = 0;
  bool tied_embeddings = false;

  AttentionKind attention = AttentionKind::Grouped;
  int64_t num_heads = 0;
  int64_t num_kv_heads = 0;  // 1 for Latent and Compressed: one vector for all heads
  int64_t head_dim = 0;
  int64_t window = 0;           // sliding window in tokens, 0: none
  int64_t windowed_layers = 0;  // how many layers have it
  LatentSizes latent;
  CompressedSizes compressed;

  int64_t ffn = 0;          // width of a dense FFN; 0 if no layer has one
  bool gated_ffn = true;    // three matrices, else two
  int64_t num_experts = 0;  // routed experts of a MoE layer; 0: dense model
  int64_t top_k = 0;
  int64_t expert_ffn = 0;
  int64_t shared_experts = 0;
  int64_t dense_layers = 0;  // of a MoE model, the layers with a dense FFN
  int64_t max_context = 0;   // tokens; 0: not stated

  bool is_moe() const { return num_experts > 0; }
  int64_t moe_layers() const { return is_moe() ? num_layers - dense_layers : 0; }
};

// Throws Input at `where` for a size that is missing, negative or contradicts another.
void validate(const ModelSpec& model, const std::string& where);

// Parameters of the whole model by how they are sharded and read.
struct ParameterCounts {
  double attention = 0;  // all layers
  double dense_ffn = 0;  // all dense layers
  double router = 0;     // all MoE layers
  double routed = 0;     // all routed experts of all MoE layers
  double shared = 0;     // shared experts
  double embedding = 0;  // V*h, twice unless tied

  // Read in every iteration, whatever the tokens, without embeddings (P_act of a dense model).
  double always() const { return attention + dense_ffn + router; }
  double experts() const { return routed + shared; }
  double total() const { return always() + experts() + embedding; }
};

ParameterCounts count_parameters(const ModelSpec& model);

// Parameters that one token passes through, without embeddings.
double active_parameters(const ModelSpec& model);

// Attention parameters of one layer (of any ratio: DeepSeek-V4's compressors differ by ratio).
double attention_parameters(const ModelSpec& model, int64_t layer);

}  // namespace trex::perf
