// The merges of a byte-pair encoding: (left token, right token) -> rank and resulting token.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace trex::tokenizer {

struct Merge {
  int32_t left, right, result;
};

// Open addressing with linear probing, at most half full. Safe to share between threads.
class MergeTable {
 public:
  static constexpr int32_t kNone = INT32_MAX;

  struct Entry {
    uint64_t pair = kEmpty;
    int32_t rank = kNone;
    int32_t result = -1;
  };

  MergeTable() : MergeTable(std::span<const Merge>{}) {}

  // Merge i has rank i. The first of two merges of the same pair wins.
  explicit MergeTable(std::span<const Merge> merges)
      : slots_(std::bit_ceil(merges.size() * 2 + 2)), shift_(64 - std::countr_zero(slots_.size())) {
    for (size_t rank = 0; rank < merges.size(); ++rank) {
      Entry& entry = slots_[slot_of(merges[rank].left, merges[rank].right)];
      if (entry.pair != kEmpty) continue;
      entry = {key(merges[rank].left, merges[rank].right), static_cast<int32_t>(rank),
               merges[rank].result};
    }
  }

  // An entry of rank kNone when the pair does not merge.
  const Entry& find(int32_t left, int32_t right) const { return slots_[slot_of(left, right)]; }

 private:
  static constexpr uint64_t kEmpty = ~uint64_t{0};

  static uint64_t key(int32_t left, int32_t right) {
    return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
  }

  size_t slot_of(int32_t left, int32_t right) const {
    const uint64_t pair = key(left, right);
    size_t slot = (pair * 0x9E3779B97F4A7C15u) >> shift_;
    while (slots_[slot].pair != pair && slots_[slot].pair != kEmpty) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
  }

  std::vector<Entry> slots_;
  int shift_;
};

}  // namespace trex::tokenizer
