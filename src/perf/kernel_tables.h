// Published kernel measurements (data/traces/calibration) as samples that know what this module's
// operator model says about the same shape, for checking shipped efficiencies and for fitting
// better ones (heterogeneous serving, sections 5.5, 5.6 and 14.2 step 3).
//
// Predictions come from OperatorModel itself, on a model of one layer with the kernel's shape.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "perf/catalogue.h"

namespace trex::perf {

enum class Kernel { Gemm, PromptAttention, DecodeAttention, Experts, AllReduce };
std::string_view to_string(Kernel kernel);

// Sizes that a kernel's speed depends on, in log2, and classes (alignment, skew) as numbers; unused
// ones are 0. In the order of `features_of`.
inline constexpr size_t kMaxFeatures = 6;

struct KernelSample {
  std::array<double, kMaxFeatures> features{};
  double seconds = 0;    // measured
  double model_s = 0;    // operator model with the efficiency that the catalogue holds
  double compute_s = 0;  // at the peak rate
  double memory_s = 0;   // at the peak bandwidth or link rate
  // Within the shapes that section 5.6 tabulates: products of 4k to 16k; prompts from 128 tokens
  // with 8 heads or more on the rank; grouped queries of 256 tokens or more outside the last-level
  // cache; many experts on one rank.
  bool in_scope = false;
};

struct KernelTable {
  Kernel kernel = Kernel::Gemm;
  std::string device;      // of the catalogue
  std::string arithmetic;  // of the measurement: "bfloat16", "fp8", "fp8_block", "half"
  std::vector<KernelSample> samples;
};

// Names of the features of a kernel, in order.
std::vector<std::string> features_of(Kernel kernel);

// All tables of `folder`, by kernel, device and arithmetic. Throws Input at file and line for a
// missing column or a number that is NaN, negative or absent. L40S prompts with an fp8 cache are
// left out: long ones are reported faster than the device's fp8 peak.
std::vector<KernelTable> read_kernel_tables(const Path& folder, const Catalogue& catalogue);

}  // namespace trex::perf
