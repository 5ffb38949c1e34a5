#include "solve/convex.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace trex::solve {

bool is_convex(const std::vector<QuadraticEntry>& quadratic) {
  std::map<int64_t, size_t> place;
  for (const QuadraticEntry& entry : quadratic) {
    place.emplace(entry.column, 0);
    place.emplace(entry.other, 0);
  }
  size_t n = 0;
  for (auto& [column, index] : place) index = n++;
  std::vector<double> q(n * n, 0.0);
  double largest = 0;
  for (const QuadraticEntry& entry : quadratic) {
    const size_t i = place[entry.column], j = place[entry.other];
    q[i * n + j] = q[j * n + i] = entry.value;
    largest = std::max(largest, std::abs(entry.value));
  }

  // Pivots on the largest remaining diagonal: when that is zero, what remains must be zero too.
  const double negligible = 1e-11 * largest * static_cast<double>(n);
  std::vector<size_t> left(n);
  for (size_t i = 0; i < n; ++i) left[i] = i;
  while (!left.empty()) {
    const auto pivot = std::max_element(
        left.begin(), left.end(), [&](size_t a, size_t b) { return q[a * n + a] < q[b * n + b]; });
    const size_t k = *pivot;
    left.erase(pivot);
    const double diagonal = q[k * n + k];
    if (diagonal <= negligible) {
      left.push_back(k);
      return std::all_of(left.begin(), left.end(), [&](size_t i) {
        return q[i * n + i] >= -negligible && std::all_of(left.begin(), left.end(), [&](size_t j) {
                 return i == j || std::abs(q[i * n + j]) <= negligible;
               });
      });
    }
    for (const size_t i : left) {
      for (const size_t j : left) q[i * n + j] -= q[i * n + k] * q[k * n + j] / diagonal;
    }
  }
  return true;
}

}  // namespace trex::solve
