#include "eval/verdict.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "sandbox/sandbox.h"

namespace trex::eval {
namespace {

using sandbox::Ending;

ProgramRun solved(double objective, int64_t status = 2) {
  ProgramRun run;
  run.end = EndReport{.model_name = "model",
                      .status = status,
                      .objective = objective,
                      .features = {},
                      .unsupported = {}};
  return run;
}

ProgramRun raised(const std::string& errors) {
  ProgramRun run;
  run.execution.exit_code = 1;
  run.execution.errors = errors;
  return run;
}

TEST(JudgeValue, AcceptsWithinTheAbsoluteTolerance) {
  EXPECT_EQ(judge_value(solved(3000), 3000).reason, Reason::Correct);
  EXPECT_EQ(judge_value(solved(3000 + 0.9e-6), 3000).reason, Reason::Correct);
  EXPECT_EQ(judge_value(solved(3000 + 1.1e-6), 3000).reason, Reason::WrongValue);
  EXPECT_EQ(judge_value(solved(1e9 + 1e-3), 1e9).reason, Reason::WrongValue);  // not relative
  EXPECT_EQ(judge_value(solved(-0.0), 0).reason, Reason::Correct);
  EXPECT_EQ(judge_value(solved(-5), 5).reason, Reason::WrongValue);
  EXPECT_EQ(judge_value(solved(std::nan("")), 5).reason, Reason::WrongValue);
}

TEST(JudgeValue, StrictlyTakesTheToleranceTimesTheLabelsSize) {
  const auto strictly = [](double value, double label) {
    return judge_value(solved(value), label, Rule::Strict).reason;
  };
  EXPECT_EQ(strictly(1e9 + 999, 1e9), Reason::Correct);
  EXPECT_EQ(strictly(-1e9 - 999, -1e9), Reason::Correct);
  EXPECT_EQ(strictly(1e9 + 1001, 1e9), Reason::WrongValue);
  EXPECT_EQ(strictly(0.9e-6, 0), Reason::Correct);  // never less than the absolute one
  EXPECT_EQ(strictly(1.1e-6, 0), Reason::WrongValue);
  EXPECT_EQ(judge_value(solved(7, 9), 7, Rule::Strict).reason, Reason::OtherStatus);
}

TEST(JudgeValue, TakesAValueFromAnOptimumOnly) {
  EXPECT_EQ(judge_value(solved(7, 9), 7).reason, Reason::OtherStatus);
  EXPECT_EQ(judge_value(solved(7, 13), 7).reason, Reason::OtherStatus);
  EXPECT_FALSE(judge_value(solved(7, 9), 7).value);
  EXPECT_EQ(judge_value(solved(0, 1), 0).reason, Reason::NotSolved);
  EXPECT_EQ(judge_value(solved(0, 3), 0).reason, Reason::Infeasible);
  EXPECT_EQ(judge_value(solved(0, 5), 0).reason, Reason::Unbounded);
}

TEST(JudgeValue, NamesWhyThereIsNoModel) {
  EXPECT_EQ(judge_value({}, 1).reason, Reason::ModelNotFound);
  ProgramRun other_name;
  other_name.end = EndReport{};
  EXPECT_EQ(judge_value(other_name, 1).reason, Reason::ModelNotFound);
}

TEST(JudgeValue, NamesHowTheProgramWasStopped) {
  const auto reason = [](Ending ending) {
    ProgramRun run = solved(1);  // a report from before the end does not help
    run.execution.ending = ending;
    return judge_value(run, 1).reason;
  };
  EXPECT_EQ(reason(Ending::WallLimit), Reason::Timeout);
  EXPECT_EQ(reason(Ending::CpuLimit), Reason::Timeout);
  EXPECT_EQ(reason(Ending::MemoryLimit), Reason::Memory);
  EXPECT_EQ(reason(Ending::OutputLimit), Reason::OutputLimit);
  EXPECT_EQ(reason(Ending::Violation), Reason::SandboxViolation);
  EXPECT_EQ(reason(Ending::Signalled), Reason::Crashed);
}

TEST(JudgeValue, NamesTheException) {
  struct Case {
    const char* errors;
    Reason reason;
    const char* detail;
  };
  const Case cases[] = {
      {"Traceback (most recent call last):\n  File \"main.py\", line 3\nNameError: name 'x' is not "
       "defined\n",
       Reason::NameError, "NameError: name 'x' is not defined"},
      {"  File \"main.py\", line 1\n    x = (\n        ^\nSyntaxError: '(' was never closed\n",
       Reason::SyntaxError, "SyntaxError: '(' was never closed"},
      {"IndentationError: unexpected indent\n", Reason::SyntaxError,
       "IndentationError: unexpected indent"},
      {"ModuleNotFoundError: No module named 'pulp'\n", Reason::ImportError,
       "ModuleNotFoundError: No module named 'pulp'"},
      {"Traceback\nKeyError: ('a', 1)\n", Reason::KeyError, "KeyError: ('a', 1)"},
      {"MemoryError\n", Reason::Memory, "MemoryError"},
      {"gurobipy.GurobiError: bad\nsecond line of it\n", Reason::GurobiError,
       "gurobipy.GurobiError: bad"},
      {"ZeroDivisionError: division by zero\n", Reason::OtherError,
       "ZeroDivisionError: division by zero"},
  };
  for (const Case& one : cases) {
    const Verdict verdict = judge_value(raised(one.errors), 1);
    EXPECT_EQ(to_string(verdict.reason), to_string(one.reason)) << one.errors;
    EXPECT_EQ(verdict.detail, one.detail);
  }
}

TEST(JudgeValue, BlamesTheModuleForACallThatItLacks) {
  ProgramRun run = raised("gurobipy.GurobiError: addGenConstrSin is not supported\n");
  run.end = EndReport{.model_name = "model",
                      .status = 1,
                      .objective = {},
                      .features = {},
                      .unsupported = {"addGenConstrSin"}};
  const Verdict verdict = judge_value(run, 1);
  EXPECT_EQ(verdict.reason, Reason::UnsupportedApi);
  EXPECT_EQ(verdict.detail, "addGenConstrSin");
}

TEST(JudgeValue, AnExitCodeOfItsOwnChoiceIsNoError) {
  ProgramRun run = solved(4);
  run.execution.exit_code = 3;
  run.execution.errors = "a warning: see the log\n";
  EXPECT_EQ(judge_value(run, 4).reason, Reason::Correct);
}

TEST(Reasons, ReadBackAsWritten) {
  for (int i = 0; i <= static_cast<int>(Reason::NoReply); ++i) {
    const auto reason = static_cast<Reason>(i);
    EXPECT_FALSE(to_string(reason).empty()) << i;
    EXPECT_EQ(parse_reason(to_string(reason), "test"), reason);
  }
  EXPECT_THROW(parse_reason("fine", "records.jsonl:3"), Error);
}

TEST(EndReports, NeedTheSecret) {
  const std::string forged =
      R"({"secret":"guess","event":"end","name":"model","model":0,"status":2,"objective":5})";
  const std::string real =
      R"({"secret":"s","event":"end","name":"model","model":0,"status":2,"objective":4.5})";
  EXPECT_FALSE(find_end_report(forged + "\n", "s"));
  const auto found =
      find_end_report("noise\n" + real + "\n" + forged + "\n[]\n{\"secret\":\"s\"}\n", "s");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->objective, 4.5);
}

TEST(EndReports, AreNotTheReportsOfSingleOptimizations) {
  EXPECT_FALSE(find_end_report(
      R"({"secret":"s","event":"optimize","model":0,"status":2,"objective":4.5})", "s"));
  const auto found = find_end_report(R"({"secret":"s","event":"end","name":null})", "s");
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->model_name);
}

TEST(Prepared, AddsMissingImportsAndThePathOfTheData) {
  EXPECT_EQ(prepared("x = 1"), "import gurobipy as gp\nimport json\nx = 1");
  EXPECT_EQ(prepared("import json\nfrom gurobipy import *"), "import json\nfrom gurobipy import *");
  EXPECT_EQ(
      prepared("import gurobipy, json\nopen('data.json'), 'data.json'"),
      fmt::format("import json\nimport gurobipy, json\nopen('{0}/data.json'), '{0}/data.json'",
                  sandbox::kWorkFolder));
}

}  // namespace
}  // namespace trex::eval
