// Remembers the tokens of pieces already merged: natural text repeats its words.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trex::tokenizer {

// Bounded: when full it forgets everything and starts again, which keeps the hot words because
// they come back at once. One thread's.
class PieceCache {
 public:
  PieceCache();

  // Valid until the next insert.
  std::optional<std::span<const int32_t>> find(std::string_view piece, uint64_t hash) const {
    for (size_t i = hash & (kSlots - 1); slots_[i].num_bytes != 0; i = (i + 1) & (kSlots - 1)) {
      const Slot& slot = slots_[i];
      if (slot.hash == static_cast<uint32_t>(hash >> 32) && slot.num_bytes == piece.size() &&
          std::string_view(bytes_).substr(slot.bytes, slot.num_bytes) == piece) {
        return std::span(ids_).subspan(slot.ids, slot.num_ids);
      }
    }
    return std::nullopt;
  }

  // Ignores pieces that are too long to come back. `piece` is not in the cache and not empty.
  void insert(std::string_view piece, uint64_t hash, std::span<const int32_t> ids);

 private:
  static constexpr size_t kSlots = 1 << 17;
  static constexpr size_t kMaxEntries = kSlots / 2;
  static constexpr size_t kLongestPiece = 64;

  struct Slot {
    uint32_t hash = 0;  // upper half; the lower half chose the slot
    uint32_t bytes = 0, ids = 0;
    uint16_t num_bytes = 0, num_ids = 0;
  };

  std::vector<Slot> slots_;
  std::string bytes_;
  std::vector<int32_t> ids_;
  size_t num_entries_ = 0;
};

}  // namespace trex::tokenizer
