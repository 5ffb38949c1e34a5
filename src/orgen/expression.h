// Index expressions of a family's description: parsed once, then printed as Python or evaluated.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace trex::orgen {

// A position in a set: a bound letter, a letter minus `offset`, or the fixed member `letter` when
// `is_fixed` (a number, for numbered sets).
struct Index {
  std::string letter;
  int offset = 0;
  bool is_fixed = false;
};

// "i in plants", "t in weeks[1:]".
struct Binder {
  std::string letter;
  std::string set;
  bool skips_first = false;
};

struct Expression {
  enum class Kind { Number, Reference, Sum, Add, Subtract, Multiply };
  Kind kind;
  double number = 0;                 // Number
  std::string name;                  // Reference: parameter or variable
  std::vector<Index> indices;        // Reference
  std::vector<Binder> binders;       // Sum
  std::vector<Expression> operands;  // two, or the body of a Sum
};

// A malformed text is a mistake in a family file: a check stops the program.
Expression parse_expression(std::string_view text);
// "for i in plants for j in towns"; empty text has none.
std::vector<Binder> parse_binders(std::string_view text);

// "for i in plants for t in weeks[1:]"
std::string binders_text(const std::vector<Binder>& binders);

// Tells variables from parameters.
using NameTest = std::function<bool(std::string_view name)>;

// The expression in Python, `sum` written as `sum_word`; variables are indexed x[i, j] and
// parameters cost[i][j].
std::string expression_text(const Expression& expression, std::string_view sum_word,
                            const NameTest& is_variable);

// Every parameter and variable named in the expression, in order of appearance, repeated ones too.
std::vector<std::string> names_in(const Expression& expression);

}  // namespace trex::orgen
