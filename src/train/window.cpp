#include "train/window.h"

#include <algorithm>

#include "base/check.h"

namespace trex::train {
namespace {

// Padding stands at the end of a row.
int64_t num_used_columns(const std::vector<data::PackedSequence>& rows) {
  int64_t used = 1;  // a row of padding alone still has a column
  for (const auto& row : rows) {
    const auto end = std::find(row.documents.begin(), row.documents.end(), model::kPadding);
    used = std::max<int64_t>(used, end - row.documents.begin());
  }
  return used;
}

torch::Tensor stack(const std::vector<data::PackedSequence>& rows, int64_t num_columns,
                    std::vector<int32_t> data::PackedSequence::*values) {
  std::vector<torch::Tensor> stacked_rows;
  for (const auto& row : rows) {
    stacked_rows.push_back(torch::tensor(row.*values, torch::kInt64).narrow(0, 0, num_columns));
  }
  return torch::stack(stacked_rows);
}

}  // namespace

MicroBatch stacked(const std::vector<data::PackedSequence>& rows) {
  using data::PackedSequence;
  const int64_t columns = num_used_columns(rows);
  return {.batch = {.token_BS = stack(rows, columns, &PackedSequence::tokens),
                    .target_BS = stack(rows, columns, &PackedSequence::targets),
                    .document_BS = stack(rows, columns, &PackedSequence::documents),
                    .position_BS = stack(rows, columns, &PackedSequence::positions)},
          .source_BS = stack(rows, columns, &PackedSequence::sources)};
}

Window next_window(const RowSource& next_row, int64_t num_micro_batches, int64_t rows_each) {
  Window window;
  for (int64_t i = 0; i < num_micro_batches; ++i) {
    std::vector<data::PackedSequence> rows;
    for (int64_t row = 0; row < rows_each; ++row) rows.push_back(next_row());
    MicroBatch micro_batch = stacked(rows);
    const model::TargetCounts counts = model::count_targets(micro_batch.batch);
    window.targets.next_token += counts.next_token;
    window.targets.mtp += counts.mtp;
    window.tokens += (micro_batch.batch.document_BS != model::kPadding).sum().item<int64_t>();
    window.micro_batches.push_back(std::move(micro_batch));
  }
  return window;
}

}  // namespace trex::train
