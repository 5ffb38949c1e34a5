#include "model/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "base/text.h"

namespace trex::model {
namespace {

// Entries of layer_types (1.3).
constexpr std::string_view kSliding = "sliding_attention";
constexpr std::string_view kCsa = "compressed_sparse_attention";
constexpr std::string_view kHca = "heavily_compressed_attention";

// A key and the newer name that transformers writes for it.
int64_t integer_under(const JsonObject& json, std::string_view official, std::string_view modern) {
  return json.integer(json.has(official) || !json.has(modern) ? official : modern);
}

void read_ratios(const JsonObject& json, ModelConfig& config) {
  if (json.has("compress_rates")) {
    const JsonObject rates = json.object("compress_rates");
    config.csa_ratio = rates.integer_or(kCsa, config.csa_ratio);
    config.hca_ratio = rates.integer_or(kHca, config.hca_ratio);
  }
  if (json.has("layer_types") && !json.has("compress_ratios")) {
    for (const std::string& type : json.strings("layer_types")) {
      if (type != kSliding && type != kCsa && type != kHca) {
        throw json.error("layer_types", fmt::format("{}, {} or {}", kSliding, kCsa, kHca),
                         in_quotes(type));
      }
      config.compress_ratios.push_back(type == kCsa   ? config.csa_ratio
                                       : type == kHca ? config.hca_ratio
                                                      : 0);
    }
  } else {
    config.compress_ratios = json.integers("compress_ratios");
  }
  const auto given = static_cast<int64_t>(config.compress_ratios.size());
  if (given != config.num_hidden_layers && given != config.num_hidden_layers + 1) {
    throw json.error("compress_ratios",
                     fmt::format("{0} entries, or {1} with the MTP block", config.num_hidden_layers,
                                 config.num_hidden_layers + 1),
                     std::to_string(given));
  }
  if (given == config.num_hidden_layers) config.compress_ratios.push_back(0);
}

Yarn read_yarn(const JsonObject& json) {
  Yarn yarn;
  yarn.factor = json.number("factor");
  yarn.original_max_position_embeddings = json.integer("original_max_position_embeddings");
  yarn.beta_fast = json.number_or("beta_fast", yarn.beta_fast);
  yarn.beta_slow = json.number_or("beta_slow", yarn.beta_slow);
  return yarn;
}

// rope_scaling of the release, or rope_parameters.compress of transformers. The latter's
// attention_factor is never applied: V4 has no amplitude (2.3).
void read_rotary(const JsonObject& json, ModelConfig& config) {
  config.rope_theta = json.number_or("rope_theta", config.rope_theta);
  config.compress_rope_theta = json.number_or("compress_rope_theta", config.compress_rope_theta);
  const auto read_scaling = [&](const JsonObject& scaling, std::string_view type_key) {
    const std::string type = scaling.string_or(type_key, "default");
    if (type == "yarn")
      config.rope_scaling = read_yarn(scaling);
    else if (type != "default")
      throw scaling.error(type_key, "yarn or default", in_quotes(type));
  };
  if (json.has("rope_parameters")) {
    const JsonObject both = json.object("rope_parameters");
    config.rope_theta = both.object("main").number_or("rope_theta", config.rope_theta);
    const JsonObject compress = both.object("compress");
    config.compress_rope_theta = compress.number_or("rope_theta", config.compress_rope_theta);
    read_scaling(compress, "rope_type");
  } else if (json.has("rope_scaling") && !json.json()["rope_scaling"].is_null()) {
    read_scaling(json.object("rope_scaling"), "type");
  }
  if (json.has("qk_rope_head_dim") || !json.has("partial_rotary_factor")) {
    config.qk_rope_head_dim = json.integer("qk_rope_head_dim");
  } else {
    config.qk_rope_head_dim =
        std::lround(json.number("partial_rotary_factor") * static_cast<double>(config.head_dim));
  }
}

void read_experts(const JsonObject& json, ModelConfig& config) {
  config.n_routed_experts = integer_under(json, "n_routed_experts", "num_local_experts");
  config.num_experts_per_tok = json.integer("num_experts_per_tok");
  config.moe_intermediate_size = integer_under(json, "moe_intermediate_size", "intermediate_size");
  config.routed_scaling_factor = json.number("routed_scaling_factor");
  config.swiglu_limit = json.number("swiglu_limit");
  if (json.has("num_hash_layers") || !json.has("mlp_layer_types")) {
    config.num_hash_layers = json.integer("num_hash_layers");
    return;
  }
  const auto types = json.strings("mlp_layer_types");
  const auto first_scored =
      std::find_if(types.begin(), types.end(), [](const auto& type) { return type != "hash_moe"; });
  for (auto type = first_scored; type != types.end(); ++type) {
    if (*type != "moe")
      throw json.error("mlp_layer_types", "hash_moe in the first layers, then moe",
                       in_quotes(*type));
  }
  config.num_hash_layers = first_scored - types.begin();
}

// What the architecture fixes: another value would be another model.
void expect_fixed_choices(const JsonObject& json) {
  const auto expect_text = [&](std::string_view key, const std::string& value) {
    const std::string got = json.string_or(key, value);
    if (got != value) throw json.error(key, in_quotes(value), in_quotes(got));
  };
  expect_text("model_type", "deepseek_v4");
  expect_text("scoring_func", "sqrtsoftplus");
  expect_text("topk_method", "noaux_tc");
  expect_text("hidden_act", "silu");
  const auto expect_one = [&](std::string_view key) {
    const int64_t got = json.integer_or(key, 1);
    if (got != 1) throw json.error(key, "1", std::to_string(got));
  };
  expect_one("num_key_value_heads");
  expect_one("n_shared_experts");
  if (!json.boolean_or("norm_topk_prob", true)) throw json.error("norm_topk_prob", "true", "false");
  if (json.boolean_or("attention_bias", false)) throw json.error("attention_bias", "false", "true");
}

}  // namespace

AttentionKind ModelConfig::attention_kind(int64_t layer) const {
  const int64_t ratio = compress_ratios[static_cast<size_t>(layer)];
  if (ratio == 0) return AttentionKind::Sliding;
  return ratio == csa_ratio ? AttentionKind::Csa : AttentionKind::Hca;
}

int64_t ModelConfig::window(int64_t layer) const {
  return sliding_windows.empty() ? sliding_window : sliding_windows[static_cast<size_t>(layer)];
}

ModelConfig config_from_json(const Json& value, const std::string& where) {
  const JsonObject json(value, where);
  expect_fixed_choices(json);
  ModelConfig config;
  config.vocab_size = json.integer("vocab_size");
  config.hidden_size = json.integer("hidden_size");
  config.num_hidden_layers = json.integer("num_hidden_layers");
  config.num_nextn_predict_layers = json.integer_or("num_nextn_predict_layers", 0);
  config.num_attention_heads = json.integer("num_attention_heads");
  config.head_dim = json.integer("head_dim");
  config.q_lora_rank = json.integer("q_lora_rank");
  config.o_groups = json.integer("o_groups");
  config.o_lora_rank = json.integer("o_lora_rank");
  config.sliding_window = json.integer("sliding_window");
  if (json.has("sliding_windows")) config.sliding_windows = json.integers("sliding_windows");
  config.max_position_embeddings = json.integer("max_position_embeddings");
  read_ratios(json, config);
  read_rotary(json, config);
  config.index_n_heads = json.integer("index_n_heads");
  config.index_head_dim = json.integer("index_head_dim");
  config.index_topk = json.integer("index_topk");
  read_experts(json, config);
  config.hc_mult = json.integer_or("hc_mult", config.hc_mult);
  config.hc_sinkhorn_iters = json.integer_or("hc_sinkhorn_iters", config.hc_sinkhorn_iters);
  config.hc_eps = json.number_or("hc_eps", config.hc_eps);
  config.rms_norm_eps = json.number_or("rms_norm_eps", config.rms_norm_eps);
  config.initializer_range = json.number_or("initializer_range", config.initializer_range);
  config.tie_word_embeddings = json.boolean_or("tie_word_embeddings", false);
  config.bos_token_id = json.integer_or("bos_token_id", config.bos_token_id);
  config.eos_token_id = json.integer_or("eos_token_id", config.eos_token_id);
  validate(config, where);
  return config;
}

ModelConfig read_config(const Path& file) {
  return config_from_json(parse_json(read_file(file), file.string()), file.string());
}

void validate(const ModelConfig& c, const std::string& where) {
  const auto require = [&](bool holds, const char* field, const std::string& expected, auto got) {
    if (!holds) throw input_error(where, field, expected, fmt::format("{}", got));
  };
  const auto positive = [&](const char* field, int64_t value) {
    require(value > 0, field, "at least 1", value);
  };
  positive("vocab_size", c.vocab_size);
  positive("hidden_size", c.hidden_size);
  positive("num_hidden_layers", c.num_hidden_layers);
  positive("num_attention_heads", c.num_attention_heads);
  positive("head_dim", c.head_dim);
  positive("q_lora_rank", c.q_lora_rank);
  positive("o_groups", c.o_groups);
  positive("o_lora_rank", c.o_lora_rank);
  positive("sliding_window", c.sliding_window);
  const auto num_windows = static_cast<int64_t>(c.sliding_windows.size());
  require(
      num_windows == 0 || num_windows == c.num_hidden_layers + 1, "sliding_windows",
      fmt::format("none, or {}: one a layer and one for the MTP block", c.num_hidden_layers + 1),
      num_windows);
  for (const int64_t window : c.sliding_windows) positive("sliding_windows", window);
  positive("n_routed_experts", c.n_routed_experts);
  positive("moe_intermediate_size", c.moe_intermediate_size);
  positive("hc_mult", c.hc_mult);
  positive("hc_sinkhorn_iters", c.hc_sinkhorn_iters);
  positive("index_n_heads", c.index_n_heads);
  positive("index_topk", c.index_topk);
  require(c.num_nextn_predict_layers == 0 || c.num_nextn_predict_layers == 1,
          "num_nextn_predict_layers", "0 or 1", c.num_nextn_predict_layers);
  require(c.num_attention_heads * c.head_dim % c.o_groups == 0, "o_groups",
          fmt::format("a divisor of {} (heads x head_dim)", c.num_attention_heads * c.head_dim),
          c.o_groups);
  const int64_t max_rotary = std::min(c.head_dim, c.index_head_dim);
  require(c.qk_rope_head_dim > 0 && c.qk_rope_head_dim % 2 == 0 && c.qk_rope_head_dim <= max_rotary,
          "qk_rope_head_dim",
          fmt::format("an even number up to {} (head_dim, index_head_dim)", max_rotary),
          c.qk_rope_head_dim);
  require(c.num_experts_per_tok > 0 && c.num_experts_per_tok <= c.n_routed_experts,
          "num_experts_per_tok", fmt::format("1 to {} (n_routed_experts)", c.n_routed_experts),
          c.num_experts_per_tok);
  require(c.num_hash_layers >= 0 && c.num_hash_layers <= c.num_hidden_layers, "num_hash_layers",
          fmt::format("0 to {} (num_hidden_layers)", c.num_hidden_layers), c.num_hash_layers);
  require(c.csa_ratio > 0 && c.hca_ratio > 0 && c.csa_ratio != c.hca_ratio, "compress_rates",
          "two different ratios above 0", fmt::format("{} and {}", c.csa_ratio, c.hca_ratio));
  for (const int64_t ratio : c.compress_ratios) {
    require(ratio == 0 || ratio == c.csa_ratio || ratio == c.hca_ratio, "compress_ratios",
            fmt::format("0, {} or {}", c.csa_ratio, c.hca_ratio), ratio);
  }
  require(c.compress_ratios.back() == 0 || c.num_nextn_predict_layers == 0, "compress_ratios",
          "0 for the MTP block", c.compress_ratios.back());
  require(c.rms_norm_eps > 0 && c.hc_eps > 0, "rms_norm_eps", "eps above 0",
          std::min(c.rms_norm_eps, c.hc_eps));
  require(c.swiglu_limit >= 0, "swiglu_limit", "at least 0", c.swiglu_limit);
  require(c.rope_theta > 1 && c.compress_rope_theta > 1, "rope_theta", "above 1",
          std::min(c.rope_theta, c.compress_rope_theta));
  if (c.rope_scaling) {
    require(c.rope_scaling->factor >= 1, "rope_scaling.factor", "at least 1",
            c.rope_scaling->factor);
    require(c.rope_scaling->original_max_position_embeddings > 0,
            "rope_scaling.original_max_position_embeddings", "at least 1",
            c.rope_scaling->original_max_position_embeddings);
  }
}

Json to_json(const ModelConfig& c) {
  Json json = {{"architectures", {"DeepseekV4ForCausalLM"}},
               {"model_type", "deepseek_v4"},
               {"vocab_size", c.vocab_size},
               {"hidden_size", c.hidden_size},
               {"num_hidden_layers", c.num_hidden_layers},
               {"num_nextn_predict_layers", c.num_nextn_predict_layers},
               {"num_attention_heads", c.num_attention_heads},
               {"num_key_value_heads", 1},
               {"head_dim", c.head_dim},
               {"qk_rope_head_dim", c.qk_rope_head_dim},
               {"q_lora_rank", c.q_lora_rank},
               {"o_groups", c.o_groups},
               {"o_lora_rank", c.o_lora_rank},
               {"sliding_window", c.sliding_window},
               {"compress_ratios", c.compress_ratios},
               {"compress_rates", {{kCsa, c.csa_ratio}, {kHca, c.hca_ratio}}},
               {"compress_rope_theta", c.compress_rope_theta},
               {"rope_theta", c.rope_theta}};
  if (c.rope_scaling) {
    json["rope_scaling"] = {
        {"type", "yarn"},
        {"factor", c.rope_scaling->factor},
        {"original_max_position_embeddings", c.rope_scaling->original_max_position_embeddings},
        {"beta_fast", c.rope_scaling->beta_fast},
        {"beta_slow", c.rope_scaling->beta_slow}};
  }
  const Json rest = {{"max_position_embeddings", c.max_position_embeddings},
                     {"index_n_heads", c.index_n_heads},
                     {"index_head_dim", c.index_head_dim},
                     {"index_topk", c.index_topk},
                     {"n_routed_experts", c.n_routed_experts},
                     {"n_shared_experts", 1},
                     {"num_experts_per_tok", c.num_experts_per_tok},
                     {"moe_intermediate_size", c.moe_intermediate_size},
                     {"num_hash_layers", c.num_hash_layers},
                     {"scoring_func", "sqrtsoftplus"},
                     {"topk_method", "noaux_tc"},
                     {"norm_topk_prob", true},
                     {"routed_scaling_factor", c.routed_scaling_factor},
                     {"swiglu_limit", c.swiglu_limit},
                     {"hc_mult", c.hc_mult},
                     {"hc_sinkhorn_iters", c.hc_sinkhorn_iters},
                     {"hc_eps", c.hc_eps},
                     {"rms_norm_eps", c.rms_norm_eps},
                     {"hidden_act", "silu"},
                     {"attention_bias", false},
                     {"attention_dropout", 0.0},
                     {"initializer_range", c.initializer_range},
                     {"tie_word_embeddings", c.tie_word_embeddings},
                     {"bos_token_id", c.bos_token_id},
                     {"eos_token_id", c.eos_token_id}};
  json.update(rest);
  if (!c.sliding_windows.empty()) json["sliding_windows"] = c.sliding_windows;
  return json;
}

}  // namespace trex::model
