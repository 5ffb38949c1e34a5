// Holds every problem family to the same promises: a new family is tested without touching this
// file. Each case makes one instance; its model is solved, verified, and compared with the model
// that the family's description defines.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <regex>
#include <set>
#include <tuple>

#include "base/error.h"
#include "orgen/agree.h"
#include "orgen/described_model.h"
#include "orgen/document.h"
#include "orgen/mutate.h"
#include "orgen/program.h"
#include "solve/verify.h"

namespace trex::orgen {
namespace {

constexpr int kSeeds = 20;

struct FamilyCase {
  const Family* family;
  const Variant* variant;
};

std::vector<FamilyCase> every_variant() {
  std::vector<FamilyCase> cases;
  for (const Family* family : FamilyRegistry::instance().entries()) {
    for (const Variant& variant : family->variants) cases.push_back({family, &variant});
  }
  return cases;
}

std::string name_of_case(const testing::TestParamInfo<FamilyCase>& tested) {
  return tested.param.family->name + "_" + tested.param.variant->name;
}

// The problem of a seed; draws again, as the generator does, until one is accepted.
Problem accepted_problem(const FamilyCase& c, Level level, uint64_t seed,
                         Split split = Split::Train) {
  for (uint64_t attempt = 0; attempt < 50; ++attempt) {
    Rng data(seed, "data", attempt), wording(seed, "wording", attempt);
    Draft draft = draft_problem(
        {.family = c.family, .variant = c.variant->name, .level = level, .split = split}, data,
        wording);
    if (!draft.finding) return std::move(draft.problem);
    const std::string& check = draft.finding->check;
    // Only these may depend on luck; the others are mistakes in the family.
    EXPECT_TRUE(check == "trivial" || check == "no_tight_row" || check == "all_equal")
        << c.family->name << " seed " << seed << ": " << check << ": " << draft.finding->what;
  }
  ADD_FAILURE() << c.family->name << "/" << c.variant->name << ": 50 draws rejected";
  return {};
}

// The accepted training problem of a seed, made once for all tests of this process.
const Problem& problem_of(const FamilyCase& c, Level level, uint64_t seed) {
  static std::map<std::tuple<const Variant*, Level, uint64_t>, Problem> problems;
  const auto [found, is_new] = problems.try_emplace({c.variant, level, seed});
  if (is_new) found->second = accepted_problem(c, level, seed);
  return found->second;
}

// How many whole points lie within the bounds; infinite with a continuous or unbounded column.
double num_points(const solve::Model& model) {
  double product = 1;
  for (const solve::Column& column : model.columns) {
    if (column.domain == solve::Domain::Continuous) return std::numeric_limits<double>::infinity();
    product *= column.upper - column.lower + 1;
  }
  return product;
}

constexpr double kMostPoints = 1e5;

// The best objective over all whole points within the bounds; nothing when there are too many.
std::optional<double> brute_force_objective(const solve::Model& model) {
  if (num_points(model) > kMostPoints) return std::nullopt;
  const double sign = model.sense == solve::Sense::Minimize ? 1 : -1;
  std::optional<double> best;
  std::vector<double> values;
  for (const solve::Column& column : model.columns) values.push_back(column.lower);
  for (size_t digit = 0; digit < values.size();) {
    if (!solve::verify_feasible(model, values)) {
      double objective = model.offset;
      for (size_t i = 0; i < values.size(); ++i)
        objective += model.columns[i].objective * values[i];
      if (!best || sign * objective < sign * *best) best = objective;
    }
    for (digit = 0; digit < values.size() && ++values[digit] > model.columns[digit].upper;
         ++digit) {
      values[digit] = model.columns[digit].lower;
    }
  }
  return best;
}

class FamilyContract : public testing::TestWithParam<FamilyCase> {
 protected:
  // Calls `check` for every seed at small sizes, and for fewer seeds at sizes that take longer.
  void for_each_problem(const std::function<void(const Problem&)>& check) const {
    const struct {
      Level level;
      uint64_t seeds;
    } kCases[] = {{Level::Tiny, kSeeds}, {Level::Small, kSeeds}, {Level::Medium, 2}};
    for (const auto& [level, seeds] : kCases) {
      for (uint64_t seed = 1; seed <= seeds; ++seed) {
        SCOPED_TRACE(fmt::format("level {} seed {}", to_string(level), seed));
        check(problem_of(GetParam(), level, seed));
        if (HasFatalFailure()) return;
      }
    }
  }
};

TEST_P(FamilyContract, SameSeedGivesTheSameProblem) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Problem& first = problem_of(GetParam(), Level::Small, seed);
    const Problem second = accepted_problem(GetParam(), Level::Small, seed);
    EXPECT_EQ(first.statement.text, second.statement.text);
    EXPECT_EQ(first.program, second.program);
    EXPECT_EQ(first.instance.values, second.instance.values);
    EXPECT_NE(first.statement.text,
              accepted_problem(GetParam(), Level::Small, seed + 1000).statement.text);
  }
}

TEST_P(FamilyContract, OptimumIsProvenAndVerified) {
  for_each_problem([](const Problem& problem) {
    solve::validate(problem.model, "formulated");
    EXPECT_FALSE(solve::verify(problem.model, problem.solution).has_value());
    const auto witness = witness_values(problem.instance, problem.model);
    ASSERT_TRUE(witness.has_value());
    EXPECT_FALSE(solve::verify_feasible(problem.model, *witness).has_value());
  });
}

TEST_P(FamilyContract, DescriptionHasTheSameOptimumAsTheFormulation) {
  for_each_problem([](const Problem& problem) {
    const auto described = described_model(problem.instance.variant->description, problem.instance);
    EXPECT_EQ(first_difference(problem.model, described), std::nullopt);
    const solve::Solved solved = solve::solve(described);
    ASSERT_EQ(solved.outcome, solve::Outcome::Optimal);
    const double expected = problem.solution.objective;
    EXPECT_NEAR(solved.best->objective, expected, 1e-6 * std::max(1.0, std::abs(expected)));
  });
}

TEST_P(FamilyContract, TextAndDataHaveTheSameNumbers) {
  for_each_problem([](const Problem& problem) {
    const Instance& instance = problem.instance;
    std::multiset<double> told, known;
    const auto period = instance.words.find("period");
    for (const double number :
         numbers_in(problem.statement.text, period == instance.words.end() ? "" : period->second)) {
      told.insert(number);
    }
    for (const auto& [name, values] : instance.values) known.insert(values.begin(), values.end());
    EXPECT_EQ(told, known) << problem.statement.text;
  });
}

TEST_P(FamilyContract, ModelIsWithinTheLevelsSize) {
  const struct {
    Level level;
    size_t columns, rows;
  } kLimits[] = {{Level::Tiny, 12, 8},
                 {Level::Small, 15, 15},
                 {Level::Medium, 80, 80},
                 {Level::Large, 500, 500},
                 {Level::Industrial, 2000, 2000}};
  for (const auto& limit : kLimits) {
    Rng rng(1, "data");
    const Instance instance = make_instance(
        {.family = GetParam().family, .variant = GetParam().variant->name, .level = limit.level},
        rng);
    const solve::Model model = GetParam().variant->formulate(instance);
    EXPECT_LE(model.columns.size(), limit.columns) << to_string(limit.level);
    EXPECT_LE(model.rows.size(), limit.rows) << to_string(limit.level);
    EXPECT_GE(model.columns.size(), 2U);
  }
}

TEST_P(FamilyContract, EveryMistakeInTheDescriptionIsNoticed) {
  const Problem& problem = problem_of(GetParam(), Level::Tiny, 1);
  const auto mutants = mutants_of(problem.instance.variant->description);
  ASSERT_GE(mutants.size(), 2U);
  for (const Mutant& mutant : mutants) {
    EXPECT_NE(
        first_difference(problem.model, described_model(mutant.description, problem.instance)),
        std::nullopt)
        << mutant.diagnosis;
  }
}

TEST_P(FamilyContract, SizeOutOfRangeIsAnInputErrorThatNamesIt) {
  for (const SetDecl& set : GetParam().variant->description.sets) {
    for (const int64_t size : {set.min_size() - 1, set.max_size() + 1}) {
      Rng rng(1, "data");
      try {
        make_instance({.family = GetParam().family,
                       .variant = GetParam().variant->name,
                       .sizes = {{"num_" + set.name, size}}},
                      rng);
        FAIL() << "size " << size << " of " << set.name << " was accepted";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Input);
        EXPECT_EQ(error.parts().field, "num_" + set.name);
      }
    }
  }
}

TEST_P(FamilyContract, HeldOutTextsShareNoNameAndNoPlanWithTraining) {
  for (const Domain& domain : GetParam().family->domains) {
    for (const auto& [set, list] : domain.entities) {
      EXPECT_GE(names_of(list, Split::Train).size(), 4U) << list;
      EXPECT_GE(names_of(list, Split::Heldout).size(), 4U) << list;
    }
  }
  for (const Slot& slot : GetParam().variant->slots) {
    EXPECT_GE(slot.plans.size(), 6U) << slot.name;
    const auto train = plans_of(slot.plans, Split::Train);
    const auto heldout = plans_of(slot.plans, Split::Heldout);
    EXPECT_EQ(train.size() + heldout.size(), slot.plans.size());
    EXPECT_FALSE(heldout.empty());
    for (const size_t plan : heldout) EXPECT_EQ(std::count(train.begin(), train.end(), plan), 0);
  }
}

TEST_P(FamilyContract, AllPlansOfASlotTellTheSame) {
  const Description& description = GetParam().variant->description;
  for (const Slot& slot : GetParam().variant->slots) {
    auto expected = parameters_told(slot.plans[0], description);
    std::sort(expected.begin(), expected.end());
    for (const std::string& plan : slot.plans) {
      auto told = parameters_told(plan, description);
      std::sort(told.begin(), told.end());
      EXPECT_EQ(told, expected) << plan;
      // Numbers must come from the data, in digits.
      EXPECT_EQ(plan.find_first_of("0123456789"), std::string::npos) << plan;
    }
  }
}

// "More than 5" would be a strict comparison, whose optimum is not attained: only "no more than".
TEST_P(FamilyContract, NoPlanComparesStrictly) {
  const std::regex comparison(
      R"((\w*)\W+(more|less|fewer|greater|higher|lower|larger|smaller) than [{<])");
  const std::regex limit(R"((exceed|exceeds|above|below|under|over) [{<])");
  const std::set<std::string> negations{"no", "No", "not"};
  for (const Slot& slot : GetParam().variant->slots) {
    for (const std::string& plan : slot.plans) {
      for (std::sregex_iterator at(plan.begin(), plan.end(), comparison), end; at != end; ++at) {
        EXPECT_TRUE(negations.contains((*at)[1])) << plan;
      }
      for (std::sregex_iterator at(plan.begin(), plan.end(), limit), end; at != end; ++at) {
        EXPECT_NE((at->prefix().str() + at->str()).find("not"), std::string::npos) << plan;
      }
    }
  }
}

// Whether a name stands in an index expression as a word of its own.
bool mentions(const std::string& expression, const std::string& name) {
  return std::regex_search(expression, std::regex("\\b" + name + "\\b"));
}

TEST_P(FamilyContract, EverythingDeclaredHasAUnitOrAMeaningAndIsUsed) {
  const Description& description = GetParam().variant->description;
  std::string used = description.objective;
  for (const RowDecl& row : description.rows) {
    used += " " + row.binders + " " + row.left + " " + row.right;
    EXPECT_FALSE(row.meaning.empty()) << row.name;
  }
  for (const VariableDecl& variable : description.variables) used += " " + variable.upper;
  for (const ParameterDecl& parameter : description.parameters) {
    EXPECT_FALSE(parameter.unit.empty()) << parameter.name;
    EXPECT_LT(parameter.low, parameter.high) << parameter.name;
    EXPECT_TRUE(mentions(used, parameter.name)) << parameter.name;
  }
  for (const SetDecl& set : description.sets) EXPECT_TRUE(mentions(used, set.name)) << set.name;
  for (const VariableDecl& variable : description.variables) {
    EXPECT_FALSE(variable.meaning.empty()) << variable.name;
    EXPECT_TRUE(mentions(used, variable.name)) << variable.name;
  }
  EXPECT_FALSE(description.objective_meaning.empty());
  EXPECT_FALSE(description.objective_unit.empty());
}

INSTANTIATE_TEST_SUITE_P(All, FamilyContract, testing::ValuesIn(every_variant()), name_of_case);

// Variants whose tiny instances can be enumerated.
class EnumerableFamily : public testing::TestWithParam<FamilyCase> {};

constexpr uint64_t kEnumeratedSeeds = 8;

std::vector<FamilyCase> enumerable_variants() {
  std::vector<FamilyCase> cases = every_variant();
  std::erase_if(cases, [](const FamilyCase& c) {
    for (uint64_t seed = 1; seed <= kEnumeratedSeeds; ++seed) {
      Rng rng(seed, "data");
      const Instance instance = make_instance(
          {.family = c.family, .variant = c.variant->name, .level = Level::Tiny}, rng);
      if (num_points(c.variant->formulate(instance)) <= kMostPoints) return false;
    }
    return true;
  });
  return cases;
}

TEST_P(EnumerableFamily, BruteForceAgreesOnTinyInstances) {
  int num_enumerated = 0;
  for (uint64_t seed = 1; seed <= kEnumeratedSeeds; ++seed) {
    const Problem& problem = problem_of(GetParam(), Level::Tiny, seed);
    const auto best = brute_force_objective(problem.model);
    if (!best) continue;
    ++num_enumerated;
    EXPECT_NEAR(problem.solution.objective, *best, 1e-6) << problem.statement.text;
  }
  EXPECT_GE(num_enumerated, 1);
}

INSTANTIATE_TEST_SUITE_P(All, EnumerableFamily, testing::ValuesIn(enumerable_variants()),
                         name_of_case);

TEST(FamilyRegistry, HoldsTheFirstEightFamiliesWithTwoVariantsEach) {
  EXPECT_GE(FamilyRegistry::instance().entries().size(), 8U);
  for (const Family* family : FamilyRegistry::instance().entries()) {
    EXPECT_GE(family->variants.size(), 2U) << family->name;
    EXPECT_GE(family->domains.size(), 4U) << family->name;
  }
}

}  // namespace
}  // namespace trex::orgen
