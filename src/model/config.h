// The architecture of one model, as its official config.json describes it (deepseek-v4.md 1).
//
// Plain values without LibTorch: planners and the command line read it too. A ModelConfig that came
// from read_config or config_from_json has passed validate; code behind it trusts the fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/json.h"

namespace trex::model {

// What a layer attends to besides its sliding window.
enum class AttentionKind {
  Sliding,  // nothing
  Csa,      // compressed sparse attention: overlapping windows, chosen by the lightning indexer
  Hca,      // heavily compressed attention: all complete windows
};

// Stretching of the rotary frequencies in compressed layers (2.3).
struct Yarn {
  double factor = 16;
  int64_t original_max_position_embeddings = 65536;
  double beta_fast = 32;
  double beta_slow = 1;
};

// Field names are the official keys; letters are those of deepseek-v4.md section 0.
struct ModelConfig {
  int64_t vocab_size = 0;                // V
  int64_t hidden_size = 0;               // d
  int64_t num_hidden_layers = 0;         // L, without the MTP block
  int64_t num_nextn_predict_layers = 0;  // MTP blocks, 0 or 1
  int64_t num_attention_heads = 0;       // H
  int64_t head_dim = 0;                  // c
  int64_t qk_rope_head_dim = 0;          // r_d
  int64_t q_lora_rank = 0;               // r_q
  int64_t o_groups = 0;                  // g
  int64_t o_lora_rank = 0;               // r_o
  int64_t sliding_window = 0;            // win, the current token included
  // Optional, of our own: each layer's window and then the MTP block's, in place of the above.
  std::vector<int64_t> sliding_windows;
  int64_t max_position_embeddings = 0;

  // One ratio a layer, then one for the MTP block (always L + 1 entries here, the last one 0).
  std::vector<int64_t> compress_ratios;
  // Which ratio means which kind: compress_rates in config.json, 4 and 128 when it is absent.
  int64_t csa_ratio = 4;
  int64_t hca_ratio = 128;
  double rope_theta = 10000;            // layers with ratio 0
  double compress_rope_theta = 160000;  // layers with ratio > 0
  std::optional<Yarn> rope_scaling;     // layers with ratio > 0

  int64_t index_n_heads = 0;   // H_I
  int64_t index_head_dim = 0;  // c_I
  int64_t index_topk = 0;      // k_I

  int64_t n_routed_experts = 0;       // E
  int64_t num_experts_per_tok = 0;    // k
  int64_t moe_intermediate_size = 0;  // F
  int64_t num_hash_layers = 0;        // the first layers choose experts by token id
  double routed_scaling_factor = 1;
  double swiglu_limit = 0;  // L_s; 0: no clamp

  int64_t hc_mult = 4;  // n
  int64_t hc_sinkhorn_iters = 20;
  double hc_eps = 1e-6;
  double rms_norm_eps = 1e-6;
  double initializer_range = 0.02;
  bool tie_word_embeddings = false;  // the head is embed.weight
  int64_t bos_token_id = 0;
  int64_t eos_token_id = 1;

  // `layer` counts the MTP block as layer num_hidden_layers.
  AttentionKind attention_kind(int64_t layer) const;
  int64_t window(int64_t layer) const;  // tokens that the layer attends to exactly
  bool routes_by_hash(int64_t layer) const { return layer < num_hash_layers; }
  int64_t num_blocks() const { return num_hidden_layers + num_nextn_predict_layers; }
};

// Reads official key names, and the modern Hugging Face ones for what those rename (1.3):
// layer_types, mlp_layer_types, compress_rates, rope_parameters, partial_rotary_factor,
// num_local_experts. Keys that say nothing about the architecture are ignored. Throws Input naming
// the field.
ModelConfig config_from_json(const Json& json, const std::string& where);
ModelConfig read_config(const Path& file);

// Official key names; config_from_json gives back the same values.
Json to_json(const ModelConfig& config);

// Throws Input at `where` for values that no model can have (1.4).
void validate(const ModelConfig& config, const std::string& where);

}  // namespace trex::model
