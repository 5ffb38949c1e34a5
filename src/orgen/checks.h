// Contract checks: what must hold for a problem before it may be written. Each has an id; the ids
// of rejected problems are counted on the data card. Numbers in brackets are those of the checks in
// the specification of the document engine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orgen/family.h"
#include "orgen/render.h"
#include "solve/solve.h"

namespace trex::orgen {

// Everything that the pipeline has made of one problem.
struct Problem {
  Instance instance;
  Statement statement;
  solve::Model model;  // the family's own formulation
  solve::Solution solution;
  std::string program;
};

struct Finding {
  std::string check;  // "text_numbers"
  std::string what;   // "12 is in the data but not in the text"
};

// On data and text, before the solver is asked: sets and parameters are complete and in range [2,
// 4, 38]; text tells every parameter and member, its numbers are the data's [9, 12, 13], and no
// template shows [1, 15]; the coefficients are of like size [34]; the description defines the same
// model as the formulation [5-8, 10, 33]; the witness is feasible in it [32].
std::optional<Finding> check_statement(const Problem& problem);

// On the answer: rows, bounds, integrality and objective hold [29]; the duals of an LP prove it
// optimal [30]; it is no worse than the witness [32]; it is not trivial and some row is tight [36,
// 37 for LPs].
std::optional<Finding> check_answer(const Problem& problem);

// The instance's feasible solution, one value a column; nothing when it names an unknown column.
std::optional<std::vector<double>> witness_values(const Instance& instance,
                                                  const solve::Model& model);

// The numbers in a text, as written. Those behind the word `period` and those inside a name
// ("Leeds_2") are left out.
std::vector<double> numbers_in(std::string_view text, std::string_view period);

}  // namespace trex::orgen
