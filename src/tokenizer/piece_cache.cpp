#include "tokenizer/piece_cache.h"

namespace trex::tokenizer {

PieceCache::PieceCache() : slots_(kSlots) {}

void PieceCache::insert(std::string_view piece, uint64_t hash, std::span<const int32_t> ids) {
  if (piece.size() > kLongestPiece) return;
  if (num_entries_ == kMaxEntries) {
    slots_.assign(kSlots, Slot{});
    bytes_.clear();
    ids_.clear();
    num_entries_ = 0;
  }
  size_t i = hash & (kSlots - 1);
  while (slots_[i].num_bytes != 0) i = (i + 1) & (kSlots - 1);
  slots_[i] = {.hash = static_cast<uint32_t>(hash >> 32),
               .bytes = static_cast<uint32_t>(bytes_.size()),
               .ids = static_cast<uint32_t>(ids_.size()),
               .num_bytes = static_cast<uint16_t>(piece.size()),
               .num_ids = static_cast<uint16_t>(ids.size())};
  bytes_.append(piece);
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  ++num_entries_;
}

}  // namespace trex::tokenizer
