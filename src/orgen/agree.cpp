#include "orgen/agree.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace trex::orgen {
namespace {

bool is_close(double a, double b) {
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

// Row name -> bounds and coefficients by column name.
struct NamedRow {
  double lower, upper;
  std::map<std::string, double> coefficients;
};

std::map<std::string, NamedRow> rows_by_name(const solve::Model& model) {
  std::vector<NamedRow> rows;
  for (const solve::Row& row : model.rows) rows.push_back({row.lower, row.upper, {}});
  for (const solve::Entry& entry : model.matrix) {
    rows[static_cast<size_t>(entry.row)]
        .coefficients[model.columns[static_cast<size_t>(entry.column)].name] = entry.value;
  }
  std::map<std::string, NamedRow> named;
  for (size_t i = 0; i < rows.size(); ++i) named[model.rows[i].name] = std::move(rows[i]);
  return named;
}

std::optional<std::string> column_difference(const solve::Model& a, const solve::Model& b) {
  std::map<std::string, const solve::Column*> others;
  for (const solve::Column& column : b.columns) others[column.name] = &column;
  for (const solve::Column& column : a.columns) {
    const auto found = others.find(column.name);
    if (found == others.end()) return "column " + column.name + " is missing";
    const solve::Column& other = *found->second;
    if (column.domain != other.domain) return "column " + column.name + ": other domain";
    if (!is_close(column.lower, other.lower) || !is_close(column.upper, other.upper)) {
      return "column " + column.name + ": other bounds";
    }
    if (!is_close(column.objective, other.objective)) {
      return "column " + column.name + ": other objective";
    }
  }
  return std::nullopt;
}

std::optional<std::string> row_difference(const std::string& name, const NamedRow& a,
                                          const NamedRow& b) {
  if (!is_close(a.lower, b.lower) || !is_close(a.upper, b.upper)) {
    return "row " + name + ": other bounds";
  }
  if (a.coefficients.size() != b.coefficients.size()) return "row " + name + ": other columns";
  for (const auto& [column, value] : a.coefficients) {
    const auto found = b.coefficients.find(column);
    if (found == b.coefficients.end() || !is_close(value, found->second)) {
      return "row " + name + ": other coefficient of " + column;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> first_difference(const solve::Model& formulated,
                                            const solve::Model& described) {
  if (formulated.sense != described.sense) return "the sense of the objective differs";
  if (!is_close(formulated.offset, described.offset)) return "the constant cost differs";
  if (formulated.columns.size() != described.columns.size()) return "the number of columns differs";
  if (formulated.rows.size() != described.rows.size()) return "the number of rows differs";
  if (auto difference = column_difference(formulated, described)) return difference;
  const auto others = rows_by_name(described);
  for (const auto& [name, row] : rows_by_name(formulated)) {
    const auto found = others.find(name);
    if (found == others.end()) return "row " + name + " is missing";
    if (auto difference = row_difference(name, row, found->second)) return difference;
  }
  return std::nullopt;
}

}  // namespace trex::orgen
