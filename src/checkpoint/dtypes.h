// The dtypes of safetensors files and LibTorch's for them.
#pragma once

#include <torch/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace trex::checkpoint {

// "BF16" → torch::kBFloat16; nothing for a name that the format does not have.
std::optional<torch::Dtype> dtype_of(std::string_view name);

// The format's name; a dtype that it cannot hold is a bug in the caller.
std::string dtype_name(torch::Dtype dtype);

// All names, for messages.
std::string dtype_names();

}  // namespace trex::checkpoint
