#include "model/reference/decode.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "model/reference/arithmetic.h"
#include "model/reference/attention.h"
#include "model/reference/block.h"
#include "model/reference/compressor.h"
#include "model/reference/indexer.h"
#include "model/reference/rotary.h"
#include "model/reference/sink_attention.h"

namespace trex::model::reference {
namespace {

// The chunk that all sequences are extended by.
struct Chunk {
  torch::Tensor position_NS;
  torch::Tensor end_N;  // length of each sequence with the chunk
  int64_t num_sequences, num_tokens;
};

// Writes row values [N, S, C] to the ring slots of their positions.
void write_ring_(const torch::Tensor& ring_NRC, const torch::Tensor& value_NSC,
                 const torch::Tensor& position_NS) {
  const auto slot = position_NS.remainder(ring_NRC.size(1)).unsqueeze(2).expand_as(value_NSC);
  ring_NRC.scatter_(1, slot, value_NSC);
}

// A window that the chunk completes, in any of the sequences.
struct CompletedWindows {
  torch::Tensor sequence_P;
  torch::Tensor window_P;
};

CompletedWindows completed_windows(const Chunk& chunk, int64_t ratio) {
  const auto is_end_NS = (chunk.position_NS + 1).remainder(ratio).eq(0) &
                         (chunk.position_NS < chunk.end_N.unsqueeze(1));
  const auto place_P2 = is_end_NS.nonzero();
  const auto sequence_P = place_P2.select(1, 0);
  const auto end_P = chunk.position_NS.index({sequence_P, place_P2.select(1, 1)});
  return {sequence_P, end_P.floor_divide(ratio)};
}

// [P, M, C] of a window's tokens in the ring; windows lie in it in one piece.
torch::Tensor window_of_ring(const torch::Tensor& ring_NRC, const torch::Tensor& sequence_P,
                             const torch::Tensor& window_P, int64_t ratio) {
  const int64_t num_windows = ring_NRC.size(1) / ratio;
  const auto by_window = ring_NRC.unflatten(1, {num_windows, ratio});
  return by_window.index({sequence_P, window_P.remainder(num_windows)});
}

// The slots that pool into an entry: in CSA layers the previous window's first channel halves, then
// the own second ones.
torch::Tensor slots_of(AttentionKind kind, const torch::Tensor& ring_NRC,
                       const CompletedWindows& windows, int64_t ratio, double missing) {
  const auto own = window_of_ring(ring_NRC, windows.sequence_P, windows.window_P, ratio);
  if (kind == AttentionKind::Hca) return own;
  const auto previous =
      window_of_ring(ring_NRC, windows.sequence_P, windows.window_P - 1, ratio).chunk(2, -1)[0];
  const auto is_first = windows.window_P.eq(0).view({-1, 1, 1});
  return torch::cat({previous.masked_fill(is_first, missing), own.chunk(2, -1)[1]}, 1);
}

struct NewEntries {
  CompletedWindows windows;
  torch::Tensor entry_PC;
};

// Takes the chunk into the ring of contributions and makes the entries that it completes.
NewEntries compress_(const ModelConfig& config, AttentionKind kind, const torch::Tensor& x_TD,
                     const Chunk& chunk, ContributionRing& ring, const Weights& weights) {
  const int64_t ratio = kind == AttentionKind::Csa ? config.csa_ratio : config.hca_ratio;
  const auto of_tokens = contribution(x_TD, chunk.position_NS.flatten(), weights);
  const auto by_rows = [&](const torch::Tensor& of_T) {
    return of_T.unflatten(0, {chunk.num_sequences, chunk.num_tokens});
  };
  write_ring_(ring.value_NRC, by_rows(of_tokens.value), chunk.position_NS);
  write_ring_(ring.gate_NRC, by_rows(of_tokens.gate), chunk.position_NS);

  NewEntries result{.windows = completed_windows(chunk, ratio)};
  if (result.windows.window_P.numel() == 0) return result;
  const auto value = slots_of(kind, ring.value_NRC, result.windows, ratio, 0);
  const auto gate = slots_of(kind, ring.gate_NRC, result.windows, ratio,
                             -std::numeric_limits<double>::infinity());
  result.entry_PC = finished_entry(config, pooled(value, gate), result.windows.window_P * ratio,
                                   weights, x_TD.scalar_type());
  return result;
}

void append_(const torch::Tensor& entry_NWC, const NewEntries& entries,
             const torch::Tensor& value_PC) {
  entry_NWC.index_put_({entries.windows.sequence_P, entries.windows.window_P},
                       value_PC.to(entry_NWC.scalar_type()));
}

// Which ring slots hold a position inside the sliding window of each token.
torch::Tensor ring_visible_NSR(const Chunk& chunk, int64_t ring_size, int64_t num_slots,
                               int64_t window) {
  const auto last_N1 = (chunk.position_NS.select(1, 0) + chunk.num_tokens - 1).unsqueeze(1);
  const auto position_NR = last_N1 - (last_N1 - torch::arange(num_slots)).remainder(ring_size);
  const auto distance_NSR = chunk.position_NS.unsqueeze(2) - position_NR.unsqueeze(1);
  return (distance_NSR >= 0) & (distance_NSR < window) & (position_NR >= 0).unsqueeze(1);
}

torch::Tensor entries_visible_NSW(const Chunk& chunk, int64_t num_entries, int64_t ratio) {
  const auto num_complete_NS = (chunk.position_NS + 1).floor_divide(ratio);
  return torch::arange(num_entries) < num_complete_NS.unsqueeze(2);
}

class LayerStep {
 public:
  LayerStep(const ModelConfig& config, int64_t layer, const Chunk& chunk, DecodeState& state,
            Weights weights, torch::Tensor rotation)
      : config_(config),
        kind_(config.attention_kind(layer)),
        window_(config.window(layer)),
        chunk_(chunk),
        state_(state),
        layer_(state.layers[static_cast<size_t>(layer)]),
        weights_(std::move(weights)),
        rotation_NSP_(std::move(rotation)) {}

  torch::Tensor attention(const torch::Tensor& x_TD) {
    const auto x_NSD = x_TD.unflatten(0, {chunk_.num_sequences, chunk_.num_tokens});
    const auto tokens = project(config_, x_NSD, rotation_NSP_, weights_);
    const int64_t num_entries = layer_.key_NKX.size(1) - 1 - state_.key_ring_size;
    const auto entries = layer_.key_NKX.narrow(1, 1, num_entries);
    write_ring_(layer_.key_NKX.narrow(1, 1 + num_entries, state_.key_ring_size),
                key_with_sink(tokens.key_BSC), chunk_.position_NS);

    const int64_t num_slots =
        std::min(state_.longest, state_.key_ring_size);  // no slot behind is written yet
    std::vector<torch::Tensor> visible = {
        torch::ones({chunk_.num_sequences, chunk_.num_tokens, 1}, torch::kBool)};
    if (kind_ != AttentionKind::Sliding) {
      const auto fresh = compress_(config_, kind_, x_TD, chunk_, layer_.contributions,
                                   weights_.below("compressor"));
      if (fresh.entry_PC.defined()) append_(entries, fresh, key_with_sink(fresh.entry_PC));
      const int64_t ratio = kind_ == AttentionKind::Csa ? config_.csa_ratio : config_.hca_ratio;
      const auto complete = entries_visible_NSW(chunk_, num_entries, ratio);
      visible.push_back(kind_ == AttentionKind::Csa
                            ? chosen(x_TD, x_NSD, tokens.latent_BSR, complete)
                            : complete);
    }
    visible.push_back(ring_visible_NSR(chunk_, state_.key_ring_size, num_slots, window_));

    const auto attended =
        attend(query_with_sink(tokens.query_BSHC, weights_["attn_sink"]),
               layer_.key_NKX.narrow(1, 0, 1 + num_entries + num_slots), torch::cat(visible, 2));
    return grouped_output(config_, attended.output_BQHC, rotation_NSP_, weights_,
                          x_TD.scalar_type())
        .flatten(0, 1);
  }

 private:
  torch::Tensor chosen(const torch::Tensor& x_TD, const torch::Tensor& x_NSD,
                       const torch::Tensor& latent_NSR, const torch::Tensor& complete_NSW) {
    const Weights indexer = weights_.below("indexer");
    const auto fresh = compress_(config_, kind_, x_TD, chunk_, layer_.index_contributions,
                                 indexer.below("compressor"));
    if (fresh.entry_PC.defined()) append_(layer_.index_key_NWC, fresh, fresh.entry_PC);
    if (config_.index_topk >= complete_NSW.size(2)) return complete_NSW;
    const auto query = index_query(config_, x_NSD, latent_NSR, rotation_NSP_, indexer);
    return selected_BSW(index_score_BSW(query, layer_.index_key_NWC), complete_NSW,
                        config_.index_topk);
  }

  const ModelConfig& config_;
  AttentionKind kind_;
  int64_t window_;
  const Chunk& chunk_;
  DecodeState& state_;
  LayerState& layer_;
  Weights weights_;
  torch::Tensor rotation_NSP_;
};

}  // namespace

torch::Tensor extend_(const ModelConfig& config, const Parameters& parameters, DecodeState& state,
                      const torch::Tensor& token_NS, const torch::Tensor& count_N) {
  const int64_t num_tokens = token_NS.size(1);
  TREX_CHECK(num_tokens > 0 && num_tokens <= state.max_chunk, "{} tokens in chunks of {}",
             num_tokens, state.max_chunk);
  const Chunk chunk{.position_NS = state.length_N.unsqueeze(1) + torch::arange(num_tokens),
                    .end_N = state.length_N + count_N,
                    .num_sequences = token_NS.size(0),
                    .num_tokens = num_tokens};
  state.longest = std::min(state.longest + num_tokens, state.max_length);
  TREX_CHECK(chunk.end_N.max().item<int64_t>() <= state.max_length, "max_length is {}",
             state.max_length);

  const auto dtype = parameters.at("embed.weight").scalar_type();
  const auto main_rotation = rotations(config, false, chunk.position_NS, dtype);
  const auto compress_rotation = rotations(config, true, chunk.position_NS, dtype);
  const auto token_T = token_NS.flatten();
  auto stream = first_stream_TND(config, parameters, token_T);
  for (int64_t l = 0; l < config.num_hidden_layers; ++l) {
    const bool is_sliding = config.attention_kind(l) == AttentionKind::Sliding;
    LayerStep step(config, l, chunk, state, {parameters, block_prefix(config, l) + "attn."},
                   is_sliding ? main_rotation : compress_rotation);
    const auto attention = [&](const torch::Tensor& x_TD) { return step.attention(x_TD); };
    stream = block(config, parameters, l, stream, token_T, attention, nullptr).stream_TND;
  }
  state.length_N = chunk.end_N;
  return head_input(config, parameters, stream, "").unflatten(0, {chunk.num_sequences, num_tokens});
}

}  // namespace trex::model::reference
