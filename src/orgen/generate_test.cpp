#include "orgen/generate.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "orgen/checks.h"
#include "orgen/lexicon.h"

namespace trex::orgen {
namespace {

// Families whose problems are quick to solve, for tests of what generate() does with the rows of
// any.
const std::vector<std::string> kQuickFamilies{"knapsack", "transportation"};

GenerateSettings settings_for(int64_t count, const std::string& kind) {
  GenerateSettings settings;
  settings.count = count;
  settings.kind = kind;
  settings.workers = 1;
  return settings;
}

std::string generated(const GenerateSettings& settings, const Shard& shard = {}) {
  const TemporaryFolder out;
  NoProgress progress;
  return read_file(generate(settings, shard, out.path(), progress).file);
}

std::vector<Json> rows_of(const std::string& text) {
  std::vector<Json> rows;
  for (const std::string& line : split(text, '\n')) {
    if (!line.empty()) rows.push_back(parse_json(line, "row"));
  }
  return rows;
}

// What stands between quotes.
std::vector<std::string> in_quotation_marks(const std::string& program) {
  std::vector<std::string> parts;
  const auto pieces = split(program, '"');
  for (size_t i = 1; i < pieces.size(); i += 2) parts.emplace_back(pieces[i]);
  return parts;
}

TEST(Generate, BytesDoNotDependOnTheNumberOfWorkers) {
  auto settings = settings_for(250, "documents");
  settings.families = kQuickFamilies;
  const std::string one = generated(settings);
  settings.workers = 3;
  EXPECT_EQ(generated(settings), one);
  EXPECT_EQ(rows_of(one).size(), 250U);
}

TEST(Generate, ShardsInOrderAreTheWhole) {
  auto settings = settings_for(350, "questions");
  settings.families = kQuickFamilies;
  std::string joined_shards;
  for (int64_t i = 0; i < 3; ++i) joined_shards += generated(settings, {i, 3});
  EXPECT_EQ(joined_shards, generated(settings));
}

TEST(Generate, AnotherSeedGivesOtherRows) {
  auto settings = settings_for(20, "questions");
  const std::string first = generated(settings);
  settings.seed = 2;
  EXPECT_NE(generated(settings), first);
}

TEST(Generate, QuestionsHaveTheFieldsThatTrainingAndScoringRead) {
  for (const Json& json : rows_of(generated(settings_for(32, "questions")))) {
    const JsonObject row(json, "row");
    row.expect_only({"id", "family", "variant", "domain", "level", "split", "question", "program",
                     "answer", "messages"});
    const auto messages = row.objects("messages");
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(messages[0].string("role"), "user");
    EXPECT_EQ(messages[0].string("content"), row.string("question"));
    EXPECT_EQ(messages[1].string("role"), "assistant");
    EXPECT_EQ(messages[1].string("content"), "```python\n" + row.string("program") + "```\n");
    EXPECT_TRUE(std::isfinite(row.number("answer")));
  }
}

// Sorted; without the periods, which are keys: "{1: 40, 2: 35}".
std::vector<double> numbers_of_lines(const std::string& lines) {
  std::vector<double> numbers =
      numbers_in(std::regex_replace(lines, std::regex("\\b[0-9]+: "), ""), "");
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<double> numbers_of_passages(const std::string& text) {
  std::string period;
  for (const char* word : {"day", "week", "month", "quarter"}) {
    if (text.find(std::string(word) + " 1") != std::string::npos) period = word;
  }
  std::vector<double> numbers = numbers_in(text, period);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

TEST(Generate, AnExcerptIsSomePassagesAndTheirLinesOfData) {
  for (const Json& json : rows_of(generated(settings_for(64, "excerpts")))) {
    const JsonObject row(json, "row");
    row.expect_only(
        {"id", "family", "variant", "domain", "level", "split", "question", "program", "messages"});
    EXPECT_EQ(row.objects("messages")[0].string("content"), row.string("question"));
    EXPECT_EQ(row.objects("messages")[1].string("content"), row.string("program"));
    // The lines hold the passages' numbers, all of them and no other, and build no model.
    EXPECT_EQ(row.string("program").find("model"), std::string::npos);
    EXPECT_EQ(numbers_of_lines(row.string("program")), numbers_of_passages(row.string("question")))
        << row.string("question") << "\n"
        << row.string("program");
  }
}

TEST(Generate, HeldOutQuestionsDifferFromTraining) {
  auto settings = settings_for(96, "questions");
  std::set<std::string> train;
  for (const Json& row : rows_of(generated(settings))) train.insert(row["question"]);
  settings.split = "heldout";
  for (const Json& row : rows_of(generated(settings))) EXPECT_EQ(train.count(row["question"]), 0U);
}

TEST(Generate, InventedNamesKeepTheSplitsApart) {
  auto settings = settings_for(60, "excerpts");
  settings.families = {"diet"};
  settings.names = "invented";
  for (const auto& [split, other] :
       {std::pair(Split::Train, Split::Heldout), std::pair(Split::Heldout, Split::Train)}) {
    settings.split = std::string(to_string(split));
    const auto& own = names_of(kInventedNames, split);
    const auto& foreign = names_of(kInventedNames, other);
    int64_t num_names = 0;
    for (const Json& row : rows_of(generated(settings))) {
      const std::string program = row["program"];
      for (const std::string& part : in_quotation_marks(program)) {
        EXPECT_NE(std::find(own.begin(), own.end(), part), own.end()) << part;
        EXPECT_EQ(std::find(foreign.begin(), foreign.end(), part), foreign.end()) << part;
        ++num_names;
      }
    }
    EXPECT_GT(num_names, 100);
  }
}

TEST(Generate, MixedNamesAreRealAndInventedInEqualParts) {
  auto settings = settings_for(80, "questions");
  settings.families = {"diet", "knapsack"};
  settings.names = "mixed";
  const auto& invented = names_of(kInventedNames, Split::Train);
  int64_t num_invented = 0;
  for (const Json& row : rows_of(generated(settings))) {
    const auto first = in_quotation_marks(row["program"]).at(0);
    num_invented += std::find(invented.begin(), invented.end(), first) != invented.end();
  }
  EXPECT_EQ(num_invented, 40);
}

TEST(Generate, TextsToAvoidAreDrawnAgainAndCounted) {
  const TemporaryFolder folder;
  auto settings = settings_for(20, "questions");
  const std::string first = generated(settings);
  write_file(folder.path() / "seen.jsonl", first);
  settings.avoid = {folder.path() / "seen.jsonl"};
  NoProgress progress;
  const auto report = generate(settings, {}, folder.path() / "out", progress);
  const Json card = parse_json(read_file(folder.path() / "out" / "card.json"), "card");
  EXPECT_EQ(card["rejections"]["avoided"], 20);
  EXPECT_EQ(card["rows"], 20);
  std::set<std::string> seen;
  for (const Json& row : rows_of(first)) seen.insert(row["question"]);
  for (const Json& row : rows_of(read_file(report.file)))
    EXPECT_EQ(seen.count(row["question"]), 0U);
}

TEST(Generate, SomeDocumentsLackTheResultAndSomeShowARepair) {
  int with_result = 0, with_repair = 0;
  const auto rows = rows_of(generated(settings_for(400, "documents")));
  for (const Json& row : rows) {
    const std::string text = row["text"];
    with_result += text.find("\nResult: ") != std::string::npos ? 1 : 0;
    with_repair += text.find("\nFirst attempt\n") != std::string::npos ? 1 : 0;
    EXPECT_EQ(text.rfind(row["question"].get<std::string>(), 0), 0U);
  }
  // 85 % and just under 10 % of 400, within four standard deviations.
  EXPECT_NEAR(with_result, 340, 29);
  EXPECT_NEAR(with_repair, 36, 24);
}

TEST(Generate, UnknownFamilyAndLevelNameTheNearest) {
  auto settings = settings_for(1, "questions");
  settings.families = {"knapsak"};
  try {
    generated(settings);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Input);
    EXPECT_NE(std::string(error.what()).find("did you mean \"knapsack\"?"), std::string::npos);
  }
  settings.families = {};
  settings.levels = {"tinny"};
  EXPECT_THROW(generated(settings), Error);
}

TEST(Generate, ShardsAreReadStrictly) {
  EXPECT_EQ(parse_shard("2/3").index, 1);
  for (const char* text : {"0/3", "4/3", "1", "a/b", "1/3/5", ""}) {
    EXPECT_THROW(parse_shard(text), Error) << text;
  }
}

// A process that is killed while it writes blocks leaves a folder that a second run completes to
// the same bytes.
TEST(Generate, KilledRunIsContinuedToTheSameBytes) {
  auto settings = settings_for(800, "questions");
  settings.families = {"transportation"};
  const std::string expected = generated(settings);
  const TemporaryFolder out;
  const Path parts = out.path() / "parts";
  for (const size_t wanted : {3, 6}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      NoProgress progress;
      generate(settings, {}, out.path(), progress);
      ::_exit(0);
    }
    const auto num_parts = [&] {
      return std::filesystem::exists(parts) ? files_below(parts).size() : 0;
    };
    while (num_parts() < wanted && ::waitpid(child, nullptr, WNOHANG) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ASSERT_GE(num_parts(), wanted);
    EXPECT_FALSE(is_done(out.path()));
  }
  NoProgress progress;
  EXPECT_EQ(read_file(generate(settings, {}, out.path(), progress).file), expected);
  EXPECT_TRUE(is_done(out.path()));
}

TEST(Generate, BlocksOfOtherSettingsAreNotUsed) {
  const TemporaryFolder out;
  write_file(out.path() / "parts" / "key", "other");
  write_file(out.path() / "parts" / "00000000.jsonl",
             "{\"rejections\":{}}\n{\"question\":\"stale\"}\n");
  NoProgress progress;
  const auto settings = settings_for(10, "questions");
  EXPECT_EQ(read_file(generate(settings, {}, out.path(), progress).file), generated(settings));
}

}  // namespace
}  // namespace trex::orgen
