// A model and data for tests, small enough to train in seconds.
#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "data/loader.h"
#include "model/config.h"
#include "model/parameters.h"
#include "model/reference/model.h"
#include "train/trainer.h"

namespace trex::train {

// Hidden width 32, three layers of which two are compressed, every mechanism on; vocabulary 64.
inline model::ModelConfig toy_config() {
  model::ModelConfig config{.vocab_size = 64,
                            .hidden_size = 32,
                            .num_hidden_layers = 3,
                            .num_nextn_predict_layers = 1,
                            .num_attention_heads = 2,
                            .head_dim = 16,
                            .qk_rope_head_dim = 8,
                            .q_lora_rank = 24,
                            .o_groups = 2,
                            .o_lora_rank = 12,
                            .sliding_window = 16,
                            .max_position_embeddings = 4096,
                            .compress_ratios = {0, 4, 8, 0},
                            .csa_ratio = 4,
                            .hca_ratio = 8,
                            .index_n_heads = 2,
                            .index_head_dim = 16,
                            .index_topk = 2,
                            .n_routed_experts = 4,
                            .num_experts_per_tok = 2,
                            .moe_intermediate_size = 32,
                            .num_hash_layers = 1,
                            .routed_scaling_factor = 1.5,
                            .swiglu_limit = 10,
                            .hc_mult = 2,
                            .hc_sinkhorn_iters = 4,
                            .initializer_range = 0.1,
                            .tie_word_embeddings = true};
  config.rope_scaling = model::Yarn{.original_max_position_embeddings = 4096};
  return config;
}

// The same in one layer without compression, a quarter of the work: for tests of what happens to
// any model.
inline model::ModelConfig shallow_toy_config() {
  model::ModelConfig config = toy_config();
  config.num_hidden_layers = 1;
  config.num_nextn_predict_layers = 0;
  config.compress_ratios = {0};
  return config;
}

inline LossFunction reference_losses(const model::ModelConfig& config) {
  return [config](const auto& parameters, const auto& batch, const auto& options) {
    return model::reference::compute_losses(config, parameters, batch, options);
  };
}

// A row of documents with the given lengths and then padding. Token and length patterns depend on
// `index`. Every token but a document's last has a target, unless `answers_from` is given: then
// only those at positions from it on.
inline data::PackedSequence toy_row(int64_t index, const std::vector<int32_t>& lengths,
                                    size_t seq_len, int32_t answers_from = 0) {
  data::PackedSequence row;
  for (size_t document = 0; document < lengths.size(); ++document) {
    for (int32_t position = 0; position < lengths[document]; ++position) {
      const auto token_at = [&](int32_t p) {
        return static_cast<int32_t>((index * 7 + int64_t(document) * 3 + p * (5 + index)) % 64);
      };
      const bool has_target = position + 1 < lengths[document] && position >= answers_from;
      row.tokens.push_back(token_at(position));
      row.targets.push_back(has_target ? token_at(position + 1) : data::kIgnoredTarget);
      row.documents.push_back(static_cast<int32_t>(document));
      row.positions.push_back(position);
      row.sources.push_back(static_cast<int32_t>(index % 2));
    }
  }
  while (row.tokens.size() < seq_len) {
    row.tokens.push_back(0);
    row.targets.push_back(data::kIgnoredTarget);
    row.documents.push_back(data::kPaddingDocument);
    row.positions.push_back(0);
    row.sources.push_back(static_cast<int32_t>(index % 2));
  }
  return row;
}

}  // namespace trex::train
