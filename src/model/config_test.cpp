#include "model/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace trex::model {
namespace {

// The keys of the released Flash (deepseek-v4.md 1.1), without expert_dtype.
Json flash() {
  Json ratios = {0, 0};
  for (int i = 0; i < 20; ++i) ratios.insert(ratios.end(), {4, 128});
  ratios.push_back(4);
  ratios.push_back(0);
  Json json = Json::parse(
      R"({"architectures": ["DeepseekV4ForCausalLM"], "model_type": "deepseek_v4", "vocab_size": 129280,
    "hidden_size": 4096, "num_hidden_layers": 43, "num_nextn_predict_layers": 1, "num_attention_heads": 64,
    "num_key_value_heads": 1, "head_dim": 512, "qk_rope_head_dim": 64, "q_lora_rank": 1024, "o_groups": 8, "o_lora_rank": 1024,
    "sliding_window": 128, "compress_rope_theta": 160000, "rope_theta": 10000, "rope_scaling": {"type": "yarn", "factor": 16,
    "original_max_position_embeddings": 65536, "beta_fast": 32, "beta_slow": 1}, "max_position_embeddings": 1048576,
    "index_n_heads": 64, "index_head_dim": 128, "index_topk": 512, "n_routed_experts": 256, "n_shared_experts": 1,
    "num_experts_per_tok": 6, "moe_intermediate_size": 2048, "num_hash_layers": 3, "scoring_func": "sqrtsoftplus",
    "topk_method": "noaux_tc", "norm_topk_prob": true, "routed_scaling_factor": 1.5, "swiglu_limit": 10.0, "hc_mult": 4,
    "hc_sinkhorn_iters": 20, "hc_eps": 1e-6, "rms_norm_eps": 1e-6, "hidden_act": "silu", "attention_bias": false,
    "attention_dropout": 0.0, "initializer_range": 0.02, "tie_word_embeddings": false, "bos_token_id": 0, "eos_token_id": 1,
    "use_cache": true, "torch_dtype": "bfloat16", "quantization_config": {"quant_method": "fp8"}})");
  json["compress_ratios"] = ratios;
  return json;
}

Json flash_with(const char* key, Json value) {
  Json json = flash();
  json[key] = std::move(value);
  return json;
}

TEST(ModelConfig, ReadsTheReleasedFlash) {
  const ModelConfig config = config_from_json(flash(), "flash");
  EXPECT_EQ(config.hidden_size, 4096);
  EXPECT_EQ(config.num_blocks(), 44);
  EXPECT_EQ(config.compress_ratios.size(), 44u);
  EXPECT_EQ(config.attention_kind(1), AttentionKind::Sliding);
  EXPECT_EQ(config.attention_kind(2), AttentionKind::Csa);
  EXPECT_EQ(config.attention_kind(3), AttentionKind::Hca);
  EXPECT_EQ(config.attention_kind(43), AttentionKind::Sliding);
  EXPECT_TRUE(config.routes_by_hash(2));
  EXPECT_FALSE(config.routes_by_hash(3));
  EXPECT_EQ(config.rope_scaling->original_max_position_embeddings, 65536);
}

TEST(ModelConfig, RatiosMayLeaveOutTheMtpBlock) {
  Json json = flash();
  json["compress_ratios"].erase(43);
  EXPECT_EQ(config_from_json(json, "flash").compress_ratios,
            config_from_json(flash(), "flash").compress_ratios);
}

TEST(ModelConfig, ReadsProWithCompressedFirstLayers) {
  Json ratios = {128, 128};
  for (int i = 0; i < 29; ++i) ratios.insert(ratios.end(), {4, 128});
  ratios.push_back(4);
  ratios.push_back(0);
  Json json = flash_with("compress_ratios", ratios);
  json["num_hidden_layers"] = 61;
  json["num_attention_heads"] = 128;
  json["o_groups"] = 16;
  json["n_routed_experts"] = 384;
  const ModelConfig config = config_from_json(json, "pro");
  EXPECT_EQ(std::count(config.compress_ratios.begin(), config.compress_ratios.end(), 128), 31);
  EXPECT_EQ(config.attention_kind(0), AttentionKind::Hca);
}

TEST(ModelConfig, ModernNamesMeanTheSame) {
  const Path golden = Path(TREX_SOURCE_DIR) / "tests/golden/deepseek-v4-tiny";
  ModelConfig official = read_config(golden / "checkpoint/config.json");
  ModelConfig modern = read_config(golden / "hf_save/config.json");
  official.num_nextn_predict_layers = modern.num_nextn_predict_layers =
      0;  // transformers has no MTP block
  EXPECT_EQ(to_json(modern), to_json(official));
}

TEST(ModelConfig, WrittenConfigReadsBackTheSame) {
  for (const Json& json :
       {flash(), flash_with("tie_word_embeddings", true), flash_with("rope_scaling", nullptr),
        flash_with("sliding_windows", std::vector<int64_t>(44, 4))}) {
    const ModelConfig config = config_from_json(json, "flash");
    EXPECT_EQ(to_json(config_from_json(to_json(config), "again")), to_json(config));
  }
}

TEST(ModelConfig, ALayersWindowIsItsOwnWhereOneIsGiven) {
  EXPECT_EQ(config_from_json(flash(), "flash").window(7), 128);
  std::vector<int64_t> windows(44, 128);
  windows[7] = 4;
  const auto config = config_from_json(flash_with("sliding_windows", windows), "flash");
  EXPECT_EQ(config.window(7), 4);
  EXPECT_EQ(config.window(8), 128);
}

std::string error_of(const Json& json) {
  try {
    config_from_json(json, "config.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Input);
    return error.what();
  }
  return "no error";
}

TEST(ModelConfig, RefusalsNameTheField) {
  EXPECT_EQ(error_of(flash_with("o_groups", 7)),
            "config.json: o_groups: expected a divisor of 32768 (heads x head_dim); got 7");
  EXPECT_EQ(error_of(flash_with("qk_rope_head_dim", 63)),
            "config.json: qk_rope_head_dim: expected an even number up to 128 (head_dim, "
            "index_head_dim); got 63");
  EXPECT_EQ(error_of(flash_with("num_experts_per_tok", 257)),
            "config.json: num_experts_per_tok: expected 1 to 256 (n_routed_experts); got 257");
  EXPECT_EQ(error_of(flash_with("compress_ratios", {0, 4})),
            "config.json: compress_ratios: expected 43 entries, or 44 with the MTP block; got 2");
  EXPECT_EQ(error_of(flash_with("scoring_func", "softmax")),
            "config.json: scoring_func: expected \"sqrtsoftplus\"; got \"softmax\"");
  EXPECT_EQ(error_of(flash_with("sliding_windows", {4, 128})),
            "config.json: sliding_windows: expected none, or 44: one a layer and one for the MTP "
            "block; got 2");
  Json json = flash();
  json["compress_ratios"][5] = 64;
  EXPECT_EQ(error_of(json), "config.json: compress_ratios: expected 0, 4 or 128; got 64");
  json = flash();
  json["compress_ratios"][43] = 128;
  EXPECT_EQ(error_of(json), "config.json: compress_ratios: expected 0 for the MTP block; got 128");
  json = flash();
  json.erase("hidden_size");
  EXPECT_THAT(error_of(json), testing::HasSubstr("config.json: hidden_size: expected"));
}

}  // namespace
}  // namespace trex::model
