// The safetensors format: 8 bytes little-endian header length, a JSON header (name → dtype, shape,
// data_offsets; string __metadata__), then raw little-endian row-major data (deepseek-v4.md 4).
//
// Strict: a header above 100 MB, overlapping or missing bytes, sizes that do not fit the shape and
// duplicate names are Input errors that name file and tensor.
#pragma once

#include <torch/types.h>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/files.h"
#include "checkpoint/tensor_spec.h"

namespace trex::checkpoint {

using Metadata = std::map<std::string, std::string>;

// One open file. Reading from several threads is safe.
class SafetensorsFile {
 public:
  // Maps the file; a name that ends in .zst is decompressed into memory instead.
  static SafetensorsFile open(const Path& path);

  // In the order of their data.
  const std::vector<TensorSpec>& specs() const { return specs_; }
  const Metadata& metadata() const { return metadata_; }
  bool has(std::string_view name) const { return entries_.contains(std::string(name)); }

  // A copy of the tensor in memory of its own. Input error when the file has no such tensor.
  torch::Tensor read(std::string_view name) const;

 private:
  struct Entry {
    size_t spec_index;
    size_t begin;  // into data_
  };

  void parse(std::string_view bytes);

  std::string where_;
  std::shared_ptr<const void> owner_;  // keeps data_ alive
  std::string_view data_;
  std::vector<TensorSpec> specs_;
  std::unordered_map<std::string, Entry> entries_;
  Metadata metadata_;
};

struct NamedTensor {
  std::string_view name;
  torch::Tensor tensor;
};

// Writes the tensors in the given order, atomically: a temporary file, fsync, rename. The bytes
// depend on nothing but the arguments. Tensors may be on any device and not contiguous. Names must
// differ.
void write_safetensors(const Path& path, std::span<const NamedTensor> tensors,
                       const Metadata& metadata = {});

}  // namespace trex::checkpoint
