#include "checkpoint/tensor_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "checkpoint/dtypes.h"

namespace trex::checkpoint {

int64_t TensorSpec::num_elements() const {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  return count;
}

int64_t TensorSpec::num_bytes() const {
  return num_elements() * static_cast<int64_t>(c10::elementSize(dtype));
}

std::string TensorSpec::text() const {
  return fmt::format("{} [{}]", dtype_name(dtype), fmt::join(shape, ", "));
}

}  // namespace trex::checkpoint
