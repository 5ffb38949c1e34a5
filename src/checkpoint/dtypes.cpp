#include "checkpoint/dtypes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "base/check.h"

namespace trex::checkpoint {
namespace {

struct NamedDtype {
  std::string_view name;
  torch::Dtype dtype;
};

constexpr std::array kDtypes = {
    NamedDtype{"F64", torch::kFloat64},
    NamedDtype{"F32", torch::kFloat32},
    NamedDtype{"F16", torch::kFloat16},
    NamedDtype{"BF16", torch::kBFloat16},
    NamedDtype{"F8_E4M3", torch::kFloat8_e4m3fn},
    NamedDtype{"F8_E5M2", torch::kFloat8_e5m2},
    NamedDtype{"F8_E8M0", torch::kFloat8_e8m0fnu},
    NamedDtype{"I64", torch::kInt64},
    NamedDtype{"I32", torch::kInt32},
    NamedDtype{"I16", torch::kInt16},
    NamedDtype{"I8", torch::kInt8},
    NamedDtype{"U8", torch::kUInt8},
    NamedDtype{"BOOL", torch::kBool},
};

}  // namespace

std::optional<torch::Dtype> dtype_of(std::string_view name) {
  for (const NamedDtype& entry : kDtypes) {
    if (entry.name == name) return entry.dtype;
  }
  return std::nullopt;
}

std::string dtype_name(torch::Dtype dtype) {
  for (const NamedDtype& entry : kDtypes) {
    if (entry.dtype == dtype) return std::string(entry.name);
  }
  TREX_CHECK(false, "safetensors cannot hold {}", c10::toString(dtype));
  return {};
}

std::string dtype_names() {
  std::vector<std::string_view> names;
  for (const NamedDtype& entry : kDtypes) names.push_back(entry.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace trex::checkpoint
