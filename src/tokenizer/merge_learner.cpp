#include "tokenizer/merge_learner.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

namespace trex::tokenizer {
namespace {

using PairKey = uint64_t;

PairKey key_of(int32_t left, int32_t right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}
int32_t left_of(PairKey pair) { return static_cast<int32_t>(pair >> 32); }
int32_t right_of(PairKey pair) { return static_cast<int32_t>(pair & 0xFFFFFFFFu); }

struct PairHash {
  size_t operator()(PairKey pair) const {
    const uint64_t mixed = pair * 0x9E3779B97F4A7C15u;
    return mixed ^ mixed >> 32;
  }
};

struct PairUse {
  int64_t count = 0;
  std::vector<uint32_t> words;  // that hold or once held the pair; may repeat
};

struct Candidate {
  int64_t count;
  PairKey pair;
  bool operator<(const Candidate& other) const {
    return count != other.count ? count < other.count : pair > other.pair;
  }
};

// Keeps pair counts up to date while words merge. Heap entries may be out of date; they are checked
// when they come up.
class Learner {
 public:
  explicit Learner(std::vector<LearningWord> words) : words_(std::move(words)) {
    for (size_t w = 0; w < words_.size(); ++w) {
      const auto& ids = words_[w].ids;
      for (size_t i = 0; i + 1 < ids.size(); ++i) {
        add(key_of(ids[i], ids[i + 1]), words_[w].count, static_cast<uint32_t>(w));
      }
    }
    for (const auto& [pair, use] : pairs_) heap_.push({use.count, pair});
  }

  // The most frequent pair; its count is 0 when no pair is left.
  Candidate take_best() {
    while (!heap_.empty()) {
      const Candidate top = heap_.top();
      heap_.pop();
      const int64_t count = pairs_[top.pair].count;
      if (count == top.count) return top;
      if (count > 0) heap_.push({count, top.pair});
    }
    return {0, 0};
  }

  void merge(PairKey pair, int32_t result) {
    const std::vector<uint32_t> holders = std::move(pairs_[pair].words);
    fresh_.clear();
    for (const uint32_t word : holders) merge_in(word, pair, result);
    pairs_.erase(pair);
    std::sort(fresh_.begin(), fresh_.end());
    fresh_.erase(std::unique(fresh_.begin(), fresh_.end()), fresh_.end());
    for (const PairKey changed : fresh_) {
      const auto use = pairs_.find(changed);
      if (use != pairs_.end() && use->second.count > 0) heap_.push({use->second.count, changed});
    }
  }

 private:
  void add(PairKey pair, int64_t count, uint32_t word) {
    PairUse& use = pairs_[pair];
    use.count += count;
    if (use.words.empty() || use.words.back() != word) use.words.push_back(word);
  }

  // Merges from left to right; what was written already is the left neighbour of what comes.
  void merge_in(uint32_t w, PairKey pair, int32_t result) {
    auto& ids = words_[w].ids;
    const int64_t count = words_[w].count;
    size_t out = 0;
    for (size_t in = 0; in < ids.size(); ++in) {
      if (in + 1 >= ids.size() || key_of(ids[in], ids[in + 1]) != pair) {
        ids[out++] = ids[in];
        continue;
      }
      if (out > 0) {
        pairs_[key_of(ids[out - 1], ids[in])].count -= count;
        change_neighbour(key_of(ids[out - 1], result), count, w);
      }
      if (in + 2 < ids.size()) {
        pairs_[key_of(ids[in + 1], ids[in + 2])].count -= count;
        change_neighbour(key_of(result, ids[in + 2]), count, w);
      }
      ids[out++] = result;
      ++in;
    }
    ids.resize(out);
  }

  void change_neighbour(PairKey pair, int64_t count, uint32_t word) {
    add(pair, count, word);
    fresh_.push_back(pair);
  }

  std::vector<LearningWord> words_;
  std::unordered_map<PairKey, PairUse, PairHash> pairs_;
  std::priority_queue<Candidate> heap_;
  std::vector<PairKey> fresh_;
};

}  // namespace

std::vector<Merge> learn_merges(std::vector<LearningWord> words, int64_t max_tokens,
                                std::vector<std::string>& tokens, Progress& progress) {
  std::unordered_map<std::string, int32_t> id_of;
  for (size_t id = 0; id < tokens.size(); ++id) id_of.emplace(tokens[id], static_cast<int32_t>(id));
  Learner learner(std::move(words));
  std::vector<Merge> merges;
  progress.started("learn merges", max_tokens, "tokens");
  const size_t target = tokens.size() + static_cast<size_t>(std::max<int64_t>(max_tokens, 0));
  while (tokens.size() < target) {
    const Candidate best = learner.take_best();
    if (best.count < kMinPairCount) break;
    const int32_t left = left_of(best.pair), right = right_of(best.pair);
    const std::string bytes = tokens[left] + tokens[right];
    const auto [entry, is_new] = id_of.emplace(bytes, static_cast<int32_t>(tokens.size()));
    if (is_new) tokens.push_back(bytes);
    merges.push_back({left, right, entry->second});
    learner.merge(best.pair, entry->second);
    progress.advanced(max_tokens - static_cast<int64_t>(target - tokens.size()));
  }
  progress.finished();
  return merges;
}

}  // namespace trex::tokenizer
