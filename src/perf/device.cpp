#include "perf/device.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"

namespace trex::perf {
namespace {

// Share of a link's rate that collectives reach where nobody measured (section 6, note 5: PCIe
// boxes reach 10-25 GB/s of 32; without peer access everything passes through host memory twice).
constexpr double kNvlinkShare = 0.8;
constexpr double kPcieShare = 0.58;
constexpr double kHostShare = 0.3;

void require_positive(const std::string& where, const std::string& field, double value) {
  if (!(value > 0) || std::isinf(value)) {
    throw input_error(where, field, "a finite number above 0", shortest(value));
  }
}

void require_share(const std::string& where, const std::string& field, double value) {
  if (!(value > 0 && value <= 1)) {
    throw input_error(where, field, "a share above 0, at most 1", shortest(value));
  }
}

void require_not_negative(const std::string& where, const std::string& field, double value) {
  if (!(value >= 0)) throw input_error(where, field, "at least 0", shortest(value));
}

void validate_efficiency(const Efficiency& e, const std::string& where, const std::string& prefix) {
  require_share(where, prefix + "gemm_stream", e.gemm_stream);
  for (const double share : e.gemm_compute) require_share(where, prefix + "gemm_compute", share);
  for (const double share : e.prompt_attention)
    require_share(where, prefix + "prompt_attention", share);
  require_share(where, prefix + "kv_stream", e.kv_stream);
  require_share(where, prefix + "fp8_kv_stream", e.fp8_kv_stream);
  require_positive(where, prefix + "fp8_kv_layer_us", e.fp8_kv_layer_s);
  require_share(where, prefix + "fp8_gemm.stream", e.fp8_gemm.stream);
  require_share(where, prefix + "fp8_gemm.compute", e.fp8_gemm.compute);
  if (e.fp8_gemm_compute) {
    for (const double share : *e.fp8_gemm_compute)
      require_share(where, prefix + "fp8_gemm_compute", share);
  }
  for (const double factor : e.prompt_sequences)
    require_positive(where, prefix + "prompt_sequences", factor);
  for (const auto& moe : {e.moe_half, e.moe_fp8, e.moe_fp8_block}) {
    require_share(where, prefix + "moe.stream", moe.stream);
    require_share(where, prefix + "moe.compute", moe.compute);
  }
  require_positive(where, prefix + "decode_layer_us", e.decode_layer_s);
  require_positive(where, prefix + "decode_sequence_us", e.decode_sequence_s);
}

double assumed_alpha_s(int64_t ranks) {
  constexpr double kRanks[] = {2, 4, 8};
  constexpr double kAlpha[] = {10e-6, 15e-6, 25e-6};
  return interpolate_log2(static_cast<double>(ranks), kRanks, kAlpha, 3);
}

}  // namespace

std::optional<double> DeviceSpec::peak_flops(Arithmetic arithmetic) const {
  if (arithmetic == Arithmetic::Half) {
    const auto bf16 = peak_flops(Arithmetic::Bf16);
    return bf16 ? bf16 : peak_flops(Arithmetic::Fp16);
  }
  const auto found = peak.find(arithmetic);
  if (found == peak.end()) return std::nullopt;
  return found->second.value;
}

const Link* DeviceSpec::fastest_link(const std::string& scope) const {
  const Link* best = nullptr;
  for (const Link& link : links) {
    if (link.scope == scope && (best == nullptr || link.bytes_per_s > best->bytes_per_s))
      best = &link;
  }
  return best;
}

bool DeviceSpec::calibrated() const { return efficiency.calibrated; }

void validate(const DeviceSpec& device, const std::string& where) {
  const std::string prefix = device.name + ".";
  if (device.peak.empty()) throw input_error(where, prefix + "peak", "at least one rate", "none");
  for (const auto& [arithmetic, rate] : device.peak)
    require_positive(where, prefix + "peak", rate.value);
  require_positive(where, prefix + "memory_bytes", device.memory_bytes.value);
  require_positive(where, prefix + "memory_bandwidth", device.memory_bandwidth.value);
  for (const Link& link : device.links) {
    require_positive(where, prefix + "links." + link.kind + ".bytes_per_s", link.bytes_per_s);
    if (link.scope != "machine" && link.scope != "cluster") {
      throw input_error(where, prefix + "links." + link.kind + ".scope", "one of machine, cluster",
                        in_quotes(link.scope));
    }
  }
  if (device.price) {
    require_positive(where, prefix + "price.low_usd_h", device.price->low_usd_h);
    if (!(device.price->high_usd_h >= device.price->low_usd_h)) {
      throw input_error(where, prefix + "price.high_usd_h", "at least low_usd_h",
                        shortest(device.price->high_usd_h));
    }
  }
  for (const auto& [ranks, fit] : device.all_reduce) {
    require_positive(where, prefix + "all_reduce.alpha_us", fit.alpha_s);
    require_positive(where, prefix + "all_reduce.beta_us_per_mb", fit.beta_s_per_byte);
  }
  const std::pair<const char*, double> others[] = {
      {"power_w", device.power_w},
      {"step_overhead_ms", 1e3 * device.step_overhead_s},
      {"layer_overhead_us", 1e6 * device.layer_overhead_s}};
  for (const auto& [key, value] : others) require_not_negative(where, prefix + key, value);
  for (const Link& link : device.links)
    require_not_negative(where, prefix + "links." + link.kind + ".latency_us",
                         1e6 * link.latency_s);
  validate_efficiency(device.efficiency, where, prefix + "efficiency.");
}

double interpolate_log2(double x, const double* points, const double* values, size_t count) {
  if (x <= points[0]) return values[0];
  for (size_t i = 1; i < count; ++i) {
    if (x > points[i]) continue;
    const double share = std::log2(x / points[i - 1]) / std::log2(points[i] / points[i - 1]);
    return values[i - 1] + (values[i] - values[i - 1]) * share;
  }
  return values[count - 1];
}

double gemm_compute_share(const Efficiency& efficiency, Arithmetic arithmetic, double num_tokens) {
  const auto& curve = efficiency.gemm_compute;
  const double share = interpolate_log2(num_tokens, kGemmTokens.data(), curve.data(), curve.size());
  if (arithmetic == Arithmetic::Bf16 || arithmetic == Arithmetic::Fp16 ||
      arithmetic == Arithmetic::Half) {
    return share;
  }
  if (efficiency.fp8_gemm_compute) {
    return interpolate_log2(num_tokens, kGemmTokens.data(), efficiency.fp8_gemm_compute->data(),
                            kGemmTokens.size());
  }
  // 8-bit products: the bf16 curve's shape up to the best share that 8-bit kernels reach.
  return share * efficiency.fp8_gemm.compute / *std::max_element(curve.begin(), curve.end());
}

double gemm_stream_share(const Efficiency& efficiency, Arithmetic arithmetic) {
  const bool is_half = arithmetic == Arithmetic::Bf16 || arithmetic == Arithmetic::Fp16 ||
                       arithmetic == Arithmetic::Half;
  return is_half ? efficiency.gemm_stream : efficiency.fp8_gemm.stream;
}

double prompt_attention_share(const Efficiency& efficiency, double length, double num_sequences) {
  return interpolate_log2(length, kAttentionLengths.data(), efficiency.prompt_attention.data(),
                          kAttentionLengths.size()) *
         interpolate_log2(num_sequences, kPromptSequences.data(),
                          efficiency.prompt_sequences.data(), kPromptSequences.size());
}

AlphaBeta all_reduce_of(const DeviceSpec& device, int64_t ranks) {
  if (ranks <= 1) return {};
  if (!device.all_reduce.empty()) {
    std::vector<double> points, alpha, beta;
    for (const auto& [n, fit] : device.all_reduce) {
      points.push_back(static_cast<double>(n));
      alpha.push_back(fit.alpha_s);
      beta.push_back(fit.beta_s_per_byte);
    }
    const double n = static_cast<double>(ranks);
    return {interpolate_log2(n, points.data(), alpha.data(), points.size()),
            interpolate_log2(n, points.data(), beta.data(), points.size())};
  }
  const Link* link = device.fastest_link("machine");
  const double rate = link != nullptr ? link->bytes_per_s : 32e9;
  const bool is_pcie = link == nullptr || link->kind.starts_with("PCIe");
  const double share = !device.peer_access ? kHostShare : is_pcie ? kPcieShare : kNvlinkShare;
  const double n = static_cast<double>(ranks);
  return {assumed_alpha_s(ranks), 2 * (n - 1) / n / (rate * share)};
}

double effective_bandwidth(const DeviceSpec& device, int64_t ranks) {
  const double n = static_cast<double>(ranks);
  return 2 * (n - 1) / n / all_reduce_of(device, ranks).beta_s_per_byte;
}

}  // namespace trex::perf
