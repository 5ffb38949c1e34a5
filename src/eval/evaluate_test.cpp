// Records, order and resumption, with a benchmark that grades without running anything.
#include "eval/evaluate.h"

#include <gmock/gmock.h>

#include <atomic>

#include "base/error.h"

namespace trex::eval {
namespace {

using testing::HasSubstr;

std::atomic<int> num_graded{0};

// Right when the reply is the question.
const Benchmark kEcho{
    .name = "echo",
    .summary = {},
    .licence = {},
    .source = {},
    .sample = {},
    .num_sample_items = 0,
    .load = nullptr,
    .prompt =
        [](const Item& item) {
          return Json::array({{{"role", "user"}, {"content", item.question}}});
        },
    .grade =
        [](const Item& item, std::string_view reply, const GradeLimits&) {
          ++num_graded;
          const Reason reason = reply == item.question ? Reason::Correct : Reason::WrongValue;
          return Graded{.verdict = {.reason = reason},
                        .strict = {.reason = Reason::WrongValue},
                        .code = std::string(reply),
                        .rule = "echo",
                        .run = {}};
        },
};

class Evaluate : public testing::Test {
 protected:
  Evaluate() {
    for (int i = 0; i < 20; ++i) {
      const std::string id = "q" + std::to_string(i);
      items_.push_back({.id = id, .question = "text " + id});
      replies_[id] = {.text = i % 3 == 0 ? items_.back().question : "no", .finish_reason = "stop"};
    }
    num_graded = 0;
  }

  Evaluation run(int workers = 2) {
    NoProgress progress;
    return evaluate({.benchmark = kEcho,
                     .items = items_,
                     .replies = replies_,
                     .limits = {},
                     .workers = workers,
                     .records = records(),
                     .code_version = "1.2.3"},
                    progress);
  }
  Path records() const { return folder_.path() / "records.jsonl"; }

  TemporaryFolder folder_;
  std::vector<Item> items_;
  std::map<std::string, Reply> replies_;
};

TEST_F(Evaluate, ReturnsRecordsInTheOrderOfTheItemsForAnyNumberOfWorkers) {
  const auto two = run(2);
  std::filesystem::remove(records());
  const auto one = run(1);
  ASSERT_EQ(one.records.size(), 20u);
  EXPECT_EQ(one.records, two.records);
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(one.records[i]["id"], items_[i].id);
    EXPECT_EQ(one.records[i]["correct"], i % 3 == 0);
  }
}

TEST_F(Evaluate, RecordsWhoAnsweredHowAndWithWhatVerdict) {
  replies_["q3"] = {.text = "text q3",
                    .finish_reason = "length",
                    .model = "m",
                    .seed = 42,
                    .usage = {{"completion_tokens", 7}}};
  const Json record = run().records[3];
  EXPECT_EQ(record["row"], 3);
  EXPECT_EQ(record["correct"], true);
  EXPECT_EQ(record["model"], "m");
  EXPECT_EQ(record["seed"], 42);
  EXPECT_EQ(record["usage"]["completion_tokens"], 7);
  EXPECT_EQ(record["finish_reason"], "length");
  EXPECT_EQ(record["strict"], Json({{"correct", false}, {"reason", "wrong_value"}}));
  EXPECT_EQ(record["code_version"], "1.2.3");
  const Json other = run().records[4];
  EXPECT_TRUE(other["model"].is_null());
  EXPECT_TRUE(other["seed"].is_null());
  EXPECT_TRUE(other["usage"].is_null());
}

TEST_F(Evaluate, SkipsWhatIsOnRecord) {
  const auto first = run();
  EXPECT_EQ(num_graded, 20);
  const auto second = run();
  EXPECT_EQ(num_graded, 20);
  EXPECT_EQ(second.num_graded, 0);
  EXPECT_EQ(second.records, first.records);
}

TEST_F(Evaluate, GradesARowAgainWhoseLineWasTornByAKill) {
  const auto whole = run();
  std::string lines = read_file(records());
  lines.resize(lines.size() - 10);
  write_file(records(), lines);
  const auto resumed = run();
  EXPECT_EQ(num_graded, 21);
  EXPECT_EQ(resumed.records, whole.records);
  EXPECT_EQ(run().num_graded, 0);
}

TEST_F(Evaluate, CountsAFailedRequestAndTriesItAgain) {
  replies_["q4"].text.reset();
  const auto first = run();
  EXPECT_EQ(first.records[4]["reason"], "no_reply");
  EXPECT_EQ(first.records[4]["correct"], false);
  replies_["q4"].text = items_[4].question;
  const auto second = run();
  EXPECT_EQ(second.num_graded, 1);
  EXPECT_EQ(second.records[4]["reason"], "correct");
  EXPECT_EQ(run().records[4]["reason"], "correct");  // the later line counts
}

TEST_F(Evaluate, PassesOnWhatEndedAWorker) {
  Benchmark broken = kEcho;
  broken.grade = [](const Item&, std::string_view, const GradeLimits&) -> Graded {
    throw environment_error("sandbox", "namespaces", "none");
  };
  NoProgress progress;
  EXPECT_THROW(evaluate({.benchmark = broken,
                         .items = items_,
                         .replies = replies_,
                         .limits = {},
                         .workers = 2,
                         .records = records()},
                        progress),
               Error);
}

TEST_F(Evaluate, NamesTheLineOfADamagedRecord) {
  write_file(records(), "{\"id\": \"q1\", \"correct\": true, \"reason\": \"fine\"}\n");
  try {
    run();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("records.jsonl:1: reason: expected a reason of a verdict; got \"fine\""));
  }
}

TEST(Manifest, RefusesToMixRuns) {
  TemporaryFolder folder;
  const Path file = folder.path() / "manifest.json";
  check_manifest(file, {{"benchmark", "echo"}, {"limit", 10}});
  check_manifest(file, {{"benchmark", "echo"}, {"limit", 10}});
  try {
    check_manifest(file, {{"benchmark", "echo"}, {"limit", 20}});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              file.string() +
                  ": limit: expected 10, as this folder's records were made with; got 20 "
                  "(use another --out, or remove the folder)");
  }
}

class Replies : public testing::Test {
 protected:
  std::string error_of(const std::string& lines) {
    write_file(folder_.path() / "r.jsonl", lines);
    try {
      read_replies(folder_.path() / "r.jsonl", std::vector<Item>{{.id = "a"}, {.id = "b"}});
    } catch (const Error& error) {
      return std::string(error.what()).substr(folder_.path().string().size() + 1);
    }
    return "";
  }
  TemporaryFolder folder_;
};

TEST_F(Replies, MustAnswerEachItemOnce) {
  EXPECT_EQ(error_of("{\"id\":\"a\",\"reply\":\"x\"}\n{\"id\":\"b\",\"reply\":null}\n{\"id\":"
                     "\"other\",\"reply\":\"\"}\n"),
            "");
  EXPECT_EQ(error_of("{\"id\":\"a\",\"reply\":\"x\"}\n"),
            "r.jsonl: id: expected a reply to every item; got none to \"b\" (a failed request is a "
            "row whose "
            "reply is null)");
  EXPECT_EQ(error_of("{\"id\":\"a\",\"reply\":\"x\"}\n{\"id\":\"a\",\"reply\":\"y\"}\n"),
            "r.jsonl:2: id: expected one row for each id; got \"a\"");
  EXPECT_EQ(error_of("{\"id\":\"a\",\"reply\":\"x\",\"seed\":\"7\"}\n"),
            "r.jsonl:1: seed: expected a whole number; got \"7\"");
  EXPECT_EQ(error_of("{\"id\":\"a\",\"reply\":7}\n"), "r.jsonl:1: reply: expected a string; got 7");
}

}  // namespace
}  // namespace trex::eval
