#include "base/json.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/error.h"

namespace trex {
namespace {

using testing::ElementsAre;

// The text of the error of `action`, which must be an Input error.
template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Input);
    return error.what();
  }
  return "accepted";
}

TEST(ParseJson, RefusalsShowWhereAndWhat) {
  const auto refused = [](std::string_view text) {
    return refusal([&] { parse_json(text, "f:1"); });
  };
  EXPECT_EQ(refused(""), "f:1: expected JSON; got the end at byte 0");
  EXPECT_EQ(refused("{\"a\": 1"), "f:1: expected JSON; got the end at byte 7");
  EXPECT_EQ(refused("{\"a\": nil}"), "f:1: expected JSON; got \"il}\" at byte 7");
  EXPECT_EQ(refused("[1,]"), "f:1: expected JSON; got \"]\" at byte 3");
  EXPECT_EQ(refused("[1] 2"), "f:1: expected JSON; got \"2\" at byte 4");
  EXPECT_EQ(refused("[1e999]"), "f:1: expected numbers in the range of a double; got a larger one");
  EXPECT_EQ(refused("NaN"), "f:1: expected JSON; got \"NaN\" at byte 0");
  EXPECT_THAT(refused("\"\xff\""), testing::StartsWith("f:1: expected JSON; got "));
}

TEST(ParseJson, DeepNestingIsNoDanger) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(refusal([&] { parse_json(deep, "f"); }),
            "f: expected JSON; got the end at byte 1000000");
  EXPECT_EQ(refusal([&] { parse_json(deep + std::string(deep.size(), ']'), "f"); }), "accepted");
}

TEST(ToLine, KeepsKeyOrderAndEveryBitOfANumber) {
  const Json value = parse_json(R"({"b": 0.1, "a": [1e300, -0.0], "c": 9007199254740993})", "f");
  EXPECT_EQ(to_line(value), R"({"b":0.1,"a":[1e+300,-0.0],"c":9007199254740993})");
  const double third = 1.0 / 3;
  EXPECT_EQ(parse_json(to_line(Json(third)), "f").get<double>(), third);
  EXPECT_EQ(to_line(Json("a\xff"
                         "b\n")),
            "\"a\uFFFDb\\n\"");
}

class JsonObjectTest : public testing::Test {
 protected:
  const Json value_ = parse_json(R"({
      "text": "abc", "number": 1.5, "whole": -7, "big": 9223372036854775808, "truth": true,
      "none": null, "inner": {"x": 1}, "list": [1, 2], "reals": [1, 2.5], "words": ["a", "b"],
      "objects": [{"x": 1}, {"x": 2}], "mixed": [1, "b", {}], "bigs": [9223372036854775808]})",
                                 "f:3");
  const JsonObject row_{value_, "f:3"};
};

TEST_F(JsonObjectTest, GivesTypedValues) {
  EXPECT_EQ(row_.string("text"), "abc");
  EXPECT_EQ(row_.number("number"), 1.5);
  EXPECT_EQ(row_.number("whole"), -7);
  EXPECT_EQ(row_.integer("whole"), -7);
  EXPECT_TRUE(row_.boolean("truth"));
  EXPECT_EQ(row_.object("inner").integer("x"), 1);
  EXPECT_EQ(row_.objects("objects")[1].integer("x"), 2);
  EXPECT_THAT(row_.numbers("reals"), ElementsAre(1, 2.5));
  EXPECT_THAT(row_.integers("list"), ElementsAre(1, 2));
  EXPECT_THAT(row_.strings("words"), ElementsAre("a", "b"));
}

TEST_F(JsonObjectTest, FallsBackOnlyWhenTheFieldIsMissing) {
  EXPECT_EQ(row_.string_or("nothing", "x"), "x");
  EXPECT_EQ(row_.number_or("nothing", 2), 2);
  EXPECT_EQ(row_.integer_or("nothing", 3), 3);
  EXPECT_TRUE(row_.boolean_or("nothing", true));
  EXPECT_EQ(row_.integer_or("whole", 3), -7);
  EXPECT_EQ(refusal([&] { row_.string_or("none", "x"); }),
            "f:3: none: expected a string; got null");
}

TEST_F(JsonObjectTest, RefusalsOfScalarsNameTheField) {
  EXPECT_EQ(refusal([&] { row_.string("nothing"); }),
            "f:3: nothing: expected a string; got nothing");
  EXPECT_EQ(refusal([&] { row_.string("number"); }), "f:3: number: expected a string; got 1.5");
  EXPECT_EQ(refusal([&] { row_.number("text"); }), "f:3: text: expected a number; got \"abc\"");
  EXPECT_EQ(refusal([&] { row_.number("truth"); }), "f:3: truth: expected a number; got true");
  EXPECT_EQ(refusal([&] { row_.integer("number"); }),
            "f:3: number: expected a whole number; got 1.5");
  EXPECT_EQ(refusal([&] { row_.integer("big"); }),
            "f:3: big: expected a whole number; got 9223372036854775808");
  EXPECT_EQ(refusal([&] { row_.boolean("whole"); }), "f:3: whole: expected true or false; got -7");
  const Json infinite{{"x", INFINITY}};
  EXPECT_EQ(refusal([&] { JsonObject(infinite, "f").number("x"); }),
            "f: x: expected a finite number; got inf");
}

TEST_F(JsonObjectTest, RefusalsOfListsNameTheItem) {
  EXPECT_EQ(refusal([&] { row_.object("list"); }), "f:3: list: expected an object; got a list");
  EXPECT_EQ(refusal([&] { row_.objects("text"); }),
            "f:3: text: expected a list of objects; got \"abc\"");
  EXPECT_EQ(refusal([&] { row_.objects("list"); }), "f:3: list[0]: expected an object; got 1");
  EXPECT_EQ(refusal([&] { row_.numbers("inner"); }),
            "f:3: inner: expected a list of numbers; got an object");
  EXPECT_EQ(refusal([&] { row_.numbers("mixed"); }), "f:3: mixed[1]: expected a number; got \"b\"");
  EXPECT_EQ(refusal([&] { row_.integers("reals"); }),
            "f:3: reals[1]: expected a whole number; got 2.5");
  EXPECT_EQ(refusal([&] { row_.integers("bigs"); }),
            "f:3: bigs[0]: expected a whole number; got 9223372036854775808");
  EXPECT_EQ(refusal([&] { row_.strings("mixed"); }), "f:3: mixed[0]: expected a string; got 1");
  EXPECT_EQ(refusal([&] { row_.objects("objects")[1].string("y"); }),
            "f:3: objects[1].y: expected a string; got nothing");
}

TEST_F(JsonObjectTest, RefusesWhatIsNoObjectAndUnknownFields) {
  EXPECT_EQ(refusal([] { JsonObject(Json::array(), "f:9"); }),
            "f:9: expected an object; got a list");
  const JsonObject inner = row_.object("inner");
  EXPECT_EQ(refusal([&] { inner.expect_only({"x"}); }), "accepted");
  EXPECT_EQ(refusal([&] { inner.expect_only({"xs"}); }),
            "f:3: inner.x: expected a known field; got \"x\"");
  const Json misspelt{{"learning_rat", 1}};
  EXPECT_EQ(refusal([&] { JsonObject(misspelt, "f").expect_only({"learning_rate"}); }),
            "f: learning_rat: expected a known field; got \"learning_rat\" (did you mean "
            "\"learning_rate\"?)");
}

class LineReaderTest : public testing::Test {
 protected:
  Path file(const std::string& bytes, const std::string& name = "rows.jsonl") {
    write_file(folder_.path() / name, bytes);
    return folder_.path() / name;
  }

  static std::vector<std::string> places_and_values(const Path& path) {
    std::vector<std::string> found;
    LineReader lines(path);
    while (const auto line = lines.next()) {
      found.push_back(line->where.substr(line->where.rfind('/') + 1) + " " + to_line(line->value));
    }
    return found;
  }

  TemporaryFolder folder_;
};

TEST_F(LineReaderTest, NumbersLinesSkipsBlankOnesAndNeedsNoLastNewline) {
  EXPECT_THAT(places_and_values(file("{\"a\":1}\n\n  \n[2]\r\n3")),
              ElementsAre("rows.jsonl:1 {\"a\":1}", "rows.jsonl:4 [2]", "rows.jsonl:5 3"));
  EXPECT_THAT(places_and_values(file("")), ElementsAre());
  EXPECT_THAT(places_and_values(file("\n")), ElementsAre());
  EXPECT_THAT(places_and_values(file("1\n2\n", "packed.zst")),
              ElementsAre("packed.zst:1 1", "packed.zst:2 2"));
}

TEST_F(LineReaderTest, StopsAtTheFirstLineThatIsNotJson) {
  const Path path = file("1\n{\"a\n3\n");
  LineReader lines(path);
  EXPECT_EQ(lines.next()->value, 1);
  EXPECT_EQ(refusal([&] { lines.next(); }),
            path.string() + ":2: expected JSON; got the end at byte 3");
}

}  // namespace
}  // namespace trex
