#include "model/batch.h"

#include <torch/types.h>

namespace trex::model {

Batch batch_of_rows(const torch::Tensor& token_BS) {
  const int64_t num_tokens = token_BS.size(1);
  const auto target_BS = torch::full_like(token_BS, kNoTarget);
  target_BS.slice(1, 0, num_tokens - 1).copy_(token_BS.slice(1, 1));
  return {.token_BS = token_BS,
          .target_BS = target_BS,
          .document_BS = torch::zeros_like(token_BS),
          .position_BS = torch::arange(num_tokens).expand_as(token_BS).contiguous()};
}

torch::Tensor mtp_target_BS(const Batch& batch) {
  const int64_t num_tokens = batch.target_BS.size(1);
  const auto target_BS = torch::full_like(batch.target_BS, kNoTarget);
  if (num_tokens < 2) return target_BS;
  const auto same_document =
      batch.document_BS.slice(1, 1) == batch.document_BS.slice(1, 0, num_tokens - 1);
  target_BS.slice(1, 0, num_tokens - 1)
      .copy_(torch::where(same_document, batch.target_BS.slice(1, 1), torch::full({}, kNoTarget)));
  return target_BS;
}

TargetCounts count_targets(const Batch& batch) {
  return {.next_token = (batch.target_BS != kNoTarget).sum().item<int64_t>(),
          .mtp = (mtp_target_BS(batch) != kNoTarget).sum().item<int64_t>()};
}

}  // namespace trex::model
