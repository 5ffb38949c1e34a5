#include "base/text.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace trex {
namespace {

using testing::ElementsAre;

TEST(InQuotes, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(in_quotes("a\"b\\c\n\r\t"), R"("a\"b\\c\n\r\t")");
  EXPECT_EQ(in_quotes(std::string("\x1b[2J\0\x7f", 6)), R"("\x1b[2J\x00\x7f")");
  EXPECT_EQ(in_quotes("größe"), "\"größe\"");
}

TEST(InQuotes, CutsLongTextBetweenCharacters) {
  EXPECT_EQ(in_quotes("abcdef", 6), "\"abcdef\"");
  EXPECT_EQ(in_quotes("abcdef", 5), "\"abcde…\"");
  EXPECT_EQ(in_quotes("aö", 2), "\"a…\"");    // ö takes bytes 1 and 2
  EXPECT_EQ(in_quotes("a中b", 3), "\"a…\"");  // 中 takes bytes 1 to 3
  EXPECT_EQ(in_quotes("a中b", 4), "\"a中…\"");
}

TEST(Listed, CountsWhatItLeavesOut) {
  const std::vector<std::string> items{"a", "b", "c"};
  EXPECT_EQ(listed(items, 3), "a, b, c");
  EXPECT_EQ(listed(items, 2), "a, b and 1 more");
  EXPECT_EQ(listed({}), "");
}

TEST(NearestWord, FindsTypingErrorsAndNothingElse) {
  const std::vector<std::string> words{"learning_rate", "seq_len", "user"};
  EXPECT_EQ(nearest_word("learning_rat", words), "learning_rate");
  EXPECT_EQ(nearest_word("usr", words), "user");
  EXPECT_EQ(nearest_word("suer", words), "user");  // a swap is one edit
  EXPECT_EQ(nearest_word("seqlen", words), "seq_len");
  EXPECT_EQ(nearest_word("batch", words), std::nullopt);
  EXPECT_EQ(nearest_word("", words), std::nullopt);
  EXPECT_EQ(nearest_word("user", {}), std::nullopt);
}

TEST(NearestWord, TakesTheFewestEditsAndTheFirstOfEquals) {
  const std::vector<std::string> words{"beta1", "beta2", "beta"};
  EXPECT_EQ(nearest_word("beta", words), "beta");
  EXPECT_EQ(nearest_word("beta3", words), "beta1");
}

TEST(DidYouMean, IsEmptyWhenNothingIsNear) {
  const std::vector<std::string> words{"user"};
  EXPECT_EQ(did_you_mean("usr", words), "did you mean \"user\"?");
  EXPECT_EQ(did_you_mean("assistant", words), "");
}

TEST(Split, KeepsEmptyPieces) {
  EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
}

TEST(Trimmed, DropsBlanksAtBothEnds) {
  EXPECT_EQ(trimmed(" \t a b \r\n"), "a b");
  EXPECT_EQ(trimmed(" \n "), "");
}

TEST(Joined, PutsTheSeparatorBetween) {
  const std::vector<std::string> items{"a", "b"};
  EXPECT_EQ(joined(items, " - "), "a - b");
}

TEST(LowerCase, TouchesAsciiLettersOnly) { EXPECT_EQ(lower_case("AbZ-É"), "abz-É"); }

TEST(ParseInteger, TakesWholeTextsInRangeOnly) {
  EXPECT_EQ(parse_integer("-42"), -42);
  EXPECT_EQ(parse_integer("9223372036854775807"), std::numeric_limits<int64_t>::max());
  for (const char* refused : {"", " 1", "1 ", "1.0", "+1", "0x1", "one", "9223372036854775808"}) {
    EXPECT_EQ(parse_integer(refused), std::nullopt) << refused;
  }
}

TEST(ParseReal, TakesWholeTextsOnly) {
  EXPECT_EQ(parse_real("1e-5"), 1e-5);
  EXPECT_EQ(parse_real("-.5"), -0.5);
  for (const char* refused : {"", "1e400", "1,5", "1.5s", "half"}) {
    EXPECT_EQ(parse_real(refused), std::nullopt) << refused;
  }
}

TEST(Shortest, ReadsBackAsTheSameDouble) {
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(3), "3");
  EXPECT_EQ(shortest(1e-6), "1e-06");
  for (const double value : {1.0 / 3, 5e-324, std::numeric_limits<double>::max(), -0.0}) {
    EXPECT_EQ(parse_real(shortest(value)), value);
  }
}

TEST(ReadableBytes, UsesTheLargestUnitBelowTheNumber) {
  EXPECT_EQ(readable_bytes(0), "0 B");
  EXPECT_EQ(readable_bytes(1023), "1023 B");
  EXPECT_EQ(readable_bytes(1536), "1.5 KiB");
  EXPECT_EQ(readable_bytes(3.0 * 1024 * 1024 * 1024), "3.0 GiB");
}

TEST(ReadableDuration, ChangesUnitWithoutShowingAFullOne) {
  EXPECT_EQ(readable_duration(0), "0ms");
  EXPECT_EQ(readable_duration(0.85), "850ms");
  EXPECT_EQ(readable_duration(0.9996), "1.0s");
  EXPECT_EQ(readable_duration(12.34), "12.3s");
  EXPECT_EQ(readable_duration(59.97), "1m00s");
  EXPECT_EQ(readable_duration(125), "2m05s");
  EXPECT_EQ(readable_duration(3599.9), "1h00m");
  EXPECT_EQ(readable_duration(3720), "1h02m");
  EXPECT_EQ(readable_duration(4 * 86400 + 3700), "4d01h");
  EXPECT_EQ(readable_duration(std::numeric_limits<double>::infinity()), "over 9999 days");
  EXPECT_EQ(readable_duration(std::nan("")), "over 9999 days");
}

}  // namespace
}  // namespace trex
