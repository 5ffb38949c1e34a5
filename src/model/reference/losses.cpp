// The losses of a training step (deepseek-v4.md 3.11, 3.12, 5.3).
#include <torch/types.h>

#include "model/reference/model.h"

namespace trex::model::reference {
namespace {

struct CrossEntropy {
  torch::Tensor sum;       // over all targets, with its graph
  torch::Tensor token_BS;  // detached
};

// Logits are made for the positions with a target only: in fine-tuning most have none.
CrossEntropy cross_entropy(const ModelConfig& config, const Parameters& parameters,
                           const torch::Tensor& hidden_BSD, const torch::Tensor& target_BS) {
  const auto index = target_BS.flatten().ne(kNoTarget).nonzero().squeeze(1);
  const auto target = target_BS.flatten().index_select(0, index);
  const auto logit = logits(config, parameters, hidden_BSD.flatten(0, 1).index_select(0, index));
  const auto loss = torch::nll_loss(torch::log_softmax(logit, -1), target, {}, at::Reduction::None);
  const auto token_T =
      torch::zeros({target_BS.numel()}, loss.options()).index_copy_(0, index, loss.detach());
  return {.sum = loss.sum(), .token_BS = token_T.view_as(target_BS)};
}

double reciprocal(int64_t count) { return count > 0 ? 1.0 / static_cast<double>(count) : 0.0; }

}  // namespace

Losses compute_losses(const ModelConfig& config, const Parameters& parameters, const Batch& batch,
                      const LossOptions& options) {
  const bool with_mtp = config.num_nextn_predict_layers > 0 && options.mtp_weight != 0;
  const auto output = forward(config, parameters, batch,
                              {.with_mtp = with_mtp,
                               .with_indexer_loss = options.indexer_weight != 0,
                               .with_balance_loss = options.balance_weight != 0});
  const TargetCounts num_targets =
      options.num_targets ? *options.num_targets : count_targets(batch);
  const double share = reciprocal(options.num_micro_batches);

  const auto next_token = cross_entropy(config, parameters, output.hidden_BSD, batch.target_BS);
  const auto next_token_mean = next_token.sum * reciprocal(num_targets.next_token);
  auto mtp_mean = torch::zeros_like(next_token_mean);
  if (with_mtp) {
    const auto mtp = cross_entropy(config, parameters, output.mtp_hidden_BSD, mtp_target_BS(batch));
    mtp_mean = mtp.sum * reciprocal(num_targets.mtp);
  }
  const auto indexer_mean = output.indexer_loss * share;
  const auto balance_mean = output.balance_loss * share;
  return {.total = next_token_mean + options.mtp_weight * mtp_mean +
                   options.indexer_weight * indexer_mean + options.balance_weight * balance_mean,
          .next_token = next_token_mean.detach(),
          .mtp = mtp_mean.detach(),
          .indexer = indexer_mean.detach(),
          .balance = balance_mean.detach(),
          .token_loss_BS = next_token.token_BS,
          .expert_load_LE = output.expert_load_LE};
}

}  // namespace trex::model::reference
