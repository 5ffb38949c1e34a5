// What every benchmark promises. A new file in src/eval/benchmarks is tested without an edit here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "eval/benchmark.h"

namespace trex::eval {
namespace {

constexpr GradeLimits kLimits{.time = std::chrono::seconds(30)};
constexpr size_t kGraded = 6;  // items of a benchmark that are run, evenly spread

class BenchmarkContract : public testing::TestWithParam<const Benchmark*> {
 protected:
  static const Benchmark& benchmark() { return *GetParam(); }
  static Path sample() { return Path(TREX_SOURCE_DIR) / benchmark().sample; }
  static std::vector<Item> items() { return benchmark().load({sample()}); }

  static std::vector<Item> graded_items() {
    const auto all = items();
    std::vector<Item> some;
    const size_t count = std::min(kGraded, all.size());
    for (size_t i = 0; i < count; ++i) some.push_back(all[i * all.size() / count]);
    return some;
  }

  // The item's own program, or the smallest one that comes to the label.
  static std::string gold_program(const Item& item) {
    if (!item.program.empty()) return item.program;
    return fmt::format(
        "import gurobipy as gp\nmodel = gp.Model()\nx = model.addVar(lb={0}, ub={0})\n"
        "model.setObjective(x)\nmodel.optimize()\nprint(model.ObjVal)\n",
        item.label);
  }

  static std::string fenced(const std::string& program) {
    return "Thus:\n```python\n" + program + "\n```\n";
  }

  static Verdict grade(const Item& item, const std::string& reply) {
    return benchmark().grade(item, reply, kLimits).verdict;
  }
};

TEST_P(BenchmarkContract, TellsWhatItIs) {
  EXPECT_FALSE(benchmark().summary.empty());
  EXPECT_FALSE(benchmark().licence.empty());
  EXPECT_FALSE(benchmark().source.empty());
}

TEST_P(BenchmarkContract, SampleLoadsWithTheStatedCountAndUniqueIds) {
  const auto all = items();
  EXPECT_EQ(static_cast<int64_t>(all.size()), benchmark().num_sample_items);
  std::set<std::string> ids;
  for (const Item& item : all) EXPECT_TRUE(ids.insert(item.id).second) << item.id;
}

TEST_P(BenchmarkContract, PromptEndsWithTheUserAndHoldsTheQuestionButNoAnswer) {
  for (const Item& item : items()) {
    const Json prompt = benchmark().prompt(item);
    EXPECT_EQ(prompt.back()["role"], "user");
    EXPECT_NE(prompt.back()["content"].get<std::string>().find(item.question), std::string::npos)
        << item.id;
    for (const Json& message : prompt) EXPECT_NE(message["role"], "assistant");
  }
}

TEST_P(BenchmarkContract, GoldAnswersAreCorrect) {
  for (const Item& item : graded_items()) {
    const Verdict verdict = grade(item, fenced(gold_program(item)));
    EXPECT_EQ(to_string(verdict.reason), "correct") << item.id << ": " << verdict.detail;
    ASSERT_TRUE(verdict.value);
    EXPECT_NEAR(*verdict.value, item.label, kValueTolerance);
  }
}

TEST_P(BenchmarkContract, PerturbedAnswersAreWrong) {
  for (Item item : graded_items()) {
    const std::string reply = fenced(gold_program(item));
    for (const double change : {2e-6, -1.0}) {
      Item other = item;
      other.label += change;
      EXPECT_EQ(to_string(grade(other, reply).reason), "wrong_value") << item.id;
    }
  }
}

TEST_P(BenchmarkContract, EmptyCutAndRamblingRepliesAreUnreadable) {
  const Item item = items().front();
  const std::string whole = fenced(gold_program(item));
  const std::string cut = whole.substr(0, whole.rfind("optimize(") + 9);
  const std::string bytes("\xff\xfe\0\x80 not text", 14);
  for (const std::string& reply :
       {std::string(), std::string(" \n"), cut, std::string("I think that it is 42."), bytes,
        std::string(100'000, '('), std::string("```python\n```")}) {
    const Verdict verdict = grade(item, reply);
    EXPECT_TRUE(is_unreadable(verdict.reason))
        << to_string(verdict.reason) << ": " << reply.substr(0, 60);
    EXPECT_FALSE(verdict.value);
  }
}

TEST_P(BenchmarkContract, GradesTheSameTwice) {
  const Item item = items().back();
  for (const std::string& reply :
       {fenced(gold_program(item)), std::string("no code"), fenced("1 / 0")}) {
    const Verdict first = grade(item, reply), second = grade(item, reply);
    EXPECT_EQ(first.reason, second.reason);
    EXPECT_EQ(first.value, second.value);
    EXPECT_EQ(first.detail, second.detail);
  }
}

INSTANTIATE_TEST_SUITE_P(All, BenchmarkContract,
                         testing::ValuesIn(Registry<Benchmark>::instance().entries()),
                         [](const auto& one) { return std::string(one.param->name); });

TEST(Benchmarks, AreAtLeastTheTwoThatWeShip) {
  EXPECT_GE(Registry<Benchmark>::instance().entries().size(), 2u);
}

TEST(Benchmarks, NameTheNearestOneForAMisspeltOne) {
  try {
    find_benchmark("nl4op", "x.toml");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "x.toml: benchmark: expected one of generated, nl4opt; got \"nl4op\" (did you mean "
              "\"nl4opt\"?)");
  }
}

}  // namespace
}  // namespace trex::eval
