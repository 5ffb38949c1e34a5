// The architecture of a new model inside a recipe, under the official names of config.json
// (deepseek-v4 1.1). Plain data without LibTorch.
#pragma once

#include "config/settings.h"
#include "model/config.h"

namespace trex::train {

struct ModelSettings {
  // vocab_size and the special tokens come from the data and the tokenizer. The defaults are a
  // model that learns on two cores, with every mechanism of the architecture on.
  model::ModelConfig config{
      .hidden_size = 192,
      .num_hidden_layers = 5,
      .num_nextn_predict_layers = 1,
      .num_attention_heads = 4,
      .head_dim = 48,
      .qk_rope_head_dim = 16,
      .q_lora_rank = 96,
      .o_groups = 2,
      .o_lora_rank = 64,
      .sliding_window = 512,
      .max_position_embeddings = 4096,
      .compress_ratios = {0, 4, 16, 4, 0},
      .csa_ratio = 4,
      .hca_ratio = 16,
      .rope_scaling = model::Yarn{.original_max_position_embeddings = 4096},
      .index_n_heads = 4,
      .index_head_dim = 32,
      .index_topk = 32,
      .n_routed_experts = 8,
      .num_experts_per_tok = 2,
      .moe_intermediate_size = 192,
      .num_hash_layers = 1,
      .routed_scaling_factor = 1.5,
      .swiglu_limit = 10,
      .tie_word_embeddings = true,
  };

  template <class Visitor>
  void describe(Visitor&& visit) {
    using config::above, config::at_least;
    visit("hidden_size", config.hidden_size, "Width of the residual streams.", at_least(1));
    visit("num_hidden_layers", config.num_hidden_layers, "Layers.", at_least(1));
    visit("num_nextn_predict_layers", config.num_nextn_predict_layers,
          "Multi-token-prediction blocks.", config::in_range(0, 1));
    visit("num_attention_heads", config.num_attention_heads, "Attention heads.", at_least(1));
    visit("head_dim", config.head_dim, "Width of a head.", at_least(1));
    visit("qk_rope_head_dim", config.qk_rope_head_dim, "Rotary part of a head.", at_least(2));
    visit("q_lora_rank", config.q_lora_rank, "Rank of the query latent.", at_least(1));
    visit("o_groups", config.o_groups, "Groups of the output projection.", at_least(1));
    visit("o_lora_rank", config.o_lora_rank, "Rank of a group.", at_least(1));
    visit("sliding_window", config.sliding_window, "Tokens that every layer attends to exactly.",
          at_least(1));
    visit("sliding_windows", config.sliding_windows,
          "One a layer and one for the MTP block, where they differ; empty: sliding_window.",
          at_least(1));
    visit("max_position_embeddings", config.max_position_embeddings, "Longest context.",
          at_least(1));
    visit("compress_ratios", config.compress_ratios,
          "One a layer: 0 (sliding window only), csa_ratio or hca_ratio.", at_least(0));
    visit("csa_ratio", config.csa_ratio, "Tokens in a window of compressed sparse attention.",
          at_least(1));
    visit("hca_ratio", config.hca_ratio, "Tokens in a window of heavily compressed attention.",
          at_least(1));
    visit("rope_theta", config.rope_theta, "Rotary base of sliding layers.", above(0));
    visit("compress_rope_theta", config.compress_rope_theta, "Rotary base of compressed layers.",
          above(0));
    visit("index_n_heads", config.index_n_heads, "Heads of the lightning indexer.", at_least(1));
    visit("index_head_dim", config.index_head_dim, "Width of an indexer head.", at_least(1));
    visit("index_topk", config.index_topk, "Compressed windows that a query keeps.", at_least(1));
    visit("n_routed_experts", config.n_routed_experts, "Experts of a layer.", at_least(1));
    visit("num_experts_per_tok", config.num_experts_per_tok, "Experts of a token.", at_least(1));
    visit("moe_intermediate_size", config.moe_intermediate_size, "Width of an expert.",
          at_least(1));
    visit("num_hash_layers", config.num_hash_layers, "First layers, which route by token id.",
          at_least(0));
    visit("routed_scaling_factor", config.routed_scaling_factor, "Factor of the routed experts.",
          above(0));
    visit("swiglu_limit", config.swiglu_limit, "Clamp inside experts; 0: none.", at_least(0));
    visit("hc_mult", config.hc_mult, "Residual streams of the hyper-connections.", at_least(1));
    visit("hc_sinkhorn_iters", config.hc_sinkhorn_iters, "Rounds of Sinkhorn.", at_least(1));
    visit("initializer_range", config.initializer_range, "Standard deviation of new matrices.",
          above(0));
    visit("tie_word_embeddings", config.tie_word_embeddings, "Whether the head is the embedding.");
  }
};

}  // namespace trex::train
