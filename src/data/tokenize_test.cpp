#include "data/tokenize.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "data/loader.h"
#include "data/token_source.h"
#include "tokenizer/tokenizer.h"

namespace trex::data {
namespace {

const Path kTokenizer = Path(TREX_SOURCE_DIR) / "tests/golden/tokenizer/trained.tokenizer.json";

class Tokenizing : public testing::Test {
 protected:
  Tokenizing() {
    settings_.tokenizer.value = kTokenizer;
    settings_.tokenizer.is_set = true;
  }

  void write_lines(const std::string& name, const std::vector<std::string>& lines) {
    std::string bytes;
    for (const auto& line : lines) bytes += line + "\n";
    write_file(folder_.path() / name, bytes);
    settings_.inputs = {folder_.path() / name};
  }

  void write_texts(int count) {
    std::vector<std::string> lines;
    for (int i = 0; i < count; ++i) {
      lines.push_back(
          to_line({{"text", "factory " + std::to_string(i * 37) + std::string(i % 9, '!')}}));
    }
    write_lines("texts.jsonl", lines);
  }

  std::vector<SourceCard> run(const std::string& out) {
    return tokenize(settings_, folder_.path() / out, progress_);
  }

  std::string refusal() {
    try {
      run("refused");
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

  TemporaryFolder folder_;
  TokenizeSettings settings_;
  NoProgress progress_;
};

TEST_F(Tokenizing, TextsEndInTheEndTokenAndAddedTokensInThemAreText) {
  write_lines("a.jsonl", {R"({"text": "one <think> two"})", R"({"text": ""})"});
  const auto cards = run("out");
  ASSERT_EQ(cards.size(), 1u);
  EXPECT_EQ(cards[0].name, "a");
  EXPECT_EQ(cards[0].documents, 2);
  const auto tokenizer = tokenizer::Tokenizer::load(kTokenizer);
  const auto source = TokenSource::open(folder_.path() / "out/a");
  EXPECT_EQ(tokenizer.decode(source.document(0).tokens), "one <think> two<｜end▁of▁sentence｜>");
  EXPECT_THAT(source.document(0).tokens,
              testing::Not(testing::Contains(*tokenizer.added_id("<think>"))));
  EXPECT_THAT(source.document(1).tokens, testing::ElementsAre(1));
}

TEST_F(Tokenizing, OfAConversationOnlyTheAnswerIsLearned) {
  write_lines(
      "chat.jsonl",
      {R"({"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y = 3"}]})",
       R"({"messages": [{"role": "user", "content": "no answer"}]})"});
  settings_.mode = "chat";
  const auto cards = run("out");
  EXPECT_EQ(cards[0].documents, 1);
  EXPECT_EQ(cards[0].dropped_without_answer, 1);
  Loader loader = Loader::open({.sources = {folder_.path() / "out/chat"}, .packing = "fit"}, 32, 1);
  std::vector<int32_t> targets;
  for (const int32_t target : loader.next().targets) {
    if (target != kIgnoredTarget) targets.push_back(target);
  }
  EXPECT_EQ(tokenizer::Tokenizer::load(kTokenizer).decode(targets), "y = 3<｜end▁of▁sentence｜>");
  EXPECT_EQ(cards[0].learned_tokens, static_cast<int64_t>(targets.size()));
}

TEST_F(Tokenizing, LongTextsAreDroppedOrSplit) {
  write_lines("a.jsonl",
              {R"({"text": "1 2 3 4 5 6 7 8"})", R"({"text": "9"})"});  // 16 and 2 tokens
  settings_.max_length = 5;
  EXPECT_EQ(run("dropped")[0].dropped_too_long, 1);
  EXPECT_EQ(run("dropped")[0].tokens, 2);
  settings_.too_long = "split";
  EXPECT_EQ(run("split")[0].documents, 5);
  EXPECT_EQ(run("split")[0].tokens, 18);
}

TEST_F(Tokenizing, FilesDoNotDependOnTheNumberOfWorkers) {
  write_texts(3000);
  settings_.shard_tokens = 4000;
  settings_.workers = 1;
  EXPECT_GT(run("one")[0].shards, 2);
  settings_.workers = 5;
  run("five");
  EXPECT_EQ(content_hash_of(folder_.path() / "one"), content_hash_of(folder_.path() / "five"));
}

TEST_F(Tokenizing, GoesOnAfterTheShardsThatAreThere) {
  write_texts(3000);
  settings_.shard_tokens = 3000;
  const int64_t num_shards = run("whole")[0].shards;
  ASSERT_GT(num_shards, 3);
  const Path part = folder_.path() / "part/texts";
  for (int64_t kept = 0; kept <= num_shards; ++kept) {
    std::filesystem::remove_all(folder_.path() / "part");
    std::filesystem::create_directories(part);
    for (int64_t i = 0; i < kept; ++i) {
      const auto name = "part-0000" + std::to_string(i) + ".tokens";
      std::filesystem::copy_file(folder_.path() / "whole/texts" / name, part / name);
    }
    const auto before = kept > 0 ? std::filesystem::last_write_time(part / "part-00000.tokens")
                                 : std::filesystem::file_time_type{};
    run("part");
    EXPECT_EQ(content_hash_of(folder_.path() / "whole"), content_hash_of(folder_.path() / "part"));
    if (kept > 0) {
      EXPECT_EQ(std::filesystem::last_write_time(part / "part-00000.tokens"), before);
    }
  }
}

TEST_F(Tokenizing, OtherInputReplacesOldShards) {
  write_texts(3000);
  settings_.shard_tokens = 3000;
  run("out");
  write_texts(10);
  run("out");
  run("fresh");
  EXPECT_EQ(content_hash_of(folder_.path() / "out"), content_hash_of(folder_.path() / "fresh"));
}

TEST_F(Tokenizing, NamesTheRowAndTheSettingThatAreWrong) {
  EXPECT_EQ(refusal(), "data tokenize: inputs: expected at least one path; got none");
  write_lines("a.jsonl", {R"({"text": "x"})", R"({"txt": "y"})"});
  EXPECT_THAT(refusal(), testing::EndsWith("a.jsonl:2: text: expected a string; got nothing"));
  settings_.mode = "chat";
  settings_.too_long = "split";
  EXPECT_THAT(refusal(),
              testing::StartsWith("data tokenize: too_long: expected \"drop\" with mode = chat"));
}

}  // namespace
}  // namespace trex::data
