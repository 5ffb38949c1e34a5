#include "train/trained_parameters.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/check.h"

namespace trex::train {
namespace {

// Elements: a cache line of bfloat16. Leaves start where matrix kernels want their operands to
// start; some give other bytes for operands that are not aligned.
constexpr int64_t kAlignment = 32;

bool contains(const std::string& text, const char* word) {
  return text.find(word) != std::string::npos;
}

int64_t padded(int64_t count) { return (count + kAlignment - 1) / kAlignment * kAlignment; }

std::vector<Extent> lay_out(std::span<const checkpoint::TensorSpec> specs,
                            const std::function<bool(std::string_view)>& is_trained) {
  std::vector<Extent> extents;
  for (const auto& spec : specs) {
    if (!is_trained(spec.name)) continue;
    extents.push_back({.name = spec.name,
                       .kind = kind_of(spec.name),
                       .decays = decays(spec.name, static_cast<int64_t>(spec.shape.size())),
                       .is_half = spec.dtype == torch::kBFloat16,
                       .count = spec.num_elements(),
                       .shape = spec.shape});
  }
  std::stable_sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) {
    return std::tuple(a.is_half, a.decays) < std::tuple(b.is_half, b.decays);
  });
  int64_t offset = 0;
  for (Extent& extent : extents) {
    extent.offset = offset;
    offset += padded(extent.count);
  }
  return extents;
}

}  // namespace

std::string kind_of(const std::string& name) {
  if (name == "embed.weight" || name == "head.weight") return "embedding";
  if (contains(name, "hc_")) return "mhc";
  if (contains(name, ".indexer.")) return "indexer";
  if (contains(name, ".gate.")) return "router";
  if (contains(name, ".ffn.experts.")) return "expert";
  if (contains(name, ".ffn.shared_experts.")) return "shared_expert";
  if (contains(name, "norm.")) return "norm";
  if (contains(name, ".attn.")) return "attention";
  return "other";
}

bool decays(const std::string& name, int64_t num_dimensions) {
  return num_dimensions >= 2 && !contains(name, "hc_") && !name.ends_with(".ape");
}

TrainedParameters::TrainedParameters(const model::Parameters& values,
                                     std::span<const checkpoint::TensorSpec> specs,
                                     const std::function<bool(std::string_view)>& is_trained,
                                     int64_t num_lanes) {
  at::NoGradGuard no_grad;
  extents_ = lay_out(specs, is_trained);
  TREX_CHECK(!extents_.empty(), "nothing to train");
  const int64_t total = extents_.back().offset + padded(extents_.back().count);
  const auto first_half = std::find_if(extents_.begin(), extents_.end(),
                                       [](const Extent& extent) { return extent.is_half; });
  num_full_ = first_half == extents_.end() ? total : first_half->offset;
  master_ = torch::zeros({total}, values.at(extents_.front().name).scalar_type());
  if (num_full_ < total) half_ = torch::zeros({total - num_full_}, torch::kBFloat16);
  for (const Extent& extent : extents_) piece(master_, extent).copy_(values.at(extent.name));
  publish();

  model::Parameters fixed;
  for (const auto& spec : specs) {
    fixed.add(spec.name, values.at(spec.name).detach().to(spec.dtype, /*non_blocking=*/false,
                                                          /*copy=*/true));
  }
  for (int64_t i = 0; i < num_lanes; ++i) lanes_.push_back(make_lane(fixed, specs));
}

GradientLane TrainedParameters::make_lane(const model::Parameters& fixed,
                                          std::span<const checkpoint::TensorSpec> specs) const {
  GradientLane lane{.gradient = torch::zeros_like(master_), .num_full = num_full_};
  if (half_.defined()) lane.half_gradient = torch::zeros_like(half_);
  std::map<std::string, torch::Tensor> leaves;
  for (const Extent& extent : extents_) {
    Extent place = extent;
    if (extent.is_half) place.offset -= num_full_;
    torch::Tensor leaf = piece(extent.is_half ? half_ : master_, place).detach();
    leaf.requires_grad_(true);
    // Backward adds to a gradient that is there in place: it collects in the flat array.
    leaf.mutable_grad() = piece(extent.is_half ? lane.half_gradient : lane.gradient, place);
    leaves[extent.name] = leaf;
  }
  for (const auto& spec : specs) {
    const auto leaf = leaves.find(spec.name);
    lane.model.add(spec.name, leaf != leaves.end() ? leaf->second : fixed.at(spec.name));
  }
  return lane;
}

torch::Tensor TrainedParameters::piece(const torch::Tensor& flat, const Extent& extent) {
  return flat.narrow(0, extent.offset, extent.count).view(extent.shape);
}

void TrainedParameters::zero_gradients() {
  for (GradientLane& lane : lanes_) lane.gradient.zero_();
}

void TrainedParameters::reduce_gradients() {
  at::NoGradGuard no_grad;
  for (size_t i = 1; i < lanes_.size(); ++i) lanes_.front().gradient.add_(lanes_[i].gradient);
}

void GradientLane::collect_gradients() {
  if (!half_gradient.defined()) return;
  at::NoGradGuard no_grad;
  gradient.narrow(0, num_full, half_gradient.numel()).add_(half_gradient);
  half_gradient.zero_();
}

void TrainedParameters::publish() {
  if (!half_.defined()) return;
  at::NoGradGuard no_grad;
  half_.copy_(master_.narrow(0, num_full_, half_.numel()));
}

}  // namespace trex::train
