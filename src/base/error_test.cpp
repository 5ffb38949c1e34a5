#include "base/error.h"

#include <gmock/gmock.h>

#include "base/check.h"

namespace trex {
namespace {

TEST(Error, TextHasPlaceFieldExpectationValueAndHint) {
  const Error error =
      input_error("sft.jsonl:17", "messages[2].role", "one of system, user, assistant", "\"usr\"",
                  "did you mean \"user\"?");
  EXPECT_STREQ(
      error.what(),
      "sft.jsonl:17: messages[2].role: expected one of system, user, assistant; got \"usr\" "
      "(did you mean \"user\"?)");
}

TEST(Error, TextLeavesOutWhatIsEmpty) {
  EXPECT_STREQ(usage_error("trex", "a command", "nothing").what(),
               "trex: expected a command; got nothing");
  EXPECT_STREQ(input_error("", "size", "1 to 9", "0").what(), "size: expected 1 to 9; got 0");
  EXPECT_STREQ(input_error("a.toml", "", "", "a bad line").what(), "a.toml: got a bad line");
  EXPECT_STREQ(Error({.where = "training", .expected = "a finite loss"}).what(),
               "training: expected a finite loss");
}

TEST(Error, KindDecidesTheExitCode) {
  EXPECT_EQ(Error({.kind = ErrorKind::Failed}).exit_code(), 1);
  EXPECT_EQ(usage_error("", "", "").exit_code(), 2);
  EXPECT_EQ(input_error("", "", "", "").exit_code(), 3);
  EXPECT_EQ(environment_error("", "", "").exit_code(), 4);
}

TEST(Error, AtPutsTheOuterPlaceInFront) {
  const Error inner = input_error("line 3", "id", "a number", "nothing");
  EXPECT_STREQ(inner.at("a.toml").what(), "a.toml: line 3: id: expected a number; got nothing");
  EXPECT_STREQ(input_error("", "id", "a number", "nothing").at("a.toml").what(),
               "a.toml: id: expected a number; got nothing");
  EXPECT_EQ(inner.at("a.toml").kind(), ErrorKind::Input);
}

TEST(Error, SystemErrorsSayWhatTheSystemSaid) {
  EXPECT_STREQ(system_error("/x", "a readable file", ENOENT).what(),
               "/x: expected a readable file; got No such file or directory");
}

TEST(CheckDeathTest, BrokenInvariantStopsWithConditionMessageAndPlace) {
  const int n = 3;
  TREX_CHECK(n == 3);
  EXPECT_DEATH(TREX_CHECK(n < 3, "n is {}", n),
               "internal error: .*error_test.cpp:[0-9]+: expected n < 3: n is 3");
  EXPECT_DEATH(TREX_CHECK(n < 3), "error_test.cpp:[0-9]+: expected n < 3\n");
}

}  // namespace
}  // namespace trex
