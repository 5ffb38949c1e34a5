// Where documents, windows and compressed entries of packed rows lie (deepseek-v4.md 2.11). None of
// it depends on the values of tensors that are trained.
//
// Shapes: B rows, S tokens a row, W complete windows a row (the most that fit: S / M), M tokens a
// window.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "model/batch.h"

namespace trex::model::reference {

// The complete windows of every row, each document cut from its own start. Rows with fewer than W
// windows have invalid entries at the end, which nobody sees.
struct WindowLayout {
  int64_t ratio = 0;        // M
  torch::Tensor token_BWM;  // index of each window's tokens among all B * S tokens
  torch::Tensor end_BW;     // column of the window's last token; S for an invalid entry
  torch::Tensor document_BW;
  torch::Tensor position_BW;  // local position of the window's first token: w * m
};

WindowLayout window_layout(const Batch& batch, int64_t ratio);

// True where the entry may be seen: same document and completed at or before the token. Both
// ranges of columns are half-open; entries are the first `num_windows`.
torch::Tensor visible_BSW(const Batch& batch, const WindowLayout& windows, int64_t begin,
                          int64_t end, int64_t num_windows);

// True where token s is in the sliding window of token t, for t in [begin, end) and s in [first,
// end).
torch::Tensor in_window_BSS(const Batch& batch, int64_t window, int64_t first, int64_t begin,
                            int64_t end);

}  // namespace trex::model::reference
