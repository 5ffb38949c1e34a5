// A wrong first attempt at a problem: its description with one mistake of the kind that people and
// models make, and what a check of its answer against the true model says.
#pragma once

#include <optional>
#include <string>

#include "base/rng.h"
#include "orgen/checks.h"

namespace trex::orgen {

struct WrongAttempt {
  std::string program;
  std::string outcome;    // "prints 42", "finds no optimum (infeasible)"
  std::string diagnosis;  // what the check found, and what to repair
};

// All single mistakes in a description: a row family left out, a relation turned round, the
// objective's sense reversed, whole variables made continuous.
struct Mutant {
  Description description;
  std::string diagnosis;
};
std::vector<Mutant> mutants_of(const Description& description);

// A mistake whose optimum differs from the true one, or nothing when the drawn one changes nothing.
// Solves the mistaken model.
std::optional<WrongAttempt> draw_wrong_attempt(const Problem& problem, Rng& rng);

}  // namespace trex::orgen
