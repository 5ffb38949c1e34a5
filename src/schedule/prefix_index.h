// Which prompts' beginnings each instance probably has in its cache (heterogeneous serving, 9.9).
//
// A prompt is a chain of block hashes, each over its parent's hash and its own tokens, so equal
// hashes mean equal prefixes. The index keeps for every instance the blocks that it was sent
// lately, least recently used first to go, within a fixed number of entries that is allocated once,
// at the first insertion: its memory does not depend on how many distinct prefixes pass by.
//
// Approximate: an engine may have dropped a block earlier. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace trex::schedule {

// Chains the hash of one more block; `salt` keeps models, adapters or tenants apart.
uint64_t chain_block(uint64_t parent, std::span<const int32_t> tokens, uint64_t salt);

class PrefixIndex {
 public:
  // For one instance. `expiry_s`: after so long unused, a block counts as gone.
  PrefixIndex(size_t most_blocks, double expiry_s);

  // How many of the blocks, from the first on, are there.
  size_t match(std::span<const uint64_t> blocks, double now_s) const;

  // The prompt was sent there: its blocks are (still) there and recently used.
  void insert(std::span<const uint64_t> blocks, double now_s);

  // The engine was restarted.
  void clear();

  size_t size() const { return size_; }
  size_t bytes() const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Entry {
    uint64_t block = 0;
    double used_s = 0;
    uint32_t newer = kNone, older = kNone;
    uint32_t next_in_bucket = kNone;
  };

  size_t bucket_of(uint64_t block) const { return (block * 0x9E3779B97F4A7C15ULL) >> shift_; }
  uint32_t find(uint64_t block) const;
  void unlink(uint32_t entry);
  void make_newest(uint32_t entry);
  void drop_oldest();

  void allocate();

  size_t most_blocks_;
  double expiry_s_;
  int shift_ = 0;
  std::vector<uint32_t> buckets_;  // heads of chains
  std::vector<Entry> entries_;
  std::vector<uint32_t> free_;
  uint32_t newest_ = kNone, oldest_ = kNone;
  size_t size_ = 0;
};

}  // namespace trex::schedule
