#include "schedule/prefix_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <vector>

#include "base/rng.h"

namespace trex::schedule {
namespace {

using Blocks = std::vector<uint64_t>;

// The slow, obvious twin: a list, most recently used first.
class ListOfBlocks {
 public:
  ListOfBlocks(size_t most, double expiry_s) : most_(most), expiry_s_(expiry_s) {}

  size_t match(const Blocks& blocks, double now_s) const {
    size_t matched = 0;
    for (const uint64_t block : blocks) {
      const auto found =
          std::find_if(used_.begin(), used_.end(), [&](const auto& u) { return u.first == block; });
      if (found == used_.end() || now_s - found->second > expiry_s_) break;
      ++matched;
    }
    return matched;
  }

  void insert(const Blocks& blocks, double now_s) {
    for (size_t i = std::min(blocks.size(), most_); i-- > 0;) {
      used_.remove_if([&](const auto& u) { return u.first == blocks[i]; });
      if (used_.size() == most_) used_.pop_back();
      used_.emplace_front(blocks[i], now_s);
    }
  }

  size_t size() const { return used_.size(); }

 private:
  size_t most_;
  double expiry_s_;
  std::list<std::pair<uint64_t, double>> used_;
};

// A path down a tree of prompts: equal beginnings have equal hashes.
Blocks random_prompt(Rng& rng) {
  Blocks blocks;
  uint64_t parent = 0;
  for (uint64_t depth = rng.below(7); depth-- > 0;) {
    const int32_t token = static_cast<int32_t>(rng.below(3));
    parent = chain_block(parent, {&token, 1}, 0);
    blocks.push_back(parent);
  }
  return blocks;
}

TEST(PrefixIndex, AgreesWithAListOnRandomPromptsSeeds1To5) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    Rng rng(seed, "prompts");
    const size_t most = std::array{1, 2, 7, 50, 400}[seed - 1];
    PrefixIndex index(most, 20);
    ListOfBlocks list(most, 20);
    double now_s = 0;
    for (int i = 0; i < 2'000; ++i) {
      now_s += rng.exponential(2);
      const Blocks prompt = random_prompt(rng);
      ASSERT_EQ(index.match(prompt, now_s), list.match(prompt, now_s))
          << "seed " << seed << ", step " << i;
      if (rng.chance(0.5)) {
        index.insert(prompt, now_s);
        list.insert(prompt, now_s);
      }
      ASSERT_EQ(index.size(), list.size());
    }
  }
}

TEST(PrefixIndex, TheBeginningOfAPromptIsDroppedLast) {
  PrefixIndex index(3, 100);
  index.insert(Blocks{1, 2, 3}, 0);
  index.insert(Blocks{9}, 1);
  EXPECT_EQ(index.match(Blocks{1, 2, 3}, 1), 2u);
}

TEST(PrefixIndex, BlocksExpire) {
  PrefixIndex index(10, 100);
  index.insert(Blocks{1, 2}, 0);
  EXPECT_EQ(index.match(Blocks{1, 2}, 100), 2u);
  EXPECT_EQ(index.match(Blocks{1, 2}, 101), 0u);
}

TEST(PrefixIndex, KeepsItsMemoryOverManyDistinctBlocks) {
  PrefixIndex index(1'000, 100);
  EXPECT_EQ(index.bytes(), 0u);  // an instance that sees no prefixes costs nothing
  index.insert(Blocks{1}, 0);
  const size_t bytes = index.bytes();
  for (uint64_t block = 1; block <= 200'000; ++block) index.insert(Blocks{block}, 0);
  EXPECT_EQ(index.bytes(), bytes);
  EXPECT_EQ(index.size(), 1'000u);
  EXPECT_EQ(index.match(Blocks{200'000}, 0), 1u);
  EXPECT_EQ(index.match(Blocks{199'000}, 0), 0u);
}

TEST(PrefixIndex, ClearForgetsAll) {
  PrefixIndex index(10, 100);
  index.insert(Blocks{1, 2}, 0);
  index.clear();
  EXPECT_EQ(index.size(), 0u);
  EXPECT_EQ(index.match(Blocks{1, 2}, 0), 0u);
  index.insert(Blocks{1}, 0);
  EXPECT_EQ(index.match(Blocks{1, 2}, 0), 1u);
}

TEST(PrefixIndex, HashesTellParentTokensAndSaltApart) {
  const std::vector<int32_t> tokens{1, 2, 3}, others{1, 2, 4};
  const uint64_t hash = chain_block(7, tokens, 0);
  EXPECT_EQ(chain_block(7, tokens, 0), hash);
  EXPECT_NE(chain_block(8, tokens, 0), hash);
  EXPECT_NE(chain_block(7, others, 0), hash);
  EXPECT_NE(chain_block(7, tokens, 5), hash);
}

}  // namespace
}  // namespace trex::schedule
