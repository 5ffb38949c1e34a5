#include "perf/kv_cache.h"

#include <algorithm>

namespace trex::perf {
namespace {

// Sequences longer than this are refused everywhere.
constexpr int64_t kMostTokens = int64_t{1} << 40;

KvFunction compressed_kv(const ModelSpec& model, double element_bytes) {
  const CompressedSizes& sizes = model.compressed;
  const double head = static_cast<double>(model.head_dim);
  const double indexer = static_cast<double>(sizes.indexer_dim);
  KvFunction kv;
  kv.window = sizes.window;
  kv.compressed = {KvFunction::Entries{4, 0}, KvFunction::Entries{128, 0}};
  for (const int64_t ratio : sizes.layer_ratios) {
    kv.window_token_bytes += head * element_bytes;
    if (ratio == 0) continue;
    // The compressor keeps its running state in fp32; ratio 4 overlaps two windows (coff = 2).
    const double overlap = ratio == 4 ? 2 : 1;
    kv.fixed_bytes += 2 * static_cast<double>(ratio) * overlap * head * 4;
    auto& entries = kv.compressed[ratio == 4 ? 0 : 1];
    entries.bytes += head * element_bytes;
    if (ratio == 4) {
      entries.bytes += indexer * 0.5;  // 4-bit keys
      kv.fixed_bytes += 2 * 4 * 2 * indexer * 4;
    }
  }
  return kv;
}

}  // namespace

int64_t KvFunction::tokens_within(double capacity_bytes) const {
  if (bytes(1) > capacity_bytes) return 0;
  if (bytes(kMostTokens) <= capacity_bytes) return kMostTokens;
  int64_t fits = 1;
  int64_t too_many = kMostTokens;
  while (too_many - fits > 1) {
    const int64_t middle = fits + (too_many - fits) / 2;
    (bytes(middle) <= capacity_bytes ? fits : too_many) = middle;
  }
  return fits;
}

KvFunction KvFunction::scaled(double factor) const {
  KvFunction kv = *this;
  kv.fixed_bytes *= factor;
  kv.per_token_bytes *= factor;
  kv.window_token_bytes *= factor;
  for (Entries& entries : kv.compressed) entries.bytes *= factor;
  return kv;
}

KvFunction kv_of(const ModelSpec& model, double element_bytes) {
  if (model.attention == AttentionKind::Compressed) return compressed_kv(model, element_bytes);
  KvFunction kv;
  const double layers = static_cast<double>(model.num_layers);
  if (model.attention == AttentionKind::Latent) {
    kv.per_token_bytes =
        layers * static_cast<double>(model.latent.kv_rank + model.latent.rope_dim) * element_bytes;
    return kv;
  }
  const double per_layer =
      2 * static_cast<double>(model.num_kv_heads * model.head_dim) * element_bytes;
  const double windowed = static_cast<double>(model.windowed_layers);
  kv.per_token_bytes = (layers - windowed) * per_layer;
  kv.window = model.window;
  kv.window_token_bytes = windowed * per_layer;
  return kv;
}

int64_t kv_shards(const ModelSpec& model, int64_t tp) {
  return model.attention == AttentionKind::Grouped ? std::min(tp, model.num_kv_heads) : 1;
}

}  // namespace trex::perf
