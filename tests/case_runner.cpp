// Runs every tests/cases/*.case against the programs of this build: one test a file.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "base/process.h"
#include "base/text.h"
#include "case_file.h"

namespace trex::cases {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

const Path kFolder = Path(TREX_SOURCE_DIR) / "tests/cases";
const Path kPrograms = Path(TREX_BINARY_DIR) / "bin";

CaseFile load_case(const std::string& name, const std::string& temporary_folder) {
  const Path file = kFolder / (name + ".case");
  return parse_case(read_file(file), file.string(),
                    {{"tmp", temporary_folder}, {"source", TREX_SOURCE_DIR}});
}

// Whether this build has the programs that the case needs (a build without LibTorch has no
// trex-model, one with sanitizers no gurobipy). A file with a mistake counts: its test says what it
// is.
bool belongs_to_build(const std::string& name) {
  const std::vector<std::string> programs = split(TREX_PROGRAMS, ' ');
  try {
    const auto needs = load_case(name, "").needs;
    return std::all_of(needs.begin(), needs.end(), [&](const std::string& program) {
      return std::find(programs.begin(), programs.end(), program) != programs.end();
    });
  } catch (const Error&) {
    return true;
  }
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const Path& file : files_below(kFolder)) {
    const std::string name = file.stem().string();
    if (file.extension() == ".case" && belongs_to_build(name)) names.push_back(name);
  }
  return names;
}

Lines lines_of(const std::string& text) {
  Lines lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

bool all_match(const Lines& expected, const Lines& lines) {
  return std::equal(expected.begin(), expected.end(), lines.begin(), lines.end(), matches);
}

// What a step wrote, in the language of the case files: a right answer can be copied from here.
std::string as_expectation(int exit_code, const Lines& output, const Lines& errors) {
  std::string text = fmt::format("exit {}\n", exit_code);
  for (const std::string& line : output) text += fmt::format("stdout {}\n", line);
  for (const std::string& line : errors) text += fmt::format("stderr {}\n", line);
  return text;
}

class Case : public testing::TestWithParam<std::string> {
 protected:
  void run(const Step& step, const Path& folder) {
    for (const auto& [name, content] : step.files) write_file(folder / name, content);
    const ProcessResult result = run_process(
        {.arguments = {"/bin/sh", "-c", step.command}, .folder = folder, .time_limit = 120s});
    const Lines output = lines_of(result.output), errors = lines_of(result.errors);
    const int exit_code = result.exit_code.value_or(128 + result.signal);
    const bool is_right = exit_code == step.exit_code && all_match(step.output, output) &&
                          all_match(step.errors, errors);
    EXPECT_TRUE(is_right) << "line " << step.line << ": $ " << step.command << "\nexpected\n"
                          << as_expectation(step.exit_code, step.output, step.errors) << "got\n"
                          << as_expectation(exit_code, output, errors);
  }
};

TEST_P(Case, GivesExitCodeAndOutput) {
  const TemporaryFolder folder;
  const CaseFile parsed = load_case(GetParam(), folder.path().string());
  ::setenv("PATH", (kPrograms.string() + ":/usr/bin:/bin").c_str(), 1);
  ::setenv("LC_ALL", "C.UTF-8", 1);
  for (const Step& step : parsed.steps) run(step, folder.path());
}

INSTANTIATE_TEST_SUITE_P(All, Case, testing::ValuesIn(case_names()),
                         [](const auto& test) { return test.param; });

TEST(CaseFile, HasFilesCommandsAndExpectations) {
  const auto parsed = parse_case(
      "# Why.\nneeds trex-model\nfile a.toml\n| x = 1\n|\n| y = 2\n$ trex x {tmp}/a\nexit "
      "2\nstdout one\n"
      "stdout\nstderr  two\n$ trex y\n",
      "c", {{"tmp", "/t"}});
  EXPECT_THAT(parsed.needs, testing::ElementsAre("trex-model"));
  ASSERT_EQ(parsed.steps.size(), 2u);
  const Step& step = parsed.steps[0];
  EXPECT_EQ(step.command, "trex x /t/a");
  EXPECT_THAT(step.files, testing::ElementsAre(testing::Pair("a.toml", "x = 1\n\ny = 2\n")));
  EXPECT_EQ(step.exit_code, 2);
  EXPECT_THAT(step.output, testing::ElementsAre("one", ""));
  EXPECT_THAT(step.errors, testing::ElementsAre(" two"));
  EXPECT_EQ(parsed.steps[1].exit_code, 0);
}

TEST(CaseFile, RefusesWhatItDoesNotKnow) {
  for (const char* text : {"", "# nothing\n", "exit 1\n", "$ x\nexit one\n", "$ x\noutput y\n",
                           "| x\n$ x\n", "$ x\nfile a\n| b\n"}) {
    EXPECT_THROW(parse_case(text, "c", {}), Error) << text;
  }
}

TEST(CaseFile, AnyStandsForAnyText) {
  EXPECT_TRUE(matches("a{any}c", "abc"));
  EXPECT_TRUE(matches("a{any}c", "ac"));
  EXPECT_TRUE(matches("{any}, {any} left", "1 of 2, 3s, 4s left"));
  EXPECT_TRUE(matches("{any}", ""));
  EXPECT_FALSE(matches("a{any}c", "abd"));
  EXPECT_FALSE(matches("a{any}c", "xabc"));
  EXPECT_FALSE(matches("a", "ab"));
}

}  // namespace
}  // namespace trex::cases
