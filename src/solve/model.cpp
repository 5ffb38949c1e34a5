#include "solve/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/text.h"

namespace trex::solve {

int64_t Model::add_column(Column column) {
  const auto index = static_cast<int64_t>(columns.size());
  if (column.name.empty()) column.name = fmt::format("C{}", index);
  if (column.domain == Domain::Binary) {
    column.lower = std::max(column.lower, 0.0);
    column.upper = std::min(column.upper, 1.0);
  }
  columns.push_back(std::move(column));
  return index;
}

int64_t Model::add_row(std::string row_name, const std::vector<Term>& terms, double lower,
                       double upper) {
  const auto index = static_cast<int64_t>(rows.size());
  if (row_name.empty()) row_name = fmt::format("R{}", index);
  rows.push_back({std::move(row_name), lower, upper});

  std::vector<Term> sorted = terms;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Term& a, const Term& b) { return a.column < b.column; });
  for (size_t i = 0; i < sorted.size();) {
    Term sum = sorted[i];
    TREX_CHECK(sum.column >= 0 && sum.column < static_cast<int64_t>(columns.size()),
               "column {} of {}", sum.column, columns.size());
    for (++i; i < sorted.size() && sorted[i].column == sum.column; ++i) {
      sum.coefficient += sorted[i].coefficient;
    }
    if (sum.coefficient != 0) matrix.push_back({index, sum.column, sum.coefficient});
  }
  return index;
}

int64_t Model::at_most(std::string row_name, const std::vector<Term>& terms, double upper) {
  return add_row(std::move(row_name), terms, -kInfinity, upper);
}

int64_t Model::at_least(std::string row_name, const std::vector<Term>& terms, double lower) {
  return add_row(std::move(row_name), terms, lower, kInfinity);
}

int64_t Model::equal(std::string row_name, const std::vector<Term>& terms, double value) {
  return add_row(std::move(row_name), terms, value, value);
}

bool Model::has_integers() const {
  return std::any_of(columns.begin(), columns.end(),
                     [](const Column& column) { return column.domain != Domain::Continuous; });
}

namespace {

class Validator {
 public:
  Validator(const Model& model, const std::string& where) : model_(model), where_(where) {}

  void run() {
    expect_finite("offset", model_.offset);
    check_columns();
    check_rows();
    check_matrix();
    check_quadratic();
  }

 private:
  [[noreturn]] void refuse(const std::string& field, std::string expected, std::string got) const {
    throw input_error(where_, field, std::move(expected), std::move(got));
  }

  void expect_finite(const std::string& field, double value) const {
    if (!std::isfinite(value)) refuse(field, "a finite number", shortest(value));
  }

  void expect_bounds(const std::string& field, double lower, double upper) const {
    if (std::isnan(lower) || std::isnan(upper)) refuse(field, "bounds", "NaN");
    if (lower > upper || lower >= kHuge || upper <= -kHuge) {
      refuse(field, "a lower bound that is at most the upper bound",
             fmt::format("{} to {}", shortest(lower), shortest(upper)));
    }
  }

  void expect_index(const std::string& field, int64_t index, size_t size) const {
    if (index < 0 || index >= static_cast<int64_t>(size)) {
      refuse(field, fmt::format("an index below {}", size), fmt::format("{}", index));
    }
  }

  template <class Items>
  void expect_names(const char* list, const Items& items) const {
    std::unordered_map<std::string, size_t> seen;
    for (size_t i = 0; i < items.size(); ++i) {
      const std::string field = fmt::format("{}[{}].name", list, i);
      if (items[i].name.empty()) refuse(field, "a name", "none");
      const auto [first, added] = seen.emplace(items[i].name, i);
      if (!added) {
        refuse(
            field, "a name of its own",
            fmt::format("{}, the name of {}[{}]", in_quotes(items[i].name), list, first->second));
      }
    }
  }

  void check_columns() const {
    expect_names("columns", model_.columns);
    for (const Column& column : model_.columns) {
      const std::string field = "column " + in_quotes(column.name);
      expect_bounds(field, column.lower, column.upper);
      expect_finite(field + ": objective", column.objective);
      if (column.domain == Domain::Binary && (column.lower < 0 || column.upper > 1)) {
        refuse(field, "bounds of a binary within 0 to 1",
               fmt::format("{} to {}", shortest(column.lower), shortest(column.upper)));
      }
    }
  }

  void check_rows() const {
    expect_names("rows", model_.rows);
    for (const Row& row : model_.rows) {
      expect_bounds("row " + in_quotes(row.name), row.lower, row.upper);
    }
  }

  void check_matrix() const {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (const Entry& entry : model_.matrix) {
      expect_index("matrix: row", entry.row, model_.rows.size());
      expect_index("matrix: column", entry.column, model_.columns.size());
      pairs.emplace_back(entry.row, entry.column);
      expect_finite(fmt::format("row {}, column {}",
                                in_quotes(model_.rows[static_cast<size_t>(entry.row)].name),
                                in_quotes(model_.columns[static_cast<size_t>(entry.column)].name)),
                    entry.value);
    }
    std::sort(pairs.begin(), pairs.end());
    const auto twice = std::adjacent_find(pairs.begin(), pairs.end());
    if (twice != pairs.end()) {
      refuse("row " + in_quotes(model_.rows[static_cast<size_t>(twice->first)].name),
             "each column at most once",
             in_quotes(model_.columns[static_cast<size_t>(twice->second)].name) + " twice");
    }
  }

  void check_quadratic() const {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (const QuadraticEntry& entry : model_.quadratic) {
      expect_index("quadratic: column", entry.column, model_.columns.size());
      expect_index("quadratic: other", entry.other, model_.columns.size());
      expect_finite("quadratic", entry.value);
      if (entry.other > entry.column) {
        refuse("quadratic", "pairs with column >= other",
               fmt::format("({}, {})", entry.column, entry.other));
      }
      pairs.emplace_back(entry.column, entry.other);
    }
    std::sort(pairs.begin(), pairs.end());
    const auto twice = std::adjacent_find(pairs.begin(), pairs.end());
    if (twice != pairs.end()) {
      refuse("quadratic", "each pair at most once",
             fmt::format("({}, {}) twice", twice->first, twice->second));
    }
  }

  const Model& model_;
  const std::string& where_;
};

}  // namespace

void validate(const Model& model, const std::string& where) { Validator(model, where).run(); }

}  // namespace trex::solve
