#include "orgen/duplicates.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/hash.h"

namespace trex::orgen {
namespace {

// Sets of whole numbers stand for shingles.
TEST(Jaccard, IsSharedOverAll) {
  EXPECT_DOUBLE_EQ(jaccard({1, 2, 3, 4}, {3, 4, 5, 6}), 2.0 / 6.0);
  EXPECT_DOUBLE_EQ(jaccard({1, 2}, {1, 2}), 1.0);
  EXPECT_DOUBLE_EQ(jaccard({1}, {2}), 0.0);
  EXPECT_DOUBLE_EQ(jaccard({}, {}), 1.0);
}

TEST(NormalisedText, IgnoresCaseAndBlanksButNotNumbers) {
  EXPECT_EQ(normalised_text("  A  ship\ncarries 3 TONS. "), "a ship carries 3 tons.");
  EXPECT_NE(normalised_text("3 tons"), normalised_text("4 tons"));
}

TEST(WordsOf, KeepsDecimalsWhole) {
  EXPECT_EQ(words_of("It costs $1.25, or 1,250 a-piece."),
            (std::vector<std::string>{"it", "costs", "1.25", "or", "1,250", "a", "piece"}));
}

TEST(MaskedWords, HideNumbersAndLexiconNames) {
  EXPECT_EQ(masked_words("Oats cost 3"), (std::vector<std::string>{"@foods", "cost", "#"}));
}

TEST(Shingles, AreAllRunsOfThatLength) {
  EXPECT_EQ(shingles({"a", "b", "c", "d"}, 3).size(), 2U);
  EXPECT_EQ(shingles({"a", "a", "a", "a"}, 3).size(), 1U);
  EXPECT_EQ(shingles({"a", "b"}, 3).size(), 1U);
  EXPECT_TRUE(shingles({}, 3).empty());
  EXPECT_NE(shingles({"a", "b", "c"}, 3), shingles({"c", "b", "a"}, 3));
}

TEST(NearDuplicates, SeeThroughOtherNamesAndNumbers) {
  NearDuplicates seen;
  EXPECT_FALSE(
      seen.add("A school buys Oats at 3 dollars and Rice at 5 dollars for the weekly menu."));
  EXPECT_TRUE(
      seen.add("A school buys Milk at 7 dollars and Beans at 9 dollars for the weekly menu."));
  EXPECT_FALSE(
      seen.add("Two depots ship cement to the towns by the cheapest road, in whole loads."));
}

TEST(Contamination, FindsASharedRunAndAHighOverlapButNotTheSubject) {
  const TemporaryFolder folder;
  const std::string question =
      "A fishery wants to transport their catch and they can either use local sled dogs or trucks "
      "to "
      "move all of it";
  write_file(folder.path() / "bench.jsonl", "{\"en_question\": \"" + question + "\"}\n");
  const auto contamination = Contamination::read({folder.path() / "bench.jsonl"});
  EXPECT_EQ(contamination.num_questions(), 1);
  EXPECT_TRUE(
      contamination.resembles("Today a fishery wants to transport their catch and they can "
                              "either use local sled dogs, it says in the long newspaper "
                              "story that goes on and on about quite different things."));
  EXPECT_TRUE(
      contamination.resembles("The fishery wants to transport their catch and they can use "
                              "local sled dogs or trucks to move all of it"));
  EXPECT_FALSE(
      contamination.resembles("A fishery moves fish with dogs or trucks; what is cheapest?"));
}

TEST(Contamination, RefusesARowWithoutAQuestionNamingTheLine) {
  const TemporaryFolder folder;
  write_file(folder.path() / "bench.jsonl", "{\"question\": \"a\"}\n{\"prompt\": \"b\"}\n");
  try {
    Contamination::read({folder.path() / "bench.jsonl"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Input);
    EXPECT_NE(std::string(error.what()).find("bench.jsonl:2"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace trex::orgen
