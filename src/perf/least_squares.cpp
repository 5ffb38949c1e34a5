#include "perf/least_squares.h"

#include <cmath>

#include "base/check.h"

namespace trex::perf {
namespace {

using Matrix = std::vector<std::vector<double>>;

// Solves the normal equations restricted to the free columns, by Gauss with full pivoting on the
// diagonal. `gram` is scaled to a unit diagonal, so the pivot limit is relative.
std::vector<double> solve_free(const Matrix& gram, const std::vector<double>& moment,
                               const std::vector<bool>& is_free) {
  std::vector<size_t> columns;
  for (size_t j = 0; j < is_free.size(); ++j) {
    if (is_free[j]) columns.push_back(j);
  }
  const size_t n = columns.size();
  Matrix a(n, std::vector<double>(n + 1));
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) a[i][j] = gram[columns[i]][columns[j]];
    a[i][n] = moment[columns[i]];
  }
  std::vector<size_t> order;
  std::vector<bool> used(n, false);
  for (size_t step = 0; step < n; ++step) {
    size_t pivot = n;
    for (size_t i = 0; i < n; ++i) {
      if (!used[i] && (pivot == n || a[i][i] > a[pivot][pivot])) pivot = i;
    }
    if (a[pivot][pivot] < 1e-12) break;  // the rest depends on what is solved: leave it 0
    used[pivot] = true;
    order.push_back(pivot);
    for (size_t i = 0; i < n; ++i) {
      if (i == pivot) continue;
      const double factor = a[i][pivot] / a[pivot][pivot];
      for (size_t j = 0; j <= n; ++j) a[i][j] -= factor * a[pivot][j];
    }
  }
  std::vector<double> x(is_free.size(), 0.0);
  for (const size_t i : order) x[columns[i]] = a[i][n] / a[i][i];
  return x;
}

}  // namespace

std::vector<double> non_negative_least_squares(const std::vector<std::vector<double>>& rows,
                                               const std::vector<double>& right) {
  TREX_CHECK(rows.size() == right.size() && !rows.empty());
  const size_t n = rows[0].size();
  std::vector<double> scale(n, 0.0);
  for (const auto& row : rows) {
    for (size_t j = 0; j < n; ++j) scale[j] += row[j] * row[j];
  }
  for (double& s : scale) s = s > 0 ? std::sqrt(s) : 1;
  Matrix gram(n, std::vector<double>(n, 0.0));
  std::vector<double> moment(n, 0.0);
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t i = 0; i < n; ++i) {
      moment[i] += rows[r][i] / scale[i] * right[r];
      for (size_t j = 0; j < n; ++j) gram[i][j] += rows[r][i] / scale[i] * (rows[r][j] / scale[j]);
    }
  }
  std::vector<double> x(n, 0.0);
  std::vector<bool> is_free(n, false);
  double moment_norm = 0;
  for (const double m : moment) moment_norm = std::max(moment_norm, std::abs(m));
  // Each round frees one column; a column may be bound again. 3n rounds are Lawson and Hanson's
  // limit.
  for (size_t round = 0; round < 3 * n; ++round) {
    size_t best = n;
    double best_gradient = 1e-12 * moment_norm;
    for (size_t i = 0; i < n; ++i) {
      double gradient = moment[i];
      for (size_t j = 0; j < n; ++j) gradient -= gram[i][j] * x[j];
      if (!is_free[i] && gradient > best_gradient) best = i, best_gradient = gradient;
    }
    if (best == n) break;
    is_free[best] = true;
    while (true) {
      const std::vector<double> target = solve_free(gram, moment, is_free);
      double step = 1;
      for (size_t i = 0; i < n; ++i) {
        if (is_free[i] && target[i] <= 0) step = std::min(step, x[i] / (x[i] - target[i]));
      }
      for (size_t i = 0; i < n; ++i) x[i] += step * (target[i] - x[i]);
      if (step >= 1) break;
      for (size_t i = 0; i < n; ++i) {
        if (is_free[i] && x[i] <= 1e-15) is_free[i] = false, x[i] = 0;
      }
    }
  }
  for (size_t i = 0; i < n; ++i) x[i] = std::max(x[i], 0.0) / scale[i];
  return x;
}

}  // namespace trex::perf
