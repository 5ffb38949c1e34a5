#include "train/gradient_norm.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace trex::train {
namespace {

constexpr int64_t kBlock = 1 << 15;  // elements

// Eight running sums, so that one addition need not wait for the one before it.
template <class Scalar>
double sum_of_squares(const Scalar* values, int64_t count) {
  std::array<double, 8> sums{};
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (size_t lane = 0; lane < 8; ++lane) {
      const auto value = static_cast<double>(values[i + static_cast<int64_t>(lane)]);
      sums[lane] += value * value;
    }
  }
  double sum = 0;
  for (const double lane : sums) sum += lane;
  for (; i < count; ++i) sum += double(values[i]) * double(values[i]);
  return sum;
}

struct Block {
  size_t extent_index;
  int64_t offset, count;
};

std::vector<Block> blocks_of(std::span<const Extent> extents) {
  std::vector<Block> blocks;
  for (size_t i = 0; i < extents.size(); ++i) {
    for (int64_t done = 0; done < extents[i].count; done += kBlock) {
      blocks.push_back({i, extents[i].offset + done, std::min(kBlock, extents[i].count - done)});
    }
  }
  return blocks;
}

}  // namespace

GradientNorm gradient_norm(const TrainedParameters& parameters) {
  const torch::Tensor& gradient = parameters.gradient();
  const std::vector<Block> blocks = blocks_of(parameters.extents());
  std::vector<double> sums(blocks.size());
  at::parallel_for(0, static_cast<int64_t>(blocks.size()), 4, [&](int64_t from, int64_t to) {
    for (auto i = static_cast<size_t>(from); i < static_cast<size_t>(to); ++i) {
      sums[i] =
          gradient.scalar_type() == torch::kDouble
              ? sum_of_squares(gradient.data_ptr<double>() + blocks[i].offset, blocks[i].count)
              : sum_of_squares(gradient.data_ptr<float>() + blocks[i].offset, blocks[i].count);
    }
  });
  GradientNorm norm;
  double total = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const Extent& extent = parameters.extents()[blocks[i].extent_index];
    if (!std::isfinite(sums[i]) && norm.first_bad.empty()) norm.first_bad = extent.name;
    norm.by_kind[extent.kind] += sums[i];
    total += sums[i];
  }
  for (auto& [kind, sum] : norm.by_kind) sum = std::sqrt(sum);
  norm.total = std::sqrt(total);
  return norm;
}

double clip_factor(double norm, double max_norm) { return std::min(1.0, max_norm / (norm + 1e-6)); }

}  // namespace trex::train
