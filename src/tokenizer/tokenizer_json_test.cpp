#include "tokenizer/tokenizer_json.h"

#include <gmock/gmock.h>

#include <functional>

#include "base/error.h"
#include "base/json.h"
#include "base/rng.h"
#include "tokenizer/byte_alphabet.h"

namespace trex::tokenizer {
namespace {

using testing::HasSubstr;

// The smallest tokenizer that is complete: 256 bytes, one merge, one added token.
Json small_tokenizer() {
  Json vocab = Json::object();
  for (const uint8_t byte : bytes_in_alphabet_order()) {
    vocab[to_alphabet(std::string(1, static_cast<char>(byte)))] = vocab.size();
  }
  vocab["ab"] = 256;
  const Json split = {{"type", "Split"},
                      {"pattern", {{"Regex", "\\p{N}{1,3}"}}},
                      {"behavior", "Isolated"},
                      {"invert", false}};
  const Json bytes = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  return {{"added_tokens",
           {{{"id", 257}, {"content", "<x>"}, {"special", true}, {"normalized", false}}}},
          {"normalizer", nullptr},
          {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {split, bytes}}}},
          {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", {"a b"}}}}};
}

// What reading says: the refusal, or "accepted".
std::string read(const std::string& text) {
  try {
    const Tokenizer tokenizer(parse_tokenizer_json(text, "t.json"), "t.json");
    Encoder(tokenizer).encode("abc 12 <x>");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::string refusal(const std::function<void(Json&)>& damage) {
  Json file = small_tokenizer();
  damage(file);
  return read(file.dump());
}

TEST(TokenizerJson, ReadsASmallFileAndBothFormsOfMerges) {
  EXPECT_EQ(refusal([](Json&) {}), "accepted");
  EXPECT_EQ(refusal([](Json& f) {
              f["model"]["merges"] = Json::array({Json::array({"a", "b"})});
            }),
            "accepted");
  const Tokenizer tokenizer(parse_tokenizer_json(small_tokenizer().dump(), "t.json"), "t.json");
  EXPECT_EQ(tokenizer.vocab_size(), 258);
  EXPECT_EQ(Encoder(tokenizer).encode("ab<x>"), (std::vector<int32_t>{256, 257}));
}

TEST(TokenizerJson, NamesTheFieldThatIsWrong) {
  EXPECT_THAT(read("{"), HasSubstr("t.json: expected JSON; got"));
  EXPECT_EQ(read("[]"), "t.json: expected an object; got []");
  EXPECT_EQ(read("{}"), "t.json: model: expected a value; got nothing");
  EXPECT_EQ(refusal([](Json& f) { f["model"]["type"] = "Unigram"; }),
            "t.json: model.type: expected \"BPE\"; got \"Unigram\"");
  EXPECT_EQ(refusal([](Json& f) { f["model"]["byte_fallback"] = true; }),
            "t.json: model.byte_fallback: expected nothing; got true");
  EXPECT_EQ(refusal([](Json& f) {
              f["normalizer"] = {{"type", "NFC"}};
            }),
            "t.json: normalizer.type: expected \"Sequence\"; got \"NFC\"");
  EXPECT_EQ(refusal([](Json& f) { f["model"]["vocab"]["ab"] = -1; }),
            "t.json: model.vocab[\"ab\"]: expected a token id below 16777216; got -1");
  EXPECT_EQ(refusal([](Json& f) { f["model"]["vocab"]["ab"] = 300; }),
            "t.json: model.vocab[\"ab\"]: expected ids 0 to 257 without gaps; got id 300");
  EXPECT_EQ(refusal([](Json& f) {
              f["model"]["vocab"].erase("a");
              f["model"]["merges"] = Json::array();
            }),
            "t.json: added_tokens \"<x>\": expected ids 0 to 256 without gaps; got id 257");
  EXPECT_THAT(refusal([](Json& f) { f["model"]["vocab"]["ab"] = 257; }),
              HasSubstr("expected one token for id 257"));
  EXPECT_EQ(refusal([](Json& f) { f["model"]["merges"] = {"a bb"}; }),
            "t.json: model.merges[0]: expected tokens of model.vocab; got \"bb\"");
  EXPECT_EQ(refusal([](Json& f) { f["model"]["merges"] = {"ab"}; }),
            "t.json: model.merges[0]: expected two tokens with a space between them; got \"ab\"");
  EXPECT_EQ(refusal([](Json& f) { f["added_tokens"][0]["lstrip"] = true; }),
            "t.json: added_tokens[0].lstrip: expected nothing; got true");
  EXPECT_THAT(
      refusal([](Json& f) { f["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "(a"; }),
      HasSubstr("expected a regular expression that PCRE2 accepts; got \"(a\": missing closing "
                "parenthesis at byte 2"));
  EXPECT_THAT(
      refusal([](Json& f) { f["pre_tokenizer"]["pretokenizers"][0]["behavior"] = "Removed"; }),
      HasSubstr("pretokenizers[0].behavior: expected \"Isolated\"; got \"Removed\""));
}

// Replays a fixed set of damaged files: each is read or refused, none breaks the program.
TEST(TokenizerJson, SurvivesDamagedFiles) {
  const std::string whole = small_tokenizer().dump();
  Rng rng(1, "tokenizer.json fuzz");
  int num_refused = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string text = whole;
    for (int64_t n = rng.between(1, 3); n > 0; --n) {
      const size_t at = rng.below(text.size());
      switch (rng.below(4)) {
        case 0:
          text[at] = static_cast<char>(rng.next());
          break;
        case 1:
          text.erase(at, rng.between(1, 30));
          break;
        case 2:
          text.insert(at, text.substr(rng.below(text.size()), rng.between(1, 30)));
          break;
        default:
          text[at] = "{}[]\",:0-tn"[rng.below(11)];
      }
    }
    num_refused += read(text) == "accepted" ? 0 : 1;
  }
  EXPECT_GT(num_refused, 1000);
  for (size_t size = 0; size < whole.size(); size += 7)
    EXPECT_NE(read(whole.substr(0, size)), "accepted");
}

}  // namespace
}  // namespace trex::tokenizer
