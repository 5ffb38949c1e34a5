#include "model/reference/layout.h"

#include <torch/types.h>

namespace trex::model::reference {

WindowLayout window_layout(const Batch& batch, int64_t ratio) {
  const int64_t num_rows = batch.token_BS.size(0), num_tokens = batch.token_BS.size(1);
  const int64_t num_windows = num_tokens / ratio;
  const auto column_S = torch::arange(num_tokens);

  // Sorting the columns of all window ends, with S for the other columns, lists the ends in order.
  const auto is_end_BS =
      (batch.position_BS + 1).remainder(ratio).eq(0) & batch.document_BS.ne(kPadding);
  const auto end_or_none_BS = torch::where(is_end_BS, column_S, torch::full({}, num_tokens));
  const auto end_BW = std::get<0>(end_or_none_BS.sort(1)).narrow(1, 0, num_windows).contiguous();

  const auto inside_BW = end_BW.clamp_max(num_tokens - 1);
  const auto token_BWM =
      (inside_BW.unsqueeze(2) - (ratio - 1) + torch::arange(ratio)).clamp_min(0) +
      (torch::arange(num_rows) * num_tokens).view({-1, 1, 1});
  return {.ratio = ratio,
          .token_BWM = token_BWM,
          .end_BW = end_BW,
          .document_BW = batch.document_BS.gather(1, inside_BW),
          .position_BW = batch.position_BS.gather(1, inside_BW) - (ratio - 1)};
}

torch::Tensor visible_BSW(const Batch& batch, const WindowLayout& windows, int64_t begin,
                          int64_t end, int64_t num_windows) {
  const auto document_BS1 = batch.document_BS.slice(1, begin, end).unsqueeze(2);
  const auto is_complete = windows.end_BW.narrow(1, 0, num_windows).unsqueeze(1) <=
                           torch::arange(begin, end).view({1, -1, 1});
  return (windows.document_BW.narrow(1, 0, num_windows).unsqueeze(1) == document_BS1) & is_complete;
}

torch::Tensor in_window_BSS(const Batch& batch, int64_t window, int64_t first, int64_t begin,
                            int64_t end) {
  const auto distance = torch::arange(begin, end).unsqueeze(1) - torch::arange(first, end);
  const auto is_near = (distance >= 0) & (distance < window);
  const auto same_document = batch.document_BS.slice(1, begin, end).unsqueeze(2) ==
                             batch.document_BS.slice(1, first, end).unsqueeze(1);
  return same_document & is_near;
}

}  // namespace trex::model::reference
