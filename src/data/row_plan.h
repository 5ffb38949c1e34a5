// Which documents, or parts of them, fill each row of one epoch of one source.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace trex::data {

// Tokens [begin, end) of a document of the source.
struct DocumentPart {
  int64_t document;
  int64_t begin, end;
};

using RowParts = std::vector<DocumentPart>;

// What an epoch's order is drawn from.
struct EpochKey {
  uint64_t seed;
  uint64_t source;  // index in the blend
  uint64_t epoch;
};

// Documents in random order, end to end, cut every `seq_len` tokens; then the rows in random order.
// Every token appears once; only the row that ends the epoch may be shorter than seq_len.
std::vector<RowParts> plan_concatenated(std::span<const int64_t> lengths, int64_t seq_len,
                                        const EpochKey& key);

// Whole documents: in random order, by windows of kPackingWindow, the longest first, each into the
// fullest row that still holds it (best-fit decreasing); then the rows in random order.
// Lengths must be at most seq_len.
constexpr int64_t kPackingWindow = 4096;
std::vector<RowParts> plan_fitted(std::span<const int64_t> lengths, int64_t seq_len,
                                  const EpochKey& key);

}  // namespace trex::data
