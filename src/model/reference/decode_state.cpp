#include "model/reference/decode_state.h"

#include <algorithm>

#include "model/reference/sink_attention.h"

namespace trex::model::reference {
namespace {

int64_t ratio_of(const ModelConfig& config, AttentionKind kind) {
  return kind == AttentionKind::Csa ? config.csa_ratio : config.hca_ratio;
}

ContributionRing make_ring(AttentionKind kind, int64_t num_sequences, int64_t ratio,
                           int64_t max_chunk, int64_t dim, const torch::TensorOptions& options) {
  const int64_t overlap = kind == AttentionKind::Csa ? 2 : 1;
  const int64_t needed = overlap * ratio + max_chunk;
  const int64_t size = (needed + ratio - 1) / ratio * ratio;  // windows do not wrap around
  return {torch::zeros({num_sequences, size, overlap * dim}, options),
          torch::zeros({num_sequences, size, overlap * dim}, options)};
}

torch::Tensor selected(const torch::Tensor& tensor, const torch::Tensor& index) {
  return tensor.defined() ? tensor.index_select(0, index) : tensor;
}

}  // namespace

DecodeState DecodeState::make(const ModelConfig& config, const Parameters& parameters,
                              int64_t num_sequences, int64_t max_length, int64_t max_chunk) {
  const auto dtype =
      c10::promoteTypes(parameters.at("embed.weight").scalar_type(), torch::kFloat32);
  const auto options = torch::TensorOptions().dtype(dtype);
  DecodeState state;
  state.length_N = torch::zeros({num_sequences}, torch::kInt64);
  state.max_length = max_length;
  state.max_chunk = max_chunk;
  // Padding behind a short last chunk may stand beyond max_length, but must not wrap around to a
  // key in sight.
  int64_t longest_window = 0;
  for (int64_t l = 0; l < config.num_hidden_layers; ++l) {
    longest_window = std::max(longest_window, config.window(l));
  }
  state.key_ring_size = std::min(longest_window - 1, max_length) + max_chunk;
  for (int64_t l = 0; l < config.num_hidden_layers; ++l) {
    const AttentionKind kind = config.attention_kind(l);
    const int64_t ratio = ratio_of(config, kind);
    const int64_t num_entries = kind == AttentionKind::Sliding ? 0 : max_length / ratio;
    LayerState layer;
    layer.key_NKX = torch::zeros(
        {num_sequences, 1 + num_entries + state.key_ring_size, config.head_dim + 1}, options);
    layer.key_NKX.narrow(1, 0, 1).copy_(sink_key(num_sequences, config.head_dim, options));
    if (kind != AttentionKind::Sliding) {
      layer.contributions =
          make_ring(kind, num_sequences, ratio, max_chunk, config.head_dim, options);
    }
    if (kind == AttentionKind::Csa) {
      layer.index_key_NWC =
          torch::zeros({num_sequences, num_entries, config.index_head_dim}, options);
      layer.index_contributions =
          make_ring(kind, num_sequences, ratio, max_chunk, config.index_head_dim, options);
    }
    state.layers.push_back(std::move(layer));
  }
  return state;
}

DecodeState DecodeState::select(const torch::Tensor& index) const {
  DecodeState state = *this;
  state.length_N = length_N.index_select(0, index);
  for (LayerState& layer : state.layers) {
    layer.key_NKX = layer.key_NKX.index_select(0, index);
    layer.index_key_NWC = selected(layer.index_key_NWC, index);
    for (ContributionRing* ring : {&layer.contributions, &layer.index_contributions}) {
      ring->value_NRC = selected(ring->value_NRC, index);
      ring->gate_NRC = selected(ring->gate_NRC, index);
    }
  }
  return state;
}

}  // namespace trex::model::reference
