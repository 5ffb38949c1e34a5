// An engine's prefix cache: blocks of prompts, least recently used first to go. Blocks that no
// running sequence uses are only kept while the memory is not needed otherwise.
//
// Block ids come chained from the trace: an id stands for the whole prefix up to it. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>

namespace trex::simulate {

class PrefixCache {
 public:
  // How many of the blocks, from the first on, are there; they count as used now.
  size_t match(std::span<const uint64_t> blocks);

  void insert(std::span<const uint64_t> blocks);

  // Drops the least recently used until at most `most_blocks` are left.
  void shrink_to(size_t most_blocks);

  void clear();
  size_t size() const { return place_.size(); }

 private:
  std::list<uint64_t> newest_first_;
  std::unordered_map<uint64_t, std::list<uint64_t>::iterator> place_;
};

}  // namespace trex::simulate
