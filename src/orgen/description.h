// A problem family's variant as data: sets, parameters, variables, objective and rows, the last
// three as index expressions (orgen/expression.h). The program, the formulation text and an
// independent second model are all made from this; the family's own formulate() never is, so that
// a mistake in one of the two shows when their models are compared.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "solve/model.h"

namespace trex::orgen {

// How many members a set has. `tiny` is our own level for small language models; the others are
// those of the document engine.
enum class Level { Tiny, Small, Medium, Large, Industrial };
inline constexpr int kNumLevels = 5;

struct SizeRange {
  int64_t low, high;
};

struct SetDecl {
  std::string name;   // "foods"; the size parameter of the family is "num_foods"
  std::string index;  // "f", used in the formulation text
  SizeRange sizes[kNumLevels];
  bool is_numbered = false;  // members are 1, 2, ..., n (periods) and not names

  int64_t min_size() const { return sizes[0].low; }
  int64_t max_size() const { return sizes[kNumLevels - 1].high; }
};

struct ParameterDecl {
  std::string name;               // "cost"
  std::vector<std::string> sets;  // one to index a list, two for a table, none for a number
  std::string unit;               // "dollars per serving"
  double low, high;               // every value lies in this range
};

struct VariableDecl {
  std::string name;
  std::vector<std::string> sets;
  solve::Domain domain;
  std::string upper;    // a parameter's name; empty: no upper bound (1 for a binary)
  std::string meaning;  // "servings bought"
};

struct RowDecl {
  std::string name;
  std::string binders;  // "for n in nutrients"; empty for a single row
  std::string left;
  std::string relation;  // "<=", ">=" or "=="
  std::string right;
  std::string meaning;  // "every nutrient reaches its minimum"
};

// Index expressions: + - *, parentheses, numbers, name, name[i], table[i][j], variable[i, j],
// sum(... for i in set for j in set); an index is a bound letter, a letter minus a number, or a
// number; "set[1:]" in a binder leaves out the first member.
struct Description {
  std::vector<SetDecl> sets;
  std::vector<ParameterDecl> parameters;
  std::vector<VariableDecl> variables;
  solve::Sense sense = solve::Sense::Minimize;
  std::string objective;
  std::string objective_meaning;  // "total cost"
  std::string objective_unit;     // "dollars"
  std::vector<RowDecl> rows;

  // Null when there is none of that name.
  const SetDecl* find_set(std::string_view name) const;
  const ParameterDecl* find_parameter(std::string_view name) const;
  const VariableDecl* find_variable(std::string_view name) const;
};

}  // namespace trex::orgen
