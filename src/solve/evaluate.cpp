#include "solve/evaluate.h"

#include <algorithm>

namespace trex::solve {

double objective_at(const Model& model, const std::vector<double>& values) {
  CompensatedSum sum;
  sum.add(model.offset);
  for (size_t j = 0; j < values.size(); ++j) sum.add_product(model.columns[j].objective, values[j]);
  for (const QuadraticEntry& entry : model.quadratic) {
    const double product =
        values[static_cast<size_t>(entry.column)] * values[static_cast<size_t>(entry.other)];
    sum.add_product(entry.column == entry.other ? entry.value / 2 : entry.value, product);
  }
  return sum.value();
}

std::vector<double> activities_at(const Model& model, const std::vector<double>& values) {
  std::vector<CompensatedSum> sums(model.rows.size());
  for (const Entry& entry : model.matrix) {
    sums[static_cast<size_t>(entry.row)].add_product(entry.value,
                                                     values[static_cast<size_t>(entry.column)]);
  }
  std::vector<double> activities;
  activities.reserve(sums.size());
  for (const CompensatedSum& sum : sums) activities.push_back(sum.value());
  return activities;
}

std::vector<double> row_scales(const Model& model) {
  std::vector<double> scales(model.rows.size(), 0.0);
  for (const Entry& entry : model.matrix) {
    double& scale = scales[static_cast<size_t>(entry.row)];
    scale = std::max(scale, std::abs(entry.value));
  }
  for (double& scale : scales) {
    if (scale == 0) scale = 1;
  }
  return scales;
}

}  // namespace trex::solve
