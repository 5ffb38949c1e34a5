#include "eval/summary.h"

#include <gmock/gmock.h>

#include <vector>

namespace trex::eval {
namespace {

// Method 3 of table I in Newcombe, "Two-sided confidence intervals for the single proportion",
// Statistics in Medicine 17 (1998): printed to four places.
TEST(WilsonInterval, AgreesWithNewcombesTable) {
  struct Row {
    int64_t correct, items;
    double low, high;
  };
  for (const Row& row : {Row{81, 263, 0.2553, 0.3662}, Row{15, 148, 0.0624, 0.1605},
                         Row{0, 20, 0, 0.1611}, Row{1, 29, 0.0061, 0.1718}}) {
    const auto [low, high] = wilson_interval(row.correct, row.items);
    EXPECT_NEAR(low, row.low, 5e-5) << row.correct;
    EXPECT_NEAR(high, row.high, 5e-5) << row.correct;
  }
}

TEST(WilsonInterval, IsMirroredAndWithinZeroAndOne) {
  const auto [low, high] = wilson_interval(20, 20);
  EXPECT_NEAR(low, 1 - 0.1611, 5e-5);
  EXPECT_EQ(high, 1);
  EXPECT_EQ(wilson_interval(0, 0), std::pair(0.0, 1.0));
}

Json record(bool correct, const char* reason, const char* family, Json flags, Json value,
            const char* finish = "stop") {
  return {{"correct", correct},        {"reason", reason},          {"family", family},
          {"flags", std::move(flags)}, {"value", std::move(value)}, {"finish_reason", finish}};
}

const std::vector<Json> kRecords{
    record(true, "correct", "diet", Json::array(), 3.0),
    record(false, "wrong_value", "diet", Json::array(), 4.0),
    record(true, "correct", "knapsack", {"label_disputed"}, 7.0),
    record(false, "syntax_error", "knapsack", Json::array(), nullptr, "length")};

TEST(Summary, CountsAllUnflaggedFamiliesAndReasons) {
  const Json json = to_json(summarise(kRecords));
  EXPECT_EQ(json["num_items"], 4);
  EXPECT_EQ(json["pass_at_1"], 0.5);
  EXPECT_EQ(json["unflagged"]["num_items"], 3);
  EXPECT_EQ(json["unflagged"]["num_correct"], 1);
  EXPECT_EQ(json["by_family"]["diet"]["num_items"], 2);
  EXPECT_EQ(json["by_family"]["knapsack"]["pass_at_1"], 0.5);
  EXPECT_EQ(json["by_reason"], Json({{"correct", 2}, {"syntax_error", 1}, {"wrong_value", 1}}));
  EXPECT_EQ(json["num_with_value"], 3);
  EXPECT_EQ(json["num_cut_off"], 1);
}

TEST(Summary, CountsTheProgramsThatUsedOrMissedAPartOfTheModule) {
  std::vector<Json> records = kRecords;
  records[0]["run"] = {{"features", {"Model.addVar", "quicksum"}}, {"unsupported", Json::array()}};
  records[1]["run"] = {{"features", {"Model.addVar"}}, {"unsupported", {"abs_", "abs_"}}};
  records[2]["run"] = {{"ending", "exited"}};  // as an older version wrote it
  records[3]["run"] = nullptr;                 // nothing to run
  const Json json = to_json(summarise(records));
  EXPECT_EQ(json["by_feature"], Json({{"Model.addVar", 2}, {"quicksum", 1}}));
  EXPECT_EQ(json["by_unsupported"], Json({{"abs_", 1}}));
}

TEST(Summary, HasNoUnflaggedScoreWhenNoRowHasAFlag) {
  EXPECT_TRUE(to_json(summarise(std::vector<Json>{kRecords[0]}))["unflagged"].is_null());
}

TEST(Summary, TableShowsScoreIntervalAndReasons) {
  EXPECT_EQ(table_of("generated", summarise(std::vector<Json>{kRecords[0], kRecords[1]})),
            "                               rows  correct    Pass@1   95 % interval\n"
            "generated                         2        1    50.0 %   9.5 to 90.5 %\n"
            "  diet                            2        1    50.0 %   9.5 to 90.5 %\n"
            "\n"
            "correct                           1\n"
            "wrong_value                       1\n");
}

}  // namespace
}  // namespace trex::eval
