// Byte-pair merging of one piece: repeatedly the pair of lowest rank, the leftmost of equals.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/merge_table.h"

namespace trex::tokenizer {

// One thread's working memory. `merges` must outlive it.
class WordMerger {
 public:
  explicit WordMerger(const MergeTable& merges) : merges_(&merges) {}

  // Merges `ids` in place. Quadratic scanning for short words, a heap for long ones.
  void merge(std::vector<int32_t>& ids);

 private:
  void merge_by_scan(std::vector<int32_t>& ids);
  void merge_by_heap(std::vector<int32_t>& ids);

  struct Candidate {
    int32_t rank, position;
    bool operator>(const Candidate& other) const {
      return rank != other.rank ? rank > other.rank : position > other.position;
    }
  };

  const MergeTable* merges_;
  std::vector<MergeTable::Entry> pairs_;
  std::vector<int32_t> previous_, next_;
  std::vector<Candidate> heap_;
};

}  // namespace trex::tokenizer
