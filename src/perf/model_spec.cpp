#include "perf/model_spec.h"

#include <fmt/format.h>

#include "base/error.h"

namespace trex::perf {
namespace {

void require_positive(const ModelSpec& model, const std::string& where, const char* field,
                      int64_t value) {
  if (value <= 0) {
    throw input_error(where, model.name + "." + field, "at least 1", std::to_string(value));
  }
}

void validate_latent(const ModelSpec& model, const std::string& where) {
  require_positive(model, where, "latent.kv_rank", model.latent.kv_rank);
  require_positive(model, where, "latent.nope_dim", model.latent.nope_dim);
  require_positive(model, where, "latent.rope_dim", model.latent.rope_dim);
  require_positive(model, where, "latent.value_dim", model.latent.value_dim);
}

void validate_compressed(const ModelSpec& model, const std::string& where) {
  const CompressedSizes& sizes = model.compressed;
  if (static_cast<int64_t>(sizes.layer_ratios.size()) != model.num_layers) {
    throw input_error(where, model.name + ".compressed.layer_ratios",
                      fmt::format("{} values, one a layer", model.num_layers),
                      std::to_string(sizes.layer_ratios.size()));
  }
  for (const int64_t ratio : sizes.layer_ratios) {
    if (ratio != 0 && ratio != 4 && ratio != 128) {
      throw input_error(where, model.name + ".compressed.layer_ratios", "0, 4 or 128",
                        std::to_string(ratio));
    }
  }
  require_positive(model, where, "compressed.window", sizes.window);
  require_positive(model, where, "compressed.query_rank", sizes.query_rank);
  require_positive(model, where, "compressed.output_rank", sizes.output_rank);
  require_positive(model, where, "compressed.output_groups", sizes.output_groups);
  require_positive(model, where, "compressed.indexer_heads", sizes.indexer_heads);
  require_positive(model, where, "compressed.indexer_dim", sizes.indexer_dim);
  require_positive(model, where, "compressed.indexer_top_k", sizes.indexer_top_k);
}

void validate_moe(const ModelSpec& model, const std::string& where) {
  require_positive(model, where, "top_k", model.top_k);
  require_positive(model, where, "expert_ffn", model.expert_ffn);
  if (model.top_k > model.num_experts) {
    throw input_error(where, model.name + ".top_k",
                      fmt::format("at most the {} experts", model.num_experts),
                      std::to_string(model.top_k));
  }
  if (model.dense_layers < 0 || model.dense_layers >= model.num_layers) {
    throw input_error(where, model.name + ".dense_layers",
                      fmt::format("0 to {}", model.num_layers - 1),
                      std::to_string(model.dense_layers));
  }
  if (model.dense_layers > 0) require_positive(model, where, "ffn", model.ffn);
  if (model.shared_experts < 0) {
    throw input_error(where, model.name + ".shared_experts", "at least 0",
                      std::to_string(model.shared_experts));
  }
}

double latent_parameters(const ModelSpec& model) {
  const LatentSizes& s = model.latent;
  const double h = static_cast<double>(model.hidden);
  const double heads = static_cast<double>(model.num_heads);
  const double query_width = heads * static_cast<double>(s.nope_dim + s.rope_dim);
  const double rank = static_cast<double>(s.query_rank);
  const double query = rank > 0 ? h * rank + rank * query_width : h * query_width;
  const double kv_rank = static_cast<double>(s.kv_rank);
  return query + h * (kv_rank + static_cast<double>(s.rope_dim)) +
         kv_rank * heads * static_cast<double>(s.nope_dim + s.value_dim) +
         heads * static_cast<double>(s.value_dim) * h;
}

// Section 5.5's projections, with the compressors (m = 2 for ratio 4) and the indexer.
double compressed_parameters(const ModelSpec& model, int64_t ratio) {
  const CompressedSizes& s = model.compressed;
  const double h = static_cast<double>(model.hidden);
  const double heads = static_cast<double>(model.num_heads);
  const double dim = static_cast<double>(model.head_dim);
  const double q = static_cast<double>(s.query_rank);
  const double o = static_cast<double>(s.output_rank);
  const double groups = static_cast<double>(s.output_groups);
  double count = h * q + q * heads * dim + h * dim + heads * dim * o + groups * o * h;
  if (ratio == 0) return count;
  const double overlap = ratio == 4 ? 2 : 1;
  count += 2 * h * overlap * dim;
  if (ratio == 4) {
    const double index_heads = static_cast<double>(s.indexer_heads);
    const double index_dim = static_cast<double>(s.indexer_dim);
    count += q * index_heads * index_dim + h * index_heads + 2 * h * overlap * index_dim;
  }
  return count;
}

}  // namespace

void validate(const ModelSpec& model, const std::string& where) {
  require_positive(model, where, "num_layers", model.num_layers);
  require_positive(model, where, "hidden", model.hidden);
  require_positive(model, where, "vocab", model.vocab);
  require_positive(model, where, "num_heads", model.num_heads);
  require_positive(model, where, "num_kv_heads", model.num_kv_heads);
  require_positive(model, where, "head_dim", model.head_dim);
  if (model.num_heads % model.num_kv_heads != 0) {
    throw input_error(where, model.name + ".num_kv_heads",
                      fmt::format("a divisor of the {} heads", model.num_heads),
                      std::to_string(model.num_kv_heads));
  }
  if (model.windowed_layers < 0 || model.windowed_layers > model.num_layers) {
    throw input_error(where, model.name + ".windowed_layers",
                      fmt::format("0 to {}", model.num_layers),
                      std::to_string(model.windowed_layers));
  }
  if (model.windowed_layers > 0) require_positive(model, where, "window", model.window);
  if (model.attention == AttentionKind::Latent) validate_latent(model, where);
  if (model.attention == AttentionKind::Compressed) validate_compressed(model, where);
  if (model.is_moe()) {
    validate_moe(model, where);
  } else {
    require_positive(model, where, "ffn", model.ffn);
  }
}

double attention_parameters(const ModelSpec& model, int64_t layer) {
  if (model.attention == AttentionKind::Latent) return latent_parameters(model);
  if (model.attention == AttentionKind::Compressed) {
    return compressed_parameters(model, model.compressed.layer_ratios[static_cast<size_t>(layer)]);
  }
  const double h = static_cast<double>(model.hidden);
  const double d = static_cast<double>(model.head_dim);
  const double heads = static_cast<double>(model.num_heads);
  const double kv_heads = static_cast<double>(model.num_kv_heads);
  return h * d * (heads + 2 * kv_heads) + heads * d * h;
}

ParameterCounts count_parameters(const ModelSpec& model) {
  ParameterCounts counts;
  const double h = static_cast<double>(model.hidden);
  for (int64_t layer = 0; layer < model.num_layers; ++layer) {
    counts.attention += attention_parameters(model, layer);
  }
  const int64_t num_dense = model.is_moe() ? model.dense_layers : model.num_layers;
  counts.dense_ffn = static_cast<double>(num_dense) * (model.gated_ffn ? 3 : 2) * h *
                     static_cast<double>(model.ffn);
  const double moe_layers = static_cast<double>(model.moe_layers());
  const double expert = 3 * h * static_cast<double>(model.expert_ffn);
  counts.router = moe_layers * h * static_cast<double>(model.num_experts);
  counts.routed = moe_layers * static_cast<double>(model.num_experts) * expert;
  counts.shared = moe_layers * static_cast<double>(model.shared_experts) * expert;
  counts.embedding = static_cast<double>(model.vocab) * h * (model.tied_embeddings ? 1 : 2);
  return counts;
}

double active_parameters(const ModelSpec& model) {
  const ParameterCounts counts = count_parameters(model);
  const double share =
      model.is_moe() ? static_cast<double>(model.top_k) / static_cast<double>(model.num_experts)
                     : 0.0;
  return counts.always() + counts.shared + counts.routed * share;
}

}  // namespace trex::perf
