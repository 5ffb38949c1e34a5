// Answers against two independent methods: every point of tiny integer models, and CBC.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/process.h"
#include "base/rng.h"
#include "base/text.h"
#include "solve/evaluate.h"
#include "solve/mps.h"
#include "solve/solve.h"
#include "solve/verify.h"

namespace trex::solve {
namespace {

Model random_model(Rng& rng, int64_t num_columns, int64_t num_rows, double integer_share,
                   double bound) {
  Model model;
  model.sense = rng.chance(0.5) ? Sense::Minimize : Sense::Maximize;
  model.offset = static_cast<double>(rng.between(-3, 3));
  for (int64_t j = 0; j < num_columns; ++j) {
    const bool integer = rng.chance(integer_share);
    const bool bounded = integer || rng.chance(0.8);
    model.add_column({.name = {},
                      .domain = integer ? Domain::Integer : Domain::Continuous,
                      .lower = rng.chance(0.3) ? -static_cast<double>(rng.between(0, 2)) : 0,
                      .upper = bounded ? bound : kInfinity,
                      .objective = static_cast<double>(rng.between(-9, 9))});
  }
  for (int64_t i = 0; i < num_rows; ++i) {
    std::vector<Term> terms;
    for (int64_t j = 0; j < num_columns; ++j) {
      if (rng.chance(0.6)) terms.push_back({j, static_cast<double>(rng.between(-5, 7))});
    }
    const double right = static_cast<double>(rng.between(-4, 14));
    const uint64_t kind = rng.below(4);
    if (kind == 0) model.at_least({}, terms, right / 2);
    if (kind == 1) model.equal({}, terms, right);
    if (kind == 2) model.add_row({}, terms, right - 5, right);
    if (kind == 3) model.at_most({}, terms, right);
  }
  return model;
}

// Tries every point of a model of bounded integers.
std::optional<double> best_by_enumeration(const Model& model) {
  std::optional<double> best;
  std::vector<double> point;
  for (const Column& column : model.columns) point.push_back(column.lower);
  while (true) {
    if (!verify_feasible(model, point, 1e-9)) {
      const double objective = objective_at(model, point);
      const bool better =
          !best || (model.sense == Sense::Minimize ? objective < *best : objective > *best);
      if (better) best = objective;
    }
    size_t j = 0;
    while (j < point.size() && point[j] == model.columns[j].upper)
      point[j] = model.columns[j].lower, ++j;
    if (j == point.size()) return best;
    ++point[j];
  }
}

TEST(SolveOracle, AgreesWithEnumerationOfTinyIntegerModels) {
  int feasible = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed, "enumeration");
    const Model model = random_model(rng, rng.between(1, 4), rng.between(0, 4), 1.0, 4);
    const auto expected = best_by_enumeration(model);
    const Solved solved = solve(model);
    ASSERT_EQ(solved.outcome, expected ? Outcome::Optimal : Outcome::Infeasible) << "seed " << seed;
    if (!expected) {
      continue;
    }
    ++feasible;
    EXPECT_NEAR(solved.best->objective, *expected, 1e-9) << "seed " << seed;
    EXPECT_FALSE(verify(model, *solved.best, 1e-9)) << "seed " << seed;
  }
  EXPECT_GT(feasible, 100);
  EXPECT_LT(feasible, 290);
}

struct CbcAnswer {
  std::string status;  // first word of CBC's solution file
  double objective = 0;
};

// CBC ignores OBJSENSE, so it gets the minimisation of the opposite.
CbcAnswer ask_cbc(Model model, const Path& folder) {
  const double sign = model.sense == Sense::Minimize ? 1 : -1;
  model.sense = Sense::Minimize;
  model.offset *= sign;
  for (Column& column : model.columns) column.objective *= sign;
  std::filesystem::remove(folder / "solution");
  const std::string mps = to_mps(model);
  // The third word of the first line is how CBC learns that the format is free.
  write_file(folder / "model.mps", "NAME model FREE" + mps.substr(mps.find('\n')));
  const ProcessResult run = run_process(
      {.arguments = {"cbc", (folder / "model.mps").string(), "-ratio", "0", "-allow", "1e-9",
                     "-sec", "20", "-solve", "-solution", (folder / "solution").string()}});
  // Without a solution CBC writes no file, and its log has the verdict.
  if (!std::filesystem::exists(folder / "solution")) {
    const bool unbounded = run.output.find("unbounded") != std::string::npos;
    return {.status = unbounded ? "Unbounded" : "Infeasible"};
  }
  const std::string text = read_file(folder / "solution");
  const std::string line = text.substr(0, text.find('\n'));
  CbcAnswer answer{.status = split(line, ' ')[0]};
  const size_t value = line.find("objective value");
  if (value != std::string::npos)
    answer.objective = sign * *parse_real(trimmed(line.substr(value + 15)));
  return answer;
}

// CBC calls some unbounded models infeasible; there the certificates decide.
TEST(SolveOracle, AgreesWithCbcOnRandomModels) {
  const TemporaryFolder folder;
  int optimal = 0, infeasible = 0, unbounded = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed, "cbc");
    const Model model =
        random_model(rng, rng.between(3, 12), rng.between(2, 8), seed % 2 == 0 ? 0.0 : 0.5, 9);
    const Solved solved = solve(model);
    const CbcAnswer cbc = ask_cbc(model, folder.path());
    if (solved.outcome == Outcome::Optimal) {
      ASSERT_EQ(cbc.status, "Optimal") << "seed " << seed;
      EXPECT_NEAR(solved.best->objective, cbc.objective,
                  1e-6 * std::max(1.0, std::abs(cbc.objective)))
          << "seed " << seed;
      EXPECT_FALSE(verify(model, *solved.best)) << "seed " << seed;
      if (!model.has_integers()) {
        const auto violation = verify_optimal(model, *solved.best);
        EXPECT_FALSE(violation) << "seed " << seed << " " << to_string(*violation);
      }
      ++optimal;
      continue;
    }
    EXPECT_NE(cbc.status, "Optimal") << "seed " << seed;
    if (solved.outcome == Outcome::Unbounded) {
      EXPECT_FALSE(verify_unbounded(model, solved.ray)) << "seed " << seed;
      ++unbounded;
    }
    if (solved.outcome == Outcome::Infeasible && !model.has_integers()) {
      EXPECT_FALSE(verify_infeasible(model, solved.farkas)) << "seed " << seed;
      ++infeasible;
    }
  }
  EXPECT_GT(optimal, 15);
  EXPECT_GT(infeasible, 1);
  EXPECT_GT(unbounded, 1);
}

}  // namespace
}  // namespace trex::solve
