#include "orgen/mutate.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "orgen/described_model.h"
#include "orgen/program.h"
#include "orgen/solve_fully.h"
#include "solve/verify.h"

namespace trex::orgen {
namespace {

void add_row_mutants(const Description& description, std::vector<Mutant>& mutants) {
  for (size_t i = 0; i < description.rows.size(); ++i) {
    const RowDecl& row = description.rows[i];
    Mutant dropped{description,
                   fmt::format("the constraint \"{}\" ({}) is missing", row.name, row.meaning)};
    dropped.description.rows.erase(dropped.description.rows.begin() +
                                   static_cast<std::ptrdiff_t>(i));
    mutants.push_back(std::move(dropped));
    if (row.relation == "==") continue;
    Mutant turned{description, fmt::format("the constraint \"{}\" must read {} ({})", row.name,
                                           row.relation, row.meaning)};
    turned.description.rows[i].relation = row.relation == "<=" ? ">=" : "<=";
    mutants.push_back(std::move(turned));
  }
}

// The first row or bound of the true model that the mistaken solution breaks, by column name.
std::string broken_rule(const solve::Model& model, const solve::Solution& solution) {
  const auto violation = solve::verify_feasible(model, solution.values);
  return violation ? "its plan breaks " + to_string(*violation)
                   : std::string("its plan is allowed but another one is better");
}

}  // namespace

std::vector<Mutant> mutants_of(const Description& description) {
  std::vector<Mutant> mutants;
  add_row_mutants(description, mutants);
  const bool minimizes = description.sense == solve::Sense::Minimize;
  Mutant reversed{description,
                  fmt::format("the objective ({}) must be {}", description.objective_meaning,
                              minimizes ? "minimised" : "maximised")};
  reversed.description.sense = minimizes ? solve::Sense::Maximize : solve::Sense::Minimize;
  mutants.push_back(std::move(reversed));
  for (size_t i = 0; i < description.variables.size(); ++i) {
    const VariableDecl& variable = description.variables[i];
    if (variable.domain != solve::Domain::Integer) continue;
    Mutant relaxed{description,
                   fmt::format("\"{}\" ({}) must be whole", variable.name, variable.meaning)};
    relaxed.description.variables[i].domain = solve::Domain::Continuous;
    mutants.push_back(std::move(relaxed));
  }
  return mutants;
}

std::optional<WrongAttempt> draw_wrong_attempt(const Problem& problem, Rng& rng) {
  const Mutant mutant = rng.pick(mutants_of(problem.instance.variant->description));
  const solve::Model model = described_model(mutant.description, problem.instance);
  const solve::Solved solved = solve_fully(model);
  WrongAttempt attempt{.program = program_text(mutant.description, problem.instance,
                                               problem.statement.parameter_order)};
  if (solved.outcome != solve::Outcome::Optimal) {
    attempt.outcome = fmt::format("finds no optimum (the model is {})", to_string(solved.outcome));
    attempt.diagnosis = mutant.diagnosis;
    return attempt;
  }
  const double objective = solved.best->objective;
  if (std::abs(objective - problem.solution.objective) <=
      1e-6 * std::max(1.0, std::abs(objective))) {
    return std::nullopt;
  }
  attempt.outcome = fmt::format("prints {}", shortest(objective));
  // Both models declare the same variables in the same order.
  const solve::Model truth =
      described_model(problem.instance.variant->description, problem.instance);
  attempt.diagnosis = fmt::format("{}: {}", broken_rule(truth, *solved.best), mutant.diagnosis);
  return attempt;
}

}  // namespace trex::orgen
