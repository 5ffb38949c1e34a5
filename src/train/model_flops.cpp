#include "train/model_flops.h"

#include <algorithm>

#include "base/check.h"

namespace trex::train {
namespace {

using model::AttentionKind;
using model::ModelConfig;

int64_t compressor_parameters(AttentionKind kind, int64_t hidden, int64_t width) {
  // CSA's windows overlap: keys and gates for two windows at once.
  const int64_t overlap = kind == AttentionKind::Csa ? 2 : 1;
  return 2 * overlap * width * hidden;
}

int64_t indexer_parameters(const ModelConfig& c) {
  return c.index_n_heads * c.index_head_dim * c.q_lora_rank + c.index_n_heads * c.hidden_size +
         compressor_parameters(AttentionKind::Csa, c.hidden_size, c.index_head_dim);
}

// Without the indexer.
int64_t block_parameters(const ModelConfig& c, AttentionKind kind) {
  const int64_t d = c.hidden_size, n = c.hc_mult;
  const int64_t heads = c.num_attention_heads * c.head_dim;
  const int64_t query = c.q_lora_rank * (d + heads);
  const int64_t key_value = c.head_dim * d;
  const int64_t output = c.o_lora_rank * heads + d * c.o_groups * c.o_lora_rank;
  const int64_t compressor =
      kind == AttentionKind::Sliding ? 0 : compressor_parameters(kind, d, c.head_dim);
  const int64_t experts =
      c.n_routed_experts * d + 3 * d * c.moe_intermediate_size * (c.num_experts_per_tok + 1);
  const int64_t hyper_connections = 2 * (2 + n) * n * n * d;
  return query + key_value + output + compressor + experts + hyper_connections;
}

int64_t head_parameters(const ModelConfig& c) {
  return c.vocab_size * c.hidden_size + c.hc_mult * c.hc_mult * c.hidden_size;
}

int64_t window_ratio(const ModelConfig& c, AttentionKind kind) {
  return kind == AttentionKind::Csa ? c.csa_ratio : c.hca_ratio;
}

// Scores and weighted sum over the keys that a query at `position` sees.
double core_flops(const ModelConfig& c, int64_t layer, int64_t position) {
  const AttentionKind kind = c.attention_kind(layer);
  int64_t keys = std::min(position + 1, c.window(layer));
  if (kind != AttentionKind::Sliding) {
    const int64_t windows = (position + 1) / window_ratio(c, kind);
    keys += kind == AttentionKind::Csa ? std::min(c.index_topk, windows) : windows;
  }
  return 4.0 * double(c.num_attention_heads * c.head_dim) * double(keys);
}

double indexer_flops(const ModelConfig& c, int64_t position) {
  const double scores =
      2.0 * double(c.index_n_heads * c.index_head_dim) * double((position + 1) / c.csa_ratio);
  return 2.0 * double(indexer_parameters(c)) + scores;
}

double times(PartUse use) { return use == PartUse::Trained ? 3 : (use == PartUse::Absent ? 0 : 1); }

}  // namespace

int64_t matmul_parameters(const ModelConfig& config) {
  int64_t sum = head_parameters(config);
  for (int64_t layer = 0; layer < config.num_hidden_layers; ++layer) {
    const AttentionKind kind = config.attention_kind(layer);
    sum += block_parameters(config, kind);
    if (kind == AttentionKind::Csa) sum += indexer_parameters(config);
  }
  return sum;
}

ModelFlops::ModelFlops(const ModelConfig& config, int64_t num_positions,
                       const FlopOptions& options) {
  int64_t num_csa = 0;
  for (int64_t layer = 0; layer < config.num_hidden_layers; ++layer) {
    num_csa += config.attention_kind(layer) == AttentionKind::Csa;
  }
  const double main_matmul =
      2.0 * double(matmul_parameters(config) - num_csa * indexer_parameters(config));
  const int64_t mtp_parameters = block_parameters(config, AttentionKind::Sliding) +
                                 2 * config.hidden_size * config.hidden_size +
                                 head_parameters(config);
  const bool has_mtp = options.mtp != PartUse::Absent && config.num_nextn_predict_layers > 0;
  for (int64_t position = 0; position < num_positions; ++position) {
    double trained = main_matmul;
    for (int64_t layer = 0; layer < config.num_hidden_layers; ++layer) {
      trained += core_flops(config, layer, position);
    }
    if (has_mtp) {
      trained +=
          2.0 * double(mtp_parameters) + core_flops(config, config.num_hidden_layers, position);
    }
    const double indexer = double(num_csa) * indexer_flops(config, position);
    forward_.push_back(trained + std::min(1.0, times(options.indexer)) * indexer);
    training_.push_back(3 * trained + times(options.indexer) * indexer);
  }
}

double ModelFlops::training(const model::Batch& batch) const {
  const auto position = batch.position_BS.contiguous().view(-1);
  const auto document = batch.document_BS.contiguous().view(-1);
  double sum = 0;
  for (int64_t i = 0; i < position.numel(); ++i) {
    if (document.data_ptr<int64_t>()[i] == model::kPadding) continue;
    sum += training(position.data_ptr<int64_t>()[i]);
  }
  return sum;
}

}  // namespace trex::train
