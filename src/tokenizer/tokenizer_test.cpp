#include "tokenizer/tokenizer.h"

#include <gmock/gmock.h>

#include "tokenizer/golden.h"
#include "tokenizer/tokenizer_json.h"
#include "tokenizer/utf8.h"

namespace trex::tokenizer {
namespace {

using testing::ElementsAre;

const Tokenizer& deepseek() {
  static const Tokenizer kTokenizer =
      Tokenizer::load(Path(TREX_SOURCE_DIR) / "data/tokenizer/deepseek-v4.tokenizer.json.zst");
  return kTokenizer;
}

TEST(DeepSeekTokenizer, EncodesAsTheTokenizersPackageDoes) {
  Encoder encoder(deepseek());
  const auto texts = read_golden("deepseek_v4.jsonl");
  ASSERT_GE(texts.size(), 700u);
  for (const GoldenText& text : texts) {
    EXPECT_EQ(encoder.encode(text.bytes), text.ids) << text.name;
  }
}

TEST(DeepSeekTokenizer, CacheDoesNotChangeTheSecondEncoding) {
  Encoder encoder(deepseek());
  for (const GoldenText& text : read_golden("deepseek_v4.jsonl")) {
    const auto first = encoder.encode(text.bytes);
    EXPECT_EQ(encoder.encode(text.bytes), first) << text.name;
  }
}

TEST(DeepSeekTokenizer, DecodesToTheTextItEncoded) {
  Encoder encoder(deepseek());
  for (const GoldenText& text : read_golden("deepseek_v4.jsonl")) {
    const std::string read = is_valid_utf8(text.bytes) ? text.bytes : with_replacements(text.bytes);
    EXPECT_EQ(deepseek().decode(text.ids), read) << text.name;
    EXPECT_EQ(deepseek().decode(encoder.encode(text.bytes, AddedTokens::AsText)), read)
        << text.name;
  }
}

// deepseek-v4.md 5.6
TEST(DeepSeekTokenizer, KnowsTheDocumentedIds) {
  EXPECT_EQ(deepseek().vocab_size(), 129280);
  EXPECT_EQ(deepseek().definition().merges.size(), 127741u);
  EXPECT_EQ(deepseek().added_id("<｜begin▁of▁sentence｜>"), 0);
  EXPECT_EQ(deepseek().added_id("</think>"), 128822);
  EXPECT_EQ(deepseek().added_id("no such token"), std::nullopt);
  Encoder encoder(deepseek());
  EXPECT_THAT(
      encoder.encode("<｜User｜>你好<｜Assistant｜><think>推理</think>答案<｜end▁of▁sentence｜>"),
      ElementsAre(128803, 30594, 128804, 128821, 36101, 128822, 7624, 1));
}

TEST(DeepSeekTokenizer, AddedTokensCanBeReadAsPlainText) {
  Encoder encoder(deepseek());
  const auto ids = encoder.encode("<think>", AddedTokens::AsText);
  EXPECT_GT(ids.size(), 1u);
  EXPECT_EQ(deepseek().decode(ids), "<think>");
}

TEST(DeepSeekTokenizer, DecodingCanLeaveOutSpecials) {
  EXPECT_EQ(deepseek().decode(std::vector<int32_t>{0, 30594, 1}, /*with_specials=*/false), "你好");
}

TEST(DeepSeekTokenizer, SurvivesWritingAndReading) {
  const std::string text = tokenizer_json(deepseek().definition());
  const Tokenizer copy(parse_tokenizer_json(text, "copy"), "copy");
  EXPECT_EQ(copy.fingerprint(), deepseek().fingerprint());
}

}  // namespace
}  // namespace trex::tokenizer
