#include "perf/kernel_fit.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/error.h"
#include "base/text.h"

namespace trex::perf {
namespace {

constexpr double kLaunchS = 5e-6;
constexpr double kBendPenalty =
    0.05;  // of a squared change of slope, against one squared log error
constexpr double kTinyRidge = 1e-6;
constexpr double kRobustError = 0.03;  // larger log errors count linearly
constexpr int kRounds = 6;
constexpr size_t kHoldOutEvery = 5;

double roofline_s(const KernelSample& shape) {
  return kLaunchS + std::max(shape.compute_s, shape.memory_s);
}

// Nodes of a feature and the tables of a kernel: which sizes act together.
struct Shape {
  std::vector<std::vector<double>> nodes;
  std::vector<std::vector<size_t>> tables;
};

const Shape& shape_of(Kernel kernel) {
  static const std::vector<double> kRows{0, 3,   4,  5,    6,  6.5,  7,  7.5, 8, 8.5,
                                         9, 9.5, 10, 10.5, 11, 11.5, 12, 13,  14};
  static const std::vector<double> kSizes{7, 9, 11, 12, 12.5, 13, 13.5, 14};
  static const Shape kShapes[] = {
      {{kRows, kSizes, kSizes, {0, 1, 2}}, {{0, 1, 2}, {0, 3}, {1, 3}}},
      {{{0, 4, 5, 6, 7, 8, 9, 10, 10.6, 11, 11.6, 12, 12.6, 13, 13.3, 13.6, 14},
        {0, 1, 2, 3, 4, 4.6, 5, 5.6, 6, 6.6, 7, 7.6, 8, 9, 10, 11, 12, 14},
        {0, 1, 2, 3, 4, 5, 6}},
       {{0, 1}, {0, 2}, {1, 2}}},
      {{{1, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17},
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
        {0, 1, 2, 3},
        {0, 1, 2, 3, 4, 5, 6}},
       {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {0, 3}, {2, 3}}},
      {{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14},
        {4, 5, 6, 7, 8, 9, 10, 11, 14},
        {0, 1, 2},
        {11, 11.4, 11.6, 12, 12.6, 12.8},
        {3, 7, 7.3, 8, 8.6, 9}},
       {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 4}}},
      {{{9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29},
        {1, 2, 3}},
       {{0, 1}}}};
  return kShapes[static_cast<size_t>(kernel)];
}

// Node before x and the weight of the one after it; clamped at both ends.
std::pair<size_t, double> place(const std::vector<double>& nodes, double x) {
  if (x <= nodes.front()) return {0, 0.0};
  if (x >= nodes.back()) return {nodes.size() - 2, 1.0};
  const auto after = std::upper_bound(nodes.begin(), nodes.end(), x);
  const size_t i = static_cast<size_t>(after - nodes.begin()) - 1;
  return {i, (x - nodes[i]) / (nodes[i + 1] - nodes[i])};
}

// Solves gram * x = right in place by Cholesky; gram is positive definite thanks to the ridge.
std::vector<double> solve_positive(std::vector<std::vector<double>> gram,
                                   std::vector<double> right) {
  const size_t n = right.size();
  for (size_t j = 0; j < n; ++j) {
    for (size_t i = 0; i < j; ++i) {
      double sum = gram[j][i];
      for (size_t k = 0; k < i; ++k) sum -= gram[j][k] * gram[i][k];
      gram[j][i] = sum / gram[i][i];
    }
    double sum = gram[j][j];
    for (size_t k = 0; k < j; ++k) sum -= gram[j][k] * gram[j][k];
    gram[j][j] = std::sqrt(sum);
  }
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < i; ++k) right[i] -= gram[i][k] * right[k];
    right[i] /= gram[i][i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; ++k) right[i] -= gram[k][i] * right[k];
    right[i] /= gram[i][i];
  }
  return right;
}

FitError error_of(const std::vector<KernelSample>& samples,
                  const std::function<double(const KernelSample&)>& predict) {
  std::vector<double> errors;
  for (const KernelSample& s : samples)
    errors.push_back(std::abs(predict(s) - s.seconds) / s.seconds);
  return summary_of(std::move(errors));
}

// The constant that the median error wants: exp of the median of log(measured / roofline).
double best_constant(const std::vector<KernelSample>& samples) {
  std::vector<double> ratios;
  for (const KernelSample& s : samples)
    ratios.push_back(s.seconds / std::max(s.compute_s, s.memory_s));
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2),
                   ratios.end());
  return ratios[ratios.size() / 2];
}

// The error on every fifth sample, of tables fitted to the others.
FitError held_out_error(Kernel kernel, const std::vector<KernelSample>& samples,
                        const std::string& where, size_t& num_coefficients) {
  std::vector<KernelSample> fitted, held_out;
  for (size_t i = 0; i < samples.size(); ++i)
    (i % kHoldOutEvery == kHoldOutEvery - 1 ? held_out : fitted).push_back(samples[i]);
  const KernelFit fit(kernel, fitted, where);
  num_coefficients = fit.num_coefficients();
  return error_of(held_out, [&](const KernelSample& s) { return fit.seconds(s); });
}

}  // namespace

KernelFit::KernelFit(Kernel kernel, std::span<const KernelSample> samples, const std::string& where)
    : nodes_(shape_of(kernel).nodes) {
  if (samples.empty()) throw input_error(where, "samples", "at least 1", "0");
  trim_nodes(samples);
  size_t count = 0;
  for (const auto& axes : shape_of(kernel).tables) {
    size_t size = 1;
    for (const size_t axis : axes) size *= nodes_[axis].size();
    tables_.push_back({axes, count, size});
    count += size;
  }
  std::vector<Weights> rows(samples.size());
  std::vector<double> logs;
  for (size_t r = 0; r < samples.size(); ++r) {
    const double ratio = samples[r].seconds / roofline_s(samples[r]);
    if (!(ratio > 0) || std::isinf(ratio)) {
      throw input_error(where, "sample " + std::to_string(r + 1), "finite times above 0",
                        shortest(samples[r].seconds));
    }
    logs.push_back(std::log(ratio));
    weigh(samples[r], rows[r]);
  }
  coefficients_.assign(count, 0.0);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::vector<double>> gram(count, std::vector<double>(count, 0.0));
    std::vector<double> right(count, 0.0);
    for (size_t r = 0; r < rows.size(); ++r) {
      double predicted = 0;
      for (const auto& [i, w] : rows[r]) predicted += w * coefficients_[i];
      const double weight =
          round == 0 ? 1 : kRobustError / std::max(kRobustError, std::abs(logs[r] - predicted));
      for (const auto& [i, w] : rows[r]) {
        right[i] += weight * w * logs[r];
        for (const auto& [j, v] : rows[r]) gram[i][j] += weight * w * v;
      }
    }
    add_bends(gram);
    for (size_t i = 0; i < count; ++i) gram[i][i] += kTinyRidge;
    coefficients_ = solve_positive(std::move(gram), std::move(right));
  }
}

// Leaves out nodes beyond the samples: nothing is known there, and predictions are clamped.
void KernelFit::trim_nodes(std::span<const KernelSample> samples) {
  for (size_t axis = 0; axis < nodes_.size(); ++axis) {
    const auto [least, most] = std::minmax_element(
        samples.begin(), samples.end(),
        [&](const auto& a, const auto& b) { return a.features[axis] < b.features[axis]; });
    std::vector<double>& nodes = nodes_[axis];
    while (nodes.size() > 2 && nodes[nodes.size() - 2] >= most->features[axis]) nodes.pop_back();
    while (nodes.size() > 2 && nodes[1] <= least->features[axis]) nodes.erase(nodes.begin());
  }
}

void KernelFit::weigh(const KernelSample& shape, Weights& weights) const {
  weights.clear();
  for (const Table& table : tables_) {
    // Corners of the cell: one axis after the other doubles them.
    const size_t begin = weights.size();
    weights.emplace_back(0, 1.0);
    for (const size_t axis : table.axes) {
      const auto [node, share] = place(nodes_[axis], shape.features[axis]);
      const size_t end = weights.size();
      for (size_t i = begin; i < end; ++i) {
        const auto [index, weight] = weights[i];
        const size_t first = index * nodes_[axis].size() + node;
        weights[i] = {first, weight * (1 - share)};
        weights.emplace_back(first + 1, weight * share);
      }
    }
    for (size_t i = begin; i < weights.size(); ++i) weights[i].first += table.first;
  }
  std::erase_if(weights, [](const auto& corner) { return corner.second == 0; });
}

// Squared changes of slope along every axis of every table.
void KernelFit::add_bends(std::vector<std::vector<double>>& gram) const {
  for (const Table& table : tables_) {
    size_t stride = 1;
    for (size_t a = table.axes.size(); a-- > 0;) {
      const auto& x = nodes_[table.axes[a]];
      for (size_t index = 0; index < table.size; ++index) {
        const size_t i = index / stride % x.size();
        if (i == 0 || i + 1 == x.size()) continue;
        const double left = 1 / (x[i] - x[i - 1]);
        const double right = 1 / (x[i + 1] - x[i]);
        const size_t middle = table.first + index;
        const std::pair<size_t, double> bend[] = {
            {middle - stride, left}, {middle, -left - right}, {middle + stride, right}};
        for (const auto& [p, w] : bend) {
          for (const auto& [q, v] : bend) gram[p][q] += kBendPenalty * w * v;
        }
      }
      stride *= x.size();
    }
  }
}

double KernelFit::seconds(const KernelSample& shape) const {
  Weights weights;
  weigh(shape, weights);
  double log_ratio = 0;
  for (const auto& [i, w] : weights) log_ratio += w * coefficients_[i];
  return roofline_s(shape) * std::exp(log_ratio);
}

CalibrationReport calibration_report(const KernelTable& table) {
  const std::string where =
      table.device + " " + std::string(to_string(table.kernel)) + " " + table.arithmetic;
  std::vector<KernelSample> scope;
  for (const KernelSample& s : table.samples) {
    if (s.in_scope) scope.push_back(s);
  }
  CalibrationReport report{.num_samples = table.samples.size(), .num_in_scope = scope.size()};
  const auto shipped = [](const KernelSample& s) { return s.model_s; };
  const double constant = best_constant(scope);
  report.constant = error_of(
      scope, [&](const KernelSample& s) { return constant * std::max(s.compute_s, s.memory_s); });
  report.shipped = error_of(scope, shipped);
  report.shipped_all = error_of(table.samples, shipped);
  report.fitted = held_out_error(table.kernel, scope, where, report.num_coefficients);
  return report;
}

}  // namespace trex::perf
