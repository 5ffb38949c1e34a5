// A folder of weights: model.safetensors, or shards behind model.safetensors.index.json.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "checkpoint/safetensors.h"

namespace trex::checkpoint {

// All tensors of a folder by name. The index and the shards must tell the same story: a tensor that
// the index places in a file and that the file lacks, or the reverse, is an Input error.
class WeightFolder {
 public:
  static WeightFolder open(const Path& folder);

  std::vector<TensorSpec> specs() const;  // in the order of files and of their data
  bool has(std::string_view name) const { return file_of_.contains(std::string(name)); }
  torch::Tensor read(std::string_view name) const;
  const Path& folder() const { return folder_; }

 private:
  Path folder_;
  std::vector<SafetensorsFile> files_;
  std::unordered_map<std::string, size_t> file_of_;
};

// Writes shards of at most `max_shard_bytes` (a larger tensor has one of its own) and the index, or
// a single model.safetensors when everything fits into one.
void write_weights(const Path& folder, std::span<const NamedTensor> tensors,
                   int64_t max_shard_bytes);

}  // namespace trex::checkpoint
