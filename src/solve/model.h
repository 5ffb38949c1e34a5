// An optimisation model as plain data: columns (variables), rows (linear constraints), one sparse
// matrix and an objective that may have a quadratic part.
//
//   minimise or maximise  offset + c'x + 1/2 x'Qx   subject to  rows.lower <= A x <= rows.upper,
//                                                   columns.lower <= x <= columns.upper
//
// Infinite bounds are +-kInfinity; a finite bound of kHuge or more in size counts as infinite, as
// every solver takes it. Nothing here knows a solver.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace trex::solve {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kHuge = 1e20;

inline bool is_infinite(double bound) { return bound >= kHuge || bound <= -kHuge; }

enum class Sense { Minimize, Maximize };
enum class Domain { Continuous, Integer, Binary };

struct Column {
  std::string name;
  Domain domain = Domain::Continuous;
  double lower = 0;
  double upper = kInfinity;
  double objective = 0;
};

// lower <= sum of entries <= upper. Equal bounds make an equation.
struct Row {
  std::string name;
  double lower = -kInfinity;
  double upper = kInfinity;
};

struct Entry {
  int64_t row;
  int64_t column;
  double value;
};

// A term of x'Qx / 2; the matrix is symmetric, and a pair (i, j) with i != j is listed once, with
// column >= other, and stands for both of its places.
struct QuadraticEntry {
  int64_t column;
  int64_t other;
  double value;
};

struct Term {
  int64_t column;
  double coefficient;
};

struct Model {
  std::string name;
  Sense sense = Sense::Minimize;
  double offset = 0;
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::vector<Entry> matrix;  // any order; a (row, column) pair occurs at most once
  std::vector<QuadraticEntry> quadratic;

  // Builders; each returns the index of what it added. An empty name becomes C<index> or R<index>.
  // The bounds of a binary column are clipped to [0, 1].
  int64_t add_column(Column column);
  // Terms of the same column are added up; zero sums are left out.
  int64_t add_row(std::string row_name, const std::vector<Term>& terms, double lower, double upper);
  int64_t at_most(std::string row_name, const std::vector<Term>& terms, double upper);
  int64_t at_least(std::string row_name, const std::vector<Term>& terms, double lower);
  int64_t equal(std::string row_name, const std::vector<Term>& terms, double value);

  bool has_integers() const;  // integer or binary columns
};

// Throws Input, naming the item: a NaN or infinite coefficient, crossed bounds, a binary outside
// [0, 1], an index out of range, a pair named twice, a missing name, two columns or two rows of one
// name. `where` names the source.
void validate(const Model& model, const std::string& where);

}  // namespace trex::solve
