// What a tensor in a file is: its name, dtype and shape.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace trex::checkpoint {

struct TensorSpec {
  std::string name;
  torch::Dtype dtype = torch::kFloat32;
  std::vector<int64_t> shape;

  int64_t num_elements() const;
  int64_t num_bytes() const;

  // "F8_E4M3 [32768, 1024]", as messages and listings show it.
  std::string text() const;
};

}  // namespace trex::checkpoint
