// The printed programs of every family, run by Python against the gurobipy module: each must print
// the optimum that the family's own formulation has.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/process.h"
#include "base/text.h"
#include "orgen/document.h"

namespace trex::orgen {
namespace {

constexpr int kSeeds = 10;

// Runs every program of a JSON-lines file in one interpreter and prints the last line of each.
constexpr const char* kRunner = R"(
import contextlib, io, json, sys
sys.path.insert(0, sys.argv[1])
for line in open(sys.argv[2]):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(json.loads(line)["program"], "program", "exec"), {"__name__": "__main__"})
    print(out.getvalue().strip().splitlines()[-1])
)";

TEST(FamilyPrograms, PrintTheOptimumOfTheFormulation) {
  std::string lines;
  std::vector<double> expected;
  std::vector<std::string> names;
  Plan plan{.kind = Kind::Questions, .seed = 11};
  for (const Family* family : FamilyRegistry::instance().entries()) plan.families.push_back(family);
  plan.levels = {Level::Tiny, Level::Small};
  const auto rows = static_cast<int64_t>(plan.families.size()) * 2 * 2 * kSeeds;
  for (int64_t row = 0; row < rows; ++row) {
    std::optional<Row> made;
    for (int64_t attempt = 0; !made && attempt < 50; ++attempt) {
      made = make_row(plan, {row, attempt}).row;
    }
    ASSERT_TRUE(made.has_value()) << "row " << row;
    lines += to_line(made->json) + "\n";
    expected.push_back(made->json["answer"].get<double>());
    names.push_back(made->json["id"].get<std::string>());
  }
  const TemporaryFolder folder;
  write_file(folder.path() / "rows.jsonl", lines);
  const ProcessResult result =
      run_process({.arguments = {"/usr/bin/python3", "-c", kRunner, TREX_BINARY_DIR "/python",
                                 (folder.path() / "rows.jsonl").string()}});
  ASSERT_TRUE(result.succeeded()) << result.errors;
  const auto printed = split(trimmed(result.output), '\n');
  ASSERT_EQ(printed.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto value = parse_real(printed[i]);
    ASSERT_TRUE(value.has_value()) << names[i] << " printed " << printed[i];
    EXPECT_NEAR(*value, expected[i], 1e-6 * std::max(1.0, std::abs(expected[i]))) << names[i];
  }
}

}  // namespace
}  // namespace trex::orgen
