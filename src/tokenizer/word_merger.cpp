#include "tokenizer/word_merger.h"

#include <algorithm>
#include <functional>

namespace trex::tokenizer {
namespace {

// Above this many symbols the heap is faster (bench/tokenizer_bench, file "long").
constexpr size_t kLongestScan = 48;

}  // namespace

void WordMerger::merge(std::vector<int32_t>& ids) {
  if (ids.size() < 2) return;
  if (ids.size() <= kLongestScan) {
    merge_by_scan(ids);
  } else {
    merge_by_heap(ids);
  }
}

void WordMerger::merge_by_scan(std::vector<int32_t>& ids) {
  size_t count = ids.size();
  pairs_.resize(count);
  for (size_t i = 0; i + 1 < count; ++i) pairs_[i] = merges_->find(ids[i], ids[i + 1]);
  while (count > 1) {
    size_t best = 0;
    for (size_t i = 1; i + 1 < count; ++i) {
      if (pairs_[i].rank < pairs_[best].rank) best = i;
    }
    if (pairs_[best].rank == MergeTable::kNone) break;
    ids[best] = pairs_[best].result;
    std::copy(ids.begin() + best + 2, ids.begin() + count, ids.begin() + best + 1);
    std::copy(pairs_.begin() + best + 2, pairs_.begin() + count, pairs_.begin() + best + 1);
    --count;
    if (best > 0) pairs_[best - 1] = merges_->find(ids[best - 1], ids[best]);
    if (best + 1 < count) pairs_[best] = merges_->find(ids[best], ids[best + 1]);
  }
  ids.resize(count);
}

// Symbols stay where they are in a doubly linked list; a candidate is stale when its pair's rank is
// no longer the one it was pushed with.
void WordMerger::merge_by_heap(std::vector<int32_t>& ids) {
  const auto count = static_cast<int32_t>(ids.size());
  previous_.resize(count);
  next_.resize(count);
  heap_.clear();
  const auto push = [&](int32_t left) {
    if (left < 0 || next_[left] >= count) return;
    const int32_t rank = merges_->find(ids[left], ids[next_[left]]).rank;
    if (rank == MergeTable::kNone) return;
    heap_.push_back({rank, left});
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  };
  for (int32_t i = 0; i < count; ++i) {
    previous_[i] = i - 1;
    next_[i] = i + 1;
  }
  for (int32_t i = 0; i < count; ++i) push(i);
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const Candidate top = heap_.back();
    heap_.pop_back();
    const int32_t left = top.position, right = ids[left] < 0 ? count : next_[left];
    if (right >= count) continue;
    const MergeTable::Entry& entry = merges_->find(ids[left], ids[right]);
    if (entry.rank != top.rank) continue;
    ids[left] = entry.result;
    ids[right] = -1;
    next_[left] = next_[right];
    if (next_[left] < count) previous_[next_[left]] = left;
    push(previous_[left]);
    push(left);
  }
  ids.erase(std::remove(ids.begin(), ids.end(), -1), ids.end());
}

}  // namespace trex::tokenizer
