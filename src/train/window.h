// The micro batches of one step.
#pragma once

#include <torch/types.h>

#include <functional>
#include <vector>

#include "data/loader.h"
#include "model/batch.h"

namespace trex::train {

// Shapes: B rows, S tokens a row.
struct MicroBatch {
  model::Batch batch;
  torch::Tensor source_BS;  // int64: index of each token's source
};

struct Window {
  std::vector<MicroBatch> micro_batches;
  model::TargetCounts targets;  // of all of them
  int64_t tokens = 0;           // padding left out
};

// Gives the next row of a data set.
using RowSource = std::function<data::PackedSequence()>;

// Stacks rows of equal length, without the columns at the end that are padding in all of them: rows
// of one short document each (packing = fit) then cost what the document costs.
MicroBatch stacked(const std::vector<data::PackedSequence>& rows);

// The next `num_micro_batches` times `rows_each` rows.
Window next_window(const RowSource& next_row, int64_t num_micro_batches, int64_t rows_each);

}  // namespace trex::train
