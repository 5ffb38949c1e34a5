#include "simulate/prefix_cache.h"

namespace trex::simulate {

size_t PrefixCache::match(std::span<const uint64_t> blocks) {
  size_t found = 0;
  for (const uint64_t block : blocks) {
    const auto place = place_.find(block);
    if (place == place_.end()) break;
    newest_first_.splice(newest_first_.begin(), newest_first_, place->second);
    ++found;
  }
  return found;
}

// The last blocks first: the beginning of a prompt, which others share, ends up the newest.
void PrefixCache::insert(std::span<const uint64_t> blocks) {
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    const auto [place, is_new] = place_.try_emplace(*block);
    if (is_new) {
      newest_first_.push_front(*block);
      place->second = newest_first_.begin();
    } else {
      newest_first_.splice(newest_first_.begin(), newest_first_, place->second);
    }
  }
}

void PrefixCache::shrink_to(size_t most_blocks) {
  while (place_.size() > most_blocks) {
    place_.erase(newest_first_.back());
    newest_first_.pop_back();
  }
}

void PrefixCache::clear() {
  place_.clear();
  newest_first_.clear();
}

}  // namespace trex::simulate
