#include "schedule/prefix_index.h"

#include <bit>
#include <string_view>

#include "base/hash.h"

namespace trex::schedule {

uint64_t chain_block(uint64_t parent, std::span<const int32_t> tokens, uint64_t salt) {
  const std::string_view bytes(reinterpret_cast<const char*>(tokens.data()), tokens.size_bytes());
  return hash64(bytes, parent ^ salt);
}

PrefixIndex::PrefixIndex(size_t most_blocks, double expiry_s)
    : most_blocks_(most_blocks), expiry_s_(expiry_s) {}

void PrefixIndex::allocate() {
  const size_t num_buckets = std::bit_ceil(std::max<size_t>(most_blocks_, 2));
  shift_ = 64 - std::countr_zero(num_buckets);
  buckets_.resize(num_buckets);
  entries_.resize(most_blocks_);
  free_.reserve(most_blocks_);
  clear();
}

void PrefixIndex::clear() {
  std::fill(buckets_.begin(), buckets_.end(), kNone);
  free_.clear();
  for (size_t i = entries_.size(); i-- > 0;) free_.push_back(static_cast<uint32_t>(i));
  newest_ = oldest_ = kNone;
  size_ = 0;
}

size_t PrefixIndex::bytes() const {
  return buckets_.capacity() * sizeof(uint32_t) + entries_.capacity() * sizeof(Entry) +
         free_.capacity() * sizeof(uint32_t);
}

uint32_t PrefixIndex::find(uint64_t block) const {
  uint32_t entry = buckets_[bucket_of(block)];
  while (entry != kNone && entries_[entry].block != block) entry = entries_[entry].next_in_bucket;
  return entry;
}

size_t PrefixIndex::match(std::span<const uint64_t> blocks, double now_s) const {
  if (size_ == 0) return 0;
  size_t matched = 0;
  for (const uint64_t block : blocks) {
    const uint32_t entry = find(block);
    if (entry == kNone || now_s - entries_[entry].used_s > expiry_s_) break;
    ++matched;
  }
  return matched;
}

void PrefixIndex::unlink(uint32_t id) {
  const Entry& entry = entries_[id];
  (entry.newer == kNone ? newest_ : entries_[entry.newer].older) = entry.older;
  (entry.older == kNone ? oldest_ : entries_[entry.older].newer) = entry.newer;
}

void PrefixIndex::make_newest(uint32_t id) {
  Entry& entry = entries_[id];
  entry.newer = kNone;
  entry.older = newest_;
  (newest_ == kNone ? oldest_ : entries_[newest_].newer) = id;
  newest_ = id;
}

void PrefixIndex::drop_oldest() {
  const uint32_t id = oldest_;
  unlink(id);
  uint32_t* link = &buckets_[bucket_of(entries_[id].block)];
  while (*link != id) link = &entries_[*link].next_in_bucket;
  *link = entries_[id].next_in_bucket;
  free_.push_back(id);
  --size_;
}

void PrefixIndex::insert(std::span<const uint64_t> blocks, double now_s) {
  if (entries_.empty()) allocate();
  // The last blocks first, so that a chain's beginning is the last part of it to be dropped.
  const size_t kept = std::min(blocks.size(), entries_.size());
  for (size_t i = kept; i-- > 0;) {
    uint32_t id = find(blocks[i]);
    if (id == kNone) {
      if (free_.empty()) drop_oldest();
      id = free_.back();
      free_.pop_back();
      uint32_t& head = buckets_[bucket_of(blocks[i])];
      entries_[id] = {.block = blocks[i], .next_in_bucket = head};
      head = id;
      ++size_;
    } else {
      unlink(id);
    }
    entries_[id].used_s = now_s;
    make_newest(id);
  }
}

}  // namespace trex::schedule
