#include "model/golden.h"

#include <ATen/Parallel.h>

#include <cmath>
#include <limits>

#include "base/check.h"

namespace trex::model::golden {
namespace {

// T0 is too small for more: threads would only wait for each other.
const bool kIsOneThread = (at::set_num_threads(1), true);

uint32_t fnv1a(const std::string& text) {
  uint32_t hash = 0x811C9DC5;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  return hash;
}

double uniform_at(uint32_t seed, uint32_t index) {
  uint32_t x = seed + index * 0x9E3779B9;
  x ^= x >> 16;
  x *= 0x7FEB352D;
  x ^= x >> 15;
  x *= 0x846CA68B;
  x ^= x >> 16;
  return 2.0 * x / 4294967296.0 - 1;
}

// The rules of 7.2, tested in their order.
torch::Tensor value(const checkpoint::TensorSpec& spec, int64_t num_experts) {
  const auto& name = spec.name;
  const auto contains = [&](const char* part) { return name.find(part) != std::string::npos; };
  if (name.ends_with("tid2eid")) {
    return (3 * torch::arange(spec.shape[0]).unsqueeze(1) + 5 * torch::arange(spec.shape[1]))
        .remainder(num_experts);
  }
  const auto u = uniform(name, spec.shape);
  if (contains("norm")) return 1 + 0.2 * u;
  if (name.ends_with("gate.bias")) return 0.2 * u;
  if (name.ends_with("_scale")) return 1 + 0.5 * u;
  if (name.ends_with("_base") || name.ends_with("attn_sink") || name.ends_with(".ape"))
    return 0.5 * u;
  if (name == "embed.weight") return u;
  const double gain = contains(".w1.") || contains(".w3.") ? 1.7 : 1;
  return u * (gain * std::sqrt(3.0 / static_cast<double>(spec.shape.back())));
}

}  // namespace

Path folder() {
  TREX_CHECK(kIsOneThread);
  return Path(TREX_SOURCE_DIR) / "tests/golden/deepseek-v4-tiny";
}

ModelConfig config() {
  static const ModelConfig kConfig = read_config(folder() / "checkpoint/config.json");
  return kConfig;
}

torch::Tensor uniform(const std::string& name, const std::vector<int64_t>& shape) {
  const auto values = torch::empty(shape, torch::kFloat64);
  const uint32_t seed = fnv1a(name);
  for (int64_t i = 0; i < values.numel(); ++i) {
    values.data_ptr<double>()[i] = uniform_at(seed, static_cast<uint32_t>(i));
  }
  return values;
}

Parameters parameters(torch::Dtype dtype) {
  const ModelConfig t0 = config();
  Parameters all;
  for (const auto& spec : expected_specs(t0, dtype)) {
    all.add(spec.name, value(spec, t0.n_routed_experts).to(spec.dtype));
  }
  return all;
}

Batch batch_29() { return batch_of_rows((7 * torch::arange(29) + 3).remainder(64).unsqueeze(0)); }

checkpoint::SafetensorsFile file(const std::string& name) {
  return checkpoint::SafetensorsFile::open(folder() / (name + ".safetensors.zst"));
}

void unpack_checkpoint(const std::string& name, const Path& target) {
  write_file(target / "model.safetensors", read_file(folder() / name / "model.safetensors.zst"));
  write_file(target / "config.json", read_file(folder() / name / "config.json"));
}

double max_difference(const torch::Tensor& a, const torch::Tensor& b) {
  if (a.sizes() != b.sizes()) return std::numeric_limits<double>::infinity();
  if (a.numel() == 0) return 0;
  const double difference =
      (a.to(torch::kFloat64) - b.to(torch::kFloat64)).abs().max().item<double>();
  return std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity();
}

double relative_difference(const torch::Tensor& a, const torch::Tensor& b) {
  const auto wide_b = b.to(torch::kFloat64);
  return ((a.to(torch::kFloat64) - wide_b).norm() / wide_b.norm()).item<double>();
}

}  // namespace trex::model::golden
