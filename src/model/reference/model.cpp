#include "model/reference/model.h"

#include <torch/types.h>

#include <fmt/format.h>

#include "model/reference/arithmetic.h"
#include "model/reference/attention.h"
#include "model/reference/block.h"
#include "model/reference/router.h"

namespace trex::model::reference {
namespace {

// Runs blocks one after the other and gathers what they report.
class Pass {
 public:
  Pass(const ModelConfig& config, const Parameters& parameters, const Batch& batch,
       const ForwardOptions& options)
      : config_(config),
        parameters_(parameters),
        batch_(batch),
        options_(options),
        dtype_(parameters.at("embed.weight").scalar_type()),
        layout_(row_layout(config, batch, dtype_)),
        is_token_BS_(batch.document_BS.ne(kPadding)),
        indexer_loss_(torch::zeros({}, c10::promoteTypes(dtype_, torch::kFloat32))),
        balance_loss_(indexer_loss_.clone()) {}

  ForwardOutput run() {
    auto stream = first_stream_TND(config_, parameters_, batch_.token_BS.flatten());
    report(options_.probe, "streams.0", stream);
    for (int64_t layer = 0; layer < config_.num_hidden_layers; ++layer) {
      stream = block(layer, stream, is_token_BS_);
      report(options_.probe, fmt::format("streams.{}", layer + 1), stream);
    }
    ForwardOutput output;
    output.stream_BSND = by_rows(stream);
    output.hidden_BSD = by_rows(head_input(config_, parameters_, stream, ""));
    if (options_.with_mtp) output.mtp_hidden_BSD = by_rows(mtp(stream));
    output.indexer_loss = indexer_loss_;
    output.balance_loss = balance_loss_;
    output.expert_load_LE = torch::stack(expert_loads_);
    return output;
  }

 private:
  torch::Tensor by_rows(const torch::Tensor& of_tokens) const {
    return of_tokens.unflatten(0, {batch_.token_BS.size(0), batch_.token_BS.size(1)});
  }

  // `counts_BS` is true for the tokens that the statistics and the balance loss are about.
  torch::Tensor block(int64_t layer, const torch::Tensor& stream_TND,
                      const torch::Tensor& counts_BS) {
    const std::string prefix = block_prefix(config_, layer);
    const auto attention_site = [&](const torch::Tensor& x_TD) {
      const auto output = attention(config_, layer, x_TD, layout_, {parameters_, prefix + "attn."},
                                    {options_.with_indexer_loss, options_.probe, prefix});
      if (output.indexer_loss.defined()) {
        report(options_.probe, prefix + "indexer.kl", output.indexer_loss);
        indexer_loss_ = indexer_loss_ + output.indexer_loss;
      }
      return output.y_TD;
    };
    const BlockOutput output =
        reference::block(config_, parameters_, layer, stream_TND, batch_.token_BS.flatten(),
                         attention_site, options_.probe);
    expert_loads_.push_back(
        expert_load_E(output.routing, counts_BS.flatten(), config_.n_routed_experts));
    if (options_.with_balance_loss && !config_.routes_by_hash(layer)) {
      balance_loss_ = balance_loss_ + balance_loss(output.routing, counts_BS);
    }
    return output.stream_TND;
  }

  // The MTP block (2.10): the streams of token i and the embedding of token i + 1 predict token i
  // + 2. A document's last token has no successor; whatever stands there, no earlier position sees
  // it.
  torch::Tensor mtp(const torch::Tensor& stream_TND) {
    const int64_t layer = config_.num_hidden_layers;
    const Weights weights(parameters_, block_prefix(config_, layer));
    const auto next_of = [](const torch::Tensor& of_token_BS) {
      return of_token_BS.roll(-1, /*dims=*/1);
    };
    const auto embedded_TD = rms_norm(
        torch::embedding(parameters_.at("embed.weight"), next_of(batch_.token_BS).flatten()),
        weights["enorm.weight"], config_.rms_norm_eps);
    const auto seen_TND = rms_norm(stream_TND, weights["hnorm.weight"], config_.rms_norm_eps);
    const auto input_TND = linear_map(embedded_TD, weights["e_proj.weight"]).unsqueeze(1) +
                           linear_map(seen_TND, weights["h_proj.weight"]);
    const auto has_next_BS = is_token_BS_ & batch_.document_BS.eq(next_of(batch_.document_BS)) &
                             batch_.position_BS.lt(next_of(batch_.position_BS));
    return head_input(config_, parameters_, block(layer, input_TND, has_next_BS),
                      block_prefix(config_, layer));
  }

  const ModelConfig& config_;
  const Parameters& parameters_;
  const Batch& batch_;
  const ForwardOptions& options_;
  torch::Dtype dtype_;
  RowLayout layout_;
  torch::Tensor is_token_BS_;
  torch::Tensor indexer_loss_, balance_loss_;
  std::vector<torch::Tensor> expert_loads_;
};

}  // namespace

ForwardOutput forward(const ModelConfig& config, const Parameters& parameters, const Batch& batch,
                      const ForwardOptions& options) {
  return Pass(config, parameters, batch, options).run();
}

torch::Tensor logits(const ModelConfig& config, const Parameters& parameters,
                     const torch::Tensor& hidden) {
  return linear_map(wide(hidden),
                    parameters.at(config.tie_word_embeddings ? "embed.weight" : "head.weight"));
}

}  // namespace trex::model::reference
