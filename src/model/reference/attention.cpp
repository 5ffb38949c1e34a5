#include "model/reference/attention.h"

#include <torch/types.h>

#include <algorithm>

#include "model/reference/arithmetic.h"
#include "model/reference/compressor.h"
#include "model/reference/indexer.h"
#include "model/reference/rotary.h"
#include "model/reference/sink_attention.h"

namespace trex::model::reference {
namespace {

// Queries are taken this many at a time, so that the scores of a long row never exist all at once
// and the keys behind a block's last query are never multiplied.
constexpr int64_t kQueryBlock = 128;

// The compressed entries of a layer: keys, and which token sees which.
struct Entries {
  torch::Tensor key_BWC;
  torch::Tensor visible_BSW;  // in CSA layers the indexer's choice
  int64_t ratio = 0;
};

struct Window {
  torch::Tensor output_BSHC;
  torch::Tensor mass_BSW;  // attention on the entries, summed over heads, detached; if asked for
};

torch::Tensor padded_to(const torch::Tensor& x, int64_t size) {
  return torch::constant_pad_nd(x, {0, size - x.size(-1)}, 0);
}

Window attend_in_blocks(const ModelConfig& config, int64_t window, const Projections& tokens,
                        const Entries* entries, const torch::Tensor& sink_H, const Batch& batch,
                        bool with_mass) {
  const auto query_BSHX = query_with_sink(tokens.query_BSHC, sink_H);
  const auto key_BSX = key_with_sink(tokens.key_BSC);
  const auto entry_BWX = entries != nullptr ? key_with_sink(entries->key_BWC) : torch::Tensor();
  const auto sink_B1X = sink_key(key_BSX.size(0), config.head_dim, key_BSX.options());

  std::vector<torch::Tensor> outputs, masses;
  int64_t end = 0;
  for (const auto& query_BQHX : query_BSHX.split(kQueryBlock, 1)) {
    const int64_t begin = end;
    end = begin + query_BQHX.size(1);
    const int64_t first = std::max<int64_t>(0, begin + 1 - window);
    const int64_t num_entries =
        entries != nullptr ? end / entries->ratio : 0;  // the others end later
    std::vector<torch::Tensor> keys = {sink_B1X, key_BSX.slice(1, first, end)};
    std::vector<torch::Tensor> visible = {
        torch::ones({key_BSX.size(0), end - begin, 1}, torch::kBool),
        in_window_BSS(batch, window, first, begin, end)};
    if (num_entries > 0) {
      keys.push_back(entry_BWX.narrow(1, 0, num_entries));
      visible.push_back(entries->visible_BSW.slice(1, begin, end).narrow(2, 0, num_entries));
    }
    const Attended attended = attend(query_BQHX, torch::cat(keys, 1), torch::cat(visible, 2));
    outputs.push_back(attended.output_BQHC);
    if (with_mass) {
      const auto of_entries = attended.probability_BQHK.detach().slice(3, 1 + end - first);
      masses.push_back(padded_to(of_entries.sum(2), entries->key_BWC.size(1)));
    }
  }
  return {torch::cat(outputs, 1), with_mass ? torch::cat(masses, 1) : torch::Tensor()};
}

struct Choice {
  torch::Tensor score_BSW;
  torch::Tensor selected_BSW;
};

// Runs the indexer of a CSA layer on detached inputs: its loss teaches nobody else.
Choice choose_entries(const ModelConfig& config, const torch::Tensor& x_TD,
                      const torch::Tensor& latent_BSR, const RowLayout& layout,
                      const torch::Tensor& visible, const Weights& weights) {
  const auto x = x_TD.detach();
  const auto position_T = layout.batch.position_BS.flatten();
  const auto key_BWC = compressed(config, AttentionKind::Csa, x, position_T, *layout.csa_windows,
                                  weights.below("compressor"));
  const auto query = index_query(config, x.view({visible.size(0), visible.size(1), -1}),
                                 latent_BSR.detach(), layout.compress_rotation_BSP, weights);
  const auto score = index_score_BSW(query, key_BWC);
  return {score, selected_BSW(score.detach(), visible, config.index_topk)};
}

}  // namespace

RowLayout row_layout(const ModelConfig& config, const Batch& batch, torch::Dtype dtype) {
  RowLayout layout{.batch = batch,
                   .main_rotation_BSP = rotations(config, false, batch.position_BS, dtype),
                   .compress_rotation_BSP = rotations(config, true, batch.position_BS, dtype)};
  for (int64_t layer = 0; layer < config.num_hidden_layers; ++layer) {
    const AttentionKind kind = config.attention_kind(layer);
    if (kind == AttentionKind::Csa && !layout.csa_windows) {
      layout.csa_windows = window_layout(batch, config.csa_ratio);
    } else if (kind == AttentionKind::Hca && !layout.hca_windows) {
      layout.hca_windows = window_layout(batch, config.hca_ratio);
    }
  }
  return layout;
}

Projections project(const ModelConfig& config, const torch::Tensor& x_BSD,
                    const torch::Tensor& rotation_BSP, const Weights& weights) {
  const double eps = config.rms_norm_eps;
  const auto latent =
      rms_norm(linear_map(x_BSD, weights["wq_a.weight"]), weights["q_norm.weight"], eps);
  const auto heads = linear_map(latent, weights["wq_b.weight"])
                         .unflatten(-1, {config.num_attention_heads, config.head_dim});
  const auto key =
      rms_norm(linear_map(x_BSD, weights["wkv.weight"]), weights["kv_norm.weight"], eps);
  return {.latent_BSR = latent,
          .query_BSHC = rotated(rms(heads, eps), rotation_BSP.unsqueeze(-2)),
          .key_BSC = rotated(key, rotation_BSP)};
}

torch::Tensor grouped_output(const ModelConfig& config, const torch::Tensor& output_BSHC,
                             const torch::Tensor& rotation_BSP, const Weights& weights,
                             torch::Dtype dtype) {
  const int64_t num_groups = config.o_groups, rank = config.o_lora_rank;
  const auto back = rotated(output_BSHC, rotation_BSP.conj().unsqueeze(-2)).to(dtype);
  const int64_t num_rows = back.size(0), num_tokens = back.size(1);
  // [G, T, H·C/G] times each group's own [H·C/G, rank].
  const auto grouped = back.reshape({num_rows * num_tokens, num_groups, -1}).transpose(0, 1);
  const auto low =
      torch::bmm(grouped, weights["wo_a.weight"].unflatten(0, {num_groups, rank}).transpose(1, 2));
  return linear_map(low.transpose(0, 1).reshape({num_rows, num_tokens, -1}),
                    weights["wo_b.weight"]);
}

AttentionOutput attention(const ModelConfig& config, int64_t layer, const torch::Tensor& x_TD,
                          const RowLayout& layout, const Weights& weights,
                          const AttentionOptions& options) {
  const AttentionKind kind = config.attention_kind(layer);
  const auto& batch = layout.batch;
  const auto& rotation = layout.rotation_BSP(kind);
  const int64_t num_rows = batch.token_BS.size(0), num_tokens = batch.token_BS.size(1);
  const auto tokens = project(config, x_TD.view({num_rows, num_tokens, -1}), rotation, weights);

  std::optional<Entries> entries;
  Choice choice;
  if (kind != AttentionKind::Sliding) {
    const auto& windows = kind == AttentionKind::Csa ? *layout.csa_windows : *layout.hca_windows;
    entries =
        Entries{.key_BWC = compressed(config, kind, x_TD, batch.position_BS.flatten(), windows,
                                      weights.below("compressor")),
                .visible_BSW = visible_BSW(batch, windows, 0, num_tokens, windows.end_BW.size(1)),
                .ratio = windows.ratio};
    report(options.probe, options.name + "compressed_kv", entries->key_BWC);
  }
  if (kind == AttentionKind::Csa) {
    const torch::AutoGradMode with_gradients(options.with_indexer_loss);
    choice = choose_entries(config, x_TD, tokens.latent_BSR, layout, entries->visible_BSW,
                            weights.below("indexer"));
    const auto forced = forced_choice(options.probe, options.name + "indexer.selected");
    if (forced.defined()) choice.selected_BSW = forced;
    entries->visible_BSW = choice.selected_BSW;
    report(options.probe, options.name + "indexer.scores", choice.score_BSW);
    report(options.probe, options.name + "indexer.selected", choice.selected_BSW);
  }

  const bool with_mass = options.with_indexer_loss && kind == AttentionKind::Csa;
  const auto attended =
      attend_in_blocks(config, config.window(layer), tokens, entries ? &*entries : nullptr,
                       weights["attn_sink"], batch, with_mass);
  AttentionOutput output;
  output.y_TD = grouped_output(config, attended.output_BSHC, rotation, weights, x_TD.scalar_type())
                    .flatten(0, 1);
  if (with_mass) {
    const auto is_token = batch.document_BS.ne(kPadding).unsqueeze(2);
    output.indexer_loss =
        index_loss(choice.score_BSW, choice.selected_BSW & is_token, attended.mass_BSW);
  }
  return output;
}

}  // namespace trex::model::reference
