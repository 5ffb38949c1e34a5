#include "tokenizer/train_tokenizer.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "base/error.h"
#include "base/rng.h"
#include "tokenizer/golden.h"
#include "tokenizer/merge_learner.h"
#include "tokenizer/tokenizer_json.h"

namespace trex::tokenizer {
namespace {

Path golden(const std::string& name) {
  return Path(TREX_SOURCE_DIR) / "tests/golden/tokenizer" / name;
}

TokenizerSettings corpus_settings() {
  TokenizerSettings settings;
  settings.inputs = {golden("corpus.jsonl")};
  settings.fields = {"text"};
  return settings;
}

// Says what the answer is: counts all pairs anew for every merge.
std::vector<Merge> learn_slowly(std::vector<LearningWord> words, int64_t max_tokens,
                                std::vector<std::string>& tokens) {
  std::vector<Merge> merges;
  for (int64_t n = 0; n < max_tokens;) {
    std::map<std::pair<int32_t, int32_t>, int64_t> counts;
    for (const auto& word : words) {
      for (size_t i = 0; i + 1 < word.ids.size(); ++i) {
        counts[{word.ids[i], word.ids[i + 1]}] += word.count;
      }
    }
    std::pair<int32_t, int32_t> best{-1, -1};
    int64_t best_count = kMinPairCount - 1;
    for (const auto& [pair, count] : counts) {
      if (count > best_count) {
        best = pair;
        best_count = count;
      }
    }
    if (best.first < 0) break;
    const std::string bytes = tokens[best.first] + tokens[best.second];
    const auto known = std::find(tokens.begin(), tokens.end(), bytes);
    const auto id = static_cast<int32_t>(known - tokens.begin());
    if (known == tokens.end()) {
      tokens.push_back(bytes);
      ++n;
    }
    merges.push_back({best.first, best.second, id});
    for (auto& word : words) {
      std::vector<int32_t> merged;
      for (size_t i = 0; i < word.ids.size(); ++i) {
        const bool here =
            i + 1 < word.ids.size() && word.ids[i] == best.first && word.ids[i + 1] == best.second;
        merged.push_back(here ? id : word.ids[i]);
        if (here) ++i;
      }
      word.ids = std::move(merged);
    }
  }
  return merges;
}

bool same(const std::vector<Merge>& a, const std::vector<Merge>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Merge& x, const Merge& y) {
    return x.left == y.left && x.right == y.right && x.result == y.result;
  });
}

TEST(MergeLearner, AgreesWithCountingAnewOnRandomWords) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed, "merge learner test");
    const auto num_letters = static_cast<int32_t>(rng.between(1, 4));
    std::vector<std::string> tokens;
    for (int32_t i = 0; i < num_letters; ++i) tokens.emplace_back(1, static_cast<char>('a' + i));
    std::vector<LearningWord> words(rng.between(1, 30));
    for (auto& word : words) {
      word.count = rng.between(1, 9);
      word.ids.resize(rng.between(1, 20));
      for (auto& id : word.ids) id = static_cast<int32_t>(rng.below(num_letters));
    }
    auto slow_tokens = tokens;
    const auto slow = learn_slowly(words, 40, slow_tokens);
    NoProgress progress;
    const auto fast = learn_merges(words, 40, tokens, progress);
    EXPECT_TRUE(same(fast, slow)) << "seed " << seed;
    EXPECT_EQ(tokens, slow_tokens) << "seed " << seed;
  }
}

// The golden merges are those of the `tokenizers` package's trainer on the same corpus.
TEST(TokenizerTraining, LearnsTheMergesOfTheTokenizersPackage) {
  TokenizerSettings settings = corpus_settings();
  NoProgress progress;
  const auto words = count_words_in_files(settings, deepseek_patterns(), progress);
  const auto definition = learn_tokenizer(words, {.vocab_size = 900, .numbers_up_to = 9}, progress);
  const Json model = parse_json(tokenizer_json(definition), "ours")["model"];
  const Json expected = parse_json(read_file(golden("corpus_merges.json")), "golden");
  ASSERT_GE(expected.size(), 500u);
  ASSERT_GE(model["merges"].size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(model["merges"][i], expected[i]) << i;
}

TEST(TokenizerTraining, GivesTheCommittedFileForAnyNumberOfThreads) {
  NoProgress progress;
  TokenizerSettings settings = corpus_settings();
  settings.vocab_size = 1700;
  for (const int64_t workers : {1, 2, 5}) {
    settings.workers = workers;
    EXPECT_EQ(tokenizer_json(train_tokenizer(settings, progress)),
              read_file(golden("trained.tokenizer.json")));
  }
}

TEST(TokenizerTraining, ItsFileMeansTheSameToTheTokenizersPackage) {
  const auto tokenizer = Tokenizer::load(golden("trained.tokenizer.json"));
  Encoder encoder(tokenizer);
  const auto texts = read_golden("trained.jsonl");
  ASSERT_GE(texts.size(), 200u);
  for (const GoldenText& text : texts) EXPECT_EQ(encoder.encode(text.bytes), text.ids) << text.name;
}

TEST(TokenizerTraining, EveryNumberUpTo999IsOneToken) {
  const auto tokenizer = Tokenizer::load(golden("trained.tokenizer.json"));
  Encoder encoder(tokenizer);
  std::set<int32_t> ids;
  for (int number = 0; number <= 999; ++number) {
    const auto tokens = encoder.encode(std::to_string(number));
    ASSERT_EQ(tokens.size(), 1u) << number;
    ids.insert(tokens[0]);
  }
  EXPECT_EQ(ids.size(), 1000u);
  EXPECT_EQ(encoder.encode("1000").size(), 2u);
}

TEST(TokenizerTraining, NumbersEndWhereTheSettingSays) {
  NoProgress progress;
  const auto words = count_words({"x"}, deepseek_patterns(), 1);
  const Tokenizer tokenizer(
      learn_tokenizer(words, {.vocab_size = 500, .numbers_up_to = 150}, progress), "test");
  Encoder encoder(tokenizer);
  for (int number = 0; number <= 150; ++number) {
    EXPECT_EQ(encoder.encode(std::to_string(number)).size(), 1u) << number;
  }
  EXPECT_EQ(encoder.encode("151").size(), 2u);
}

TEST(TokenizerTraining, RefusesAVocabularyThatHoldsNoBytesAndNumbers) {
  NoProgress progress;
  try {
    learn_tokenizer({}, {.vocab_size = 1200, .numbers_up_to = 999}, progress);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "tokenizer: vocab_size: expected at least 1261 for bytes, numbers and chat tokens; "
        "got 1200 (or lower numbers_up_to)");
  }
}

}  // namespace
}  // namespace trex::tokenizer
