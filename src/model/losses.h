// What a training step asks of a model, and what it gets back (deepseek-v4.md 3.11, 3.12, 5.3).
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>

#include "model/batch.h"

namespace trex::model {

struct LossOptions {
  double mtp_weight = 0.3;      // 0: the MTP block does not run
  double indexer_weight = 1.0;  // 0: the indexers get no gradient at all (freeze them)
  double balance_weight = 0.0;  // sequence balance loss; the report trains with 1e-4

  // When a step is made of several micro-batches: the target counts of all of them together, so
  // that the sum of the micro-batches' gradients is that of one big batch. Absent: this batch's.
  std::optional<TargetCounts> num_targets;
  // Divides the indexer and balance losses, which are means over a micro-batch.
  int64_t num_micro_batches = 1;
};

// Shapes: B rows, S tokens, L blocks (the MTP block is the last one), E experts.
struct Losses {
  torch::Tensor total;  // scalar with its graph: call backward() on it

  // The parts, detached scalars before their weights: total = next_token + mtp_weight * mtp + ...
  // Parts that were not asked for are 0.
  torch::Tensor next_token, mtp, indexer, balance;

  torch::Tensor token_loss_BS;   // detached cross-entropy of each target, 0 where there is none
  torch::Tensor expert_load_LE;  // int64: (token, expert) pairs a block, without padding and, in
                                 // the MTP block, without the last token of each document
};

}  // namespace trex::model
