#include "perf/hf_config.h"

#include <algorithm>

#include "base/error.h"

namespace trex::perf {
namespace {

bool is_given(const JsonObject& config, const std::string& key) {
  return config.has(key) && !config.json()[key].is_null();
}

// The first of several spellings of one key; 0 when none is given.
int64_t first_of(const JsonObject& config, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (is_given(config, key)) return config.integer(key);
  }
  return 0;
}

void read_experts(const JsonObject& config, ModelSpec& model) {
  model.num_experts = first_of(config, {"n_routed_experts", "num_local_experts", "num_experts"});
  if (!model.is_moe()) return;
  model.top_k = first_of(config, {"num_experts_per_tok", "experts_per_token", "moe_topk"});
  model.expert_ffn = first_of(config, {"moe_intermediate_size", "intermediate_size"});
  model.shared_experts = first_of(config, {"n_shared_experts", "num_shared_experts"});
  model.dense_layers = first_of(config, {"first_k_dense_replace"});
}

void read_latent(const JsonObject& config, ModelSpec& model) {
  model.attention = AttentionKind::Latent;
  model.num_kv_heads = 1;
  model.latent = {first_of(config, {"q_lora_rank"}), config.integer("kv_lora_rank"),
                  config.integer("qk_nope_head_dim"), config.integer("qk_rope_head_dim"),
                  config.integer("v_head_dim")};
  model.head_dim = model.latent.nope_dim + model.latent.rope_dim;
}

std::vector<int64_t> layer_ratios(const JsonObject& config, int64_t num_layers) {
  std::vector<int64_t> ratios;
  if (is_given(config, "compress_ratios")) {
    ratios = config.integers("compress_ratios");
    // One more than the layers: the last is the multi-token-prediction block's.
    if (static_cast<int64_t>(ratios.size()) == num_layers + 1) ratios.pop_back();
    return ratios;
  }
  for (const std::string& type : config.strings("layer_types")) {
    ratios.push_back(type.starts_with("sliding")                              ? 0
                     : type.starts_with("compressed_sparse") || type == "csa" ? 4
                                                                              : 128);
  }
  return ratios;
}

void read_compressed(const JsonObject& config, ModelSpec& model) {
  model.attention = AttentionKind::Compressed;
  model.num_kv_heads = 1;
  model.compressed = {.layer_ratios = layer_ratios(config, model.num_layers),
                      .window = first_of(config, {"sliding_window", "window_size"}),
                      .query_rank = config.integer("q_lora_rank"),
                      .output_rank = config.integer("o_lora_rank"),
                      .output_groups = config.integer("o_groups"),
                      .indexer_heads = config.integer("index_n_heads"),
                      .indexer_dim = config.integer("index_head_dim"),
                      .indexer_top_k = config.integer("index_topk")};
}

void read_window(const JsonObject& config, ModelSpec& model) {
  if (!is_given(config, "sliding_window") || !config.boolean_or("use_sliding_window", true)) return;
  model.window = config.integer("sliding_window");
  model.windowed_layers = model.num_layers;
  if (!is_given(config, "layer_types")) return;
  const auto types = config.strings("layer_types");
  model.windowed_layers = std::count(types.begin(), types.end(), "sliding_attention");
}

}  // namespace

ModelSpec model_from_hf_json(const JsonObject& config, const std::string& name) {
  ModelSpec model;
  model.name = name;
  model.source = config.where();
  model.num_layers = config.integer("num_hidden_layers");
  model.hidden = config.integer("hidden_size");
  model.vocab = config.integer("vocab_size");
  model.num_heads = config.integer("num_attention_heads");
  model.num_kv_heads = first_of(config, {"num_key_value_heads", "num_attention_heads"});
  model.head_dim = first_of(config, {"head_dim"});
  if (model.head_dim == 0 && model.num_heads > 0) model.head_dim = model.hidden / model.num_heads;
  model.tied_embeddings =
      is_given(config, "tie_word_embeddings") && config.boolean("tie_word_embeddings");
  model.max_context = first_of(config, {"max_position_embeddings"});
  read_experts(config, model);
  if (!model.is_moe() || model.dense_layers > 0) model.ffn = config.integer("intermediate_size");
  if (is_given(config, "o_lora_rank")) {
    read_compressed(config, model);
  } else if (is_given(config, "kv_lora_rank")) {
    read_latent(config, model);
  } else {
    read_window(config, model);
  }
  validate(model, config.where());
  return model;
}

ModelSpec model_from_hf_config(const Path& path) {
  const Path file = std::filesystem::is_directory(path) ? path / "config.json" : path;
  const Json json = parse_json(read_file(file), file.string());
  const std::string folder = std::filesystem::absolute(file).parent_path().filename().string();
  return model_from_hf_json(JsonObject(json, file.string()), folder);
}

}  // namespace trex::perf
