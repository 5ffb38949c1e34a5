// What a device is to the performance model: peak rates, memory, links, price, and the share of the
// peaks that real kernels reach (heterogeneous serving, sections 5.6 and 6).
//
// Every number carries where it comes from and whether it was measured. SI units throughout: bytes,
// seconds, FLOP/s (dense, no sparsity), bytes/s in one direction. Plain values, any thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trex::perf {

// The arithmetic of a matrix product. Half means bf16, or fp16 on a device without bf16.
enum class Arithmetic { Bf16, Fp16, Fp8, Int8, Fp4, Half };

struct Sourced {
  double value = 0;
  std::string source;
  bool calibrated = false;  // measured on the device, not read from a data sheet or a list
};

struct Link {
  std::string kind;        // "NVLink", "PCIe4", "HCCS", "Ethernet"
  std::string scope;       // "machine" or "cluster"
  double bytes_per_s = 0;  // one direction
  double latency_s = 0;
  std::string source;
};

struct Price {
  double low_usd_h = 0;
  double high_usd_h = 0;
  std::string source;
  std::string date;
};

// Fitted collective: seconds = alpha + beta * bytes.
struct AlphaBeta {
  double alpha_s = 0;
  double beta_s_per_byte = 0;
};

// Tokens at which gemm_compute is tabulated, and lengths of prompt_attention; between them values
// are interpolated in log2, beyond them clamped.
inline constexpr std::array<double, 8> kGemmTokens{64, 128, 256, 512, 1024, 2048, 4096, 8192};
inline constexpr std::array<double, 7> kAttentionLengths{128, 512, 1024, 2048, 4096, 8192, 16384};

// Sequences whose prompts one kernel works on together: many fill the device better.
inline constexpr std::array<double, 9> kPromptSequences{1, 2, 4, 8, 16, 32, 64, 128, 256};
inline constexpr std::array<double, 9> kNoGain{1, 1, 1, 1, 1, 1, 1, 1, 1};

// Share of the memory bandwidth and of the peak that a kernel reaches.
struct KernelEfficiency {
  double stream = 0;
  double compute = 0;
};

struct Efficiency {
  std::string name;
  std::string source;
  bool calibrated = false;
  double gemm_stream = 0;                // eta_B
  std::array<double, 8> gemm_compute{};  // eta_F at kGemmTokens, bf16
  KernelEfficiency fp8_gemm;             // compute is the best of the curve
  // 8-bit products at kGemmTokens where measured; otherwise the bf16 curve scaled to
  // fp8_gemm.compute.
  std::optional<std::array<double, 8>> fp8_gemm_compute;
  std::array<double, 7> prompt_attention{};  // eta_A at kAttentionLengths, one sequence
  std::array<double, 9> prompt_sequences =
      kNoGain;                   // factor of eta_A for several sequences, at kPromptSequences
  double decode_layer_s = 0;     // t_0
  double decode_sequence_s = 0;  // c_s, for a sequence and 64 heads
  double kv_stream = 0;          // eta_K
  double fp8_kv_layer_s = 0;     // t_0 and eta_K over 8-bit elements; as above where not measured
  double fp8_kv_stream = 0;
  KernelEfficiency moe_half, moe_fp8, moe_fp8_block;
  double moe_layer_s = 10e-6;  // t_m = this + moe_expert_s * experts on the rank
  double moe_expert_s = 0.17e-6;
};

struct DeviceSpec {
  std::string name;
  std::string vendor;
  std::string architecture;
  std::map<Arithmetic, Sourced> peak;  // FLOP/s; absent: not supported
  Sourced memory_bytes;
  Sourced memory_bandwidth;  // bytes/s
  std::vector<Link> links;
  bool peer_access = true;  // devices of a machine reach each other directly
  bool graphs = true;       // launches can be captured
  double power_w = 0;
  std::optional<Price> price;
  Efficiency efficiency;
  std::map<int64_t, AlphaBeta> all_reduce;  // by ranks, if fitted or assumed for this device
  bool all_reduce_calibrated = false;
  double step_overhead_s = 0.3e-3;  // o_step
  double layer_overhead_s = 6e-6;   // o_layer

  // Nothing if the device cannot compute in that arithmetic.
  std::optional<double> peak_flops(Arithmetic arithmetic) const;
  // The link of a scope with the highest bandwidth, or null.
  const Link* fastest_link(const std::string& scope) const;
  // Everything that the model reads was measured on this device.
  bool calibrated() const;
};

// Throws Input at `where` for a number that is missing, NaN or not positive.
void validate(const DeviceSpec& device, const std::string& where);

// `values` at `points`, interpolated in log2(x), clamped at both ends. `points` rise.
double interpolate_log2(double x, const double* points, const double* values, size_t count);

// eta_F for a product over `num_tokens` rows, of the peak of that arithmetic.
double gemm_compute_share(const Efficiency& efficiency, Arithmetic arithmetic, double num_tokens);
double gemm_stream_share(const Efficiency& efficiency, Arithmetic arithmetic);
double prompt_attention_share(const Efficiency& efficiency, double length,
                              double num_sequences = 1);

// All-reduce among `ranks` devices of one machine: the fit of the device, interpolated in
// log2(ranks); without one alpha(n) + 2*S*(n-1)/n/bw over the link's assumed effective bandwidth.
AlphaBeta all_reduce_of(const DeviceSpec& device, int64_t ranks);

// Effective one-direction bandwidth among `ranks` devices, as the all-reduce shows it.
double effective_bandwidth(const DeviceSpec& device, int64_t ranks);

}  // namespace trex::perf
