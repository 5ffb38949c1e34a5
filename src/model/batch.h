// Tokens of one forward pass: packed rows of documents, with their targets.
//
// Shapes: B rows, S tokens a row. All tensors are int64.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace trex::model {

inline constexpr int64_t kNoTarget = -100;
inline constexpr int64_t kPadding = -1;

// Documents of a row are contiguous, and padding stands behind them. Nothing in a document depends
// on another document of its row: windows, compressed entries and positions are its own (2.11).
struct Batch {
  torch::Tensor token_BS;
  torch::Tensor target_BS;    // the next token of the same document; kNoTarget: no loss here
  torch::Tensor document_BS;  // any number that differs between neighbours; kPadding for padding
  torch::Tensor position_BS;  // counts from 0 in each document
};

// One document a row, all of the same length, every next token a target.
Batch batch_of_rows(const torch::Tensor& token_BS);

// What the mean losses divide by.
struct TargetCounts {
  int64_t next_token = 0;
  int64_t mtp = 0;  // positions i with a target at i + 1 in the same document (2.10)
};
TargetCounts count_targets(const Batch& batch);

// The MTP block's targets: target_BS one to the left inside the document, else kNoTarget.
torch::Tensor mtp_target_BS(const Batch& batch);

}  // namespace trex::model
