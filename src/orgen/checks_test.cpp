#include "orgen/checks.h"

#include <gtest/gtest.h>

#include <functional>

#include "orgen/document.h"

namespace trex::orgen {
namespace {

// The first knapsack problem of a seed that passes all checks.
Problem sound_problem() {
  const Family* knapsack = FamilyRegistry::instance().find("knapsack");
  for (uint64_t attempt = 0; attempt < 50; ++attempt) {
    Rng data(1, "data", attempt), wording(1, "wording", attempt);
    Draft draft = draft_problem({.family = knapsack, .variant = "single"}, data, wording);
    if (!draft.finding) return std::move(draft.problem);
  }
  ADD_FAILURE() << "50 draws rejected";
  return {};
}

using Damage = std::function<void(Problem&)>;
using Check = std::optional<Finding> (*)(const Problem&);

std::string finding_after(const Damage& damage, Check check) {
  static const Problem kSound = sound_problem();
  Problem problem = kSound;
  damage(problem);
  const auto finding = check(problem);
  return finding ? finding->check : "none";
}

TEST(StatementChecks, NameWhatIsDamaged) {
  const auto after = [](const Damage& damage) { return finding_after(damage, check_statement); };
  EXPECT_EQ(after([](Problem&) {}), "none");
  EXPECT_EQ(after([](Problem& p) { p.statement.text += " It has 7777 pages."; }), "text_numbers");
  EXPECT_EQ(after([](Problem& p) { p.statement.text += " See {box}."; }), "template");
  EXPECT_EQ(after([](Problem& p) { p.statement.text += "\tDone."; }), "template");
  EXPECT_EQ(after([](Problem& p) { p.statement.text += " A knapsack."; }), "template");
  EXPECT_EQ(after([](Problem& p) { p.statement.parameter_order.pop_back(); }), "text_parameters");
  EXPECT_EQ(after([](Problem& p) { p.instance.values["weight"][0] = 61; }), "parameter_range");
  EXPECT_EQ(after([](Problem& p) { p.instance.values["weight"].pop_back(); }), "parameters");
  EXPECT_EQ(after([](Problem& p) { p.instance.sets["items"][0] = p.instance.sets["items"][1]; }),
            "sets");
  EXPECT_EQ(after([](Problem& p) { p.instance.sets["items"][0] = "Nobody"; }), "text_names");
  EXPECT_EQ(after([](Problem& p) { p.model.matrix[0].value *= 1e8; }), "coefficient_range");
  EXPECT_EQ(after([](Problem& p) { p.model.matrix[0].value *= 1e-8; }), "coefficient_range");
  EXPECT_EQ(after([](Problem& p) { p.model.matrix[0].value += 1; }), "model_agreement");
  EXPECT_EQ(after([](Problem& p) { p.model.columns[0].domain = solve::Domain::Continuous; }),
            "model_agreement");
  EXPECT_EQ(after([](Problem& p) { p.instance.witness = {{"take[Nobody]", 1}}; }), "witness");
}

TEST(AnswerChecks, NameWhatIsDamaged) {
  const auto after = [](const Damage& damage) { return finding_after(damage, check_answer); };
  EXPECT_EQ(after([](Problem&) {}), "none");
  EXPECT_EQ(after([](Problem& p) { p.solution.objective += 1; }), "verify");
  EXPECT_EQ(after([](Problem& p) { p.solution.values.assign(p.solution.values.size(), 1); }),
            "verify");  // everything at once is too heavy
  EXPECT_EQ(after([](Problem& p) { p.solution.values[0] = 0.5; }), "verify");
  EXPECT_EQ(after([](Problem& p) {
              p.solution.values.assign(p.solution.values.size(), 0);
              p.solution.objective = 0;
            }),
            "trivial");
}

}  // namespace
}  // namespace trex::orgen
