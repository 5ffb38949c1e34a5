// Replies that try to be graded as correct without solving the problem, and honest ones in odd
// shapes that must be. Each cheat would work if the verdict came from what a program prints.
#include <gtest/gtest.h>

#include "eval/grade.h"

namespace trex::eval {
namespace {

Graded grade(const std::string& program,
             std::chrono::milliseconds time = std::chrono::seconds(30)) {
  const Item item{.id = "x", .question = "q", .label = 42};
  return grade_by_value(item, "```python\n" + program + "\n```", {.time = time});
}

struct Attempt {
  const char* name;
  const char* program;
  const char* reason;
};

// A model with the optimum 42.
#define HONEST                                                                                 \
  "import gurobipy as gp\nmodel = gp.Model()\nx = model.addVar(ub=42)\nmodel.setObjective(x, " \
  "gp.GRB.MAXIMIZE)\nmodel.optimize()\n"

const Attempt kAttempts[] = {
    // Cheats.
    {"PrintedResult", "print('{\"status\": \"success\", \"objective\": 42}')", "model_not_found"},
    {"ForgedLineAndEarlyExit",
     "import os\nprint('{\"status\": 2, \"objective\": 42}', flush=True)\nos._exit(0)",
     "model_not_found"},
    {"SecretIsReadAlready",
     "import os\ntry: s = os.read(4, 100)\nexcept OSError: s = b''\nassert s == b''",
     "model_not_found"},
    {"OwnClassWithAnObjective",
     "class M:\n    ObjVal = 42\n    Status = 2\n    def optimize(self): pass\nmodel = M()",
     "model_not_found"},
    {"ReplacedPrintAndJson",
     "import builtins, json\nbuiltins.print = lambda *a, **k: None\njson.dumps = lambda *a, **k: "
     "'{}'\n"
     "import gurobipy as gp\nmodel = gp.Model()\nx = model.addVar(ub=41)\nmodel.setObjective(x, "
     "gp.GRB.MAXIMIZE)\nmodel.optimize()",
     "wrong_value"},
    {"ReadsTheAnswer",
     "import os\nassert '42' not in open('data.json').read()\nassert len(os.listdir('.')) == 2  # "
     "and this program",
     "model_not_found"},
    {"UnsolvedModel",
     "import gurobipy as gp\nmodel = gp.Model()\nx = model.addVar(ub=42)\nmodel.setObjective(x, "
     "-1)",
     "not_solved"},
    {"ModelUnderAnotherName",
     "import gurobipy as gp\nmy = gp.Model()\nx = my.addVar(ub=42)\nmy.setObjective(x, "
     "-1)\nmy.optimize()",
     "model_not_found"},
    {"ModelInsideAFunction",
     "import gurobipy as gp\ndef f():\n    model = gp.Model()\n    x = model.addVar(ub=42)\n"
     "    model.setObjective(x, -1)\n    model.optimize()\nf()",
     "model_not_found"},
    {"ErrorAfterTheOptimum", HONEST "undefined_name", "name_error"},
    {"Infeasible",
     "import gurobipy as gp\nmodel = gp.Model()\nx = model.addVar(ub=1)\nmodel.addConstr(x >= "
     "2)\nmodel.optimize()",
     "infeasible"},
    {"ProcessorHog", HONEST "while True: pass", "timeout"},
    {"MemoryHog", HONEST "held = bytearray(8 << 30)", "memory"},
    {"OutputFlood", HONEST "while True: print('x' * 10000)", "output_limit"},
    {"Escape", HONEST "import ctypes\nctypes.CDLL(None).unshare(0x10000000)", "sandbox_violation"},
    {"OwnAbort", HONEST "import os\nos.abort()", "crashed"},
    {"MissingModule", "import pulp", "import_error"},
    {"Prose", "The answer is 42.", "syntax_error"},
    // Honest.
    {"Honest", HONEST, "correct"},
    {"NamedM",
     "import gurobipy as gp\nm = gp.Model()\nx = m.addVar(ub=42)\nm.setObjective(x, "
     "-1)\nm.optimize()",
     "correct"},
    {"MainGuard",
     "import gurobipy as gp\nif __name__ == '__main__':\n    model = gp.Model()\n    x = "
     "model.addVar(ub=42)\n"
     "    model.setObjective(x, -1)\n    model.optimize()",
     "correct"},
    {"MissingImports",
     "model = gp.Model()\nx = model.addVar(ub=42)\nmodel.setObjective(x, "
     "-1)\nmodel.optimize()\njson.dumps({})",
     "correct"},
    {"ReadsItsData", HONEST "assert json.load(open('data.json'))['question'] == 'q'", "correct"},
    {"WindowsLineEnds",
     "import gurobipy as gp\r\nmodel = gp.Model()\r\nx = "
     "model.addVar(ub=42)\r\nmodel.setObjective(x, -1)\r\nmodel.optimize()\r\n",
     "correct"},
    {"WritesAFile", HONEST "import os\nos.mkdir('output')\nopen('output/x', 'w').write('y')",
     "correct"},
    {"LeavesWithExit", HONEST "import sys\nsys.exit(0)", "correct"},
    {"LeavesADaemon",
     HONEST "import os, time\nif os.fork() == 0:\n    time.sleep(60)\n    os._exit(0)", "correct"},
};

class GradingAttempts : public testing::TestWithParam<Attempt> {};

TEST_P(GradingAttempts, EndWithTheRightReason) {
  const auto time = std::string(GetParam().reason) == "timeout" ? std::chrono::seconds(2)
                                                                : std::chrono::seconds(30);
  const Graded graded = grade(GetParam().program, time);
  EXPECT_EQ(to_string(graded.verdict.reason), GetParam().reason) << graded.verdict.detail << "\n"
                                                                 << graded.run->execution.errors;
}

INSTANTIATE_TEST_SUITE_P(All, GradingAttempts, testing::ValuesIn(kAttempts),
                         [](const auto& one) { return std::string(one.param.name); });

// Wherever the channel's descriptor is by then.
TEST(GradingAttack, AReportWithoutTheSecretDoesNotCount) {
  const Graded graded = grade(R"(
import os
line = b'{"secret":"guess","event":"end","name":"model","model":0,"status":2,"objective":42}\n'
for number in os.listdir('/proc/self/fd'):
    try:
        if int(number) > 2: os.write(int(number), line)
    except OSError: pass
)");
  EXPECT_NE(graded.run->execution.report.find("guess"), std::string::npos);  // the forgery arrived
  EXPECT_EQ(to_string(graded.verdict.reason), "model_not_found") << graded.run->execution.errors;
}

TEST(GradedRun, SaysWhichPartsOfTheModuleWereUsedAndMissed) {
  const Graded graded = grade(HONEST "model.computeIIS()");
  ASSERT_TRUE(graded.run && graded.run->end);
  EXPECT_EQ(graded.run->end->features,
            (std::vector<std::string>{"Model.addVar", "Model.optimize", "Model.setObjective"}));
  EXPECT_EQ(graded.run->end->unsupported,
            std::vector<std::string>{"Model.computeIIS is not supported"});
}

}  // namespace
}  // namespace trex::eval
