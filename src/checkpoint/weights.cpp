#include "checkpoint/weights.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace trex::checkpoint {
namespace {

constexpr std::string_view kSingleFile = "model.safetensors";
constexpr std::string_view kIndexFile = "model.safetensors.index.json";

// Tensor → file name, from the index.
std::unordered_map<std::string, std::string> read_weight_map(const Path& path) {
  const Json json = parse_json(read_file(path), path.string());
  const JsonObject index(json, path.string());
  const JsonObject map = index.object("weight_map");
  std::unordered_map<std::string, std::string> files;
  for (const auto& [name, value] : map.json().items()) {
    const std::string file = map.string(name);
    if (file.empty() || Path(file).filename() != file) {
      throw map.error(name, "the name of a file beside the index", in_quotes(file));
    }
    files[name] = file;
  }
  return files;
}

}  // namespace

WeightFolder WeightFolder::open(const Path& folder) {
  WeightFolder weights;
  weights.folder_ = folder;
  const Path index = folder / kIndexFile;
  if (!std::filesystem::exists(index)) {
    if (!std::filesystem::exists(folder / kSingleFile)) {
      throw input_error(folder.string(), "", fmt::format("{} or {}", kSingleFile, kIndexFile),
                        "neither");
    }
    weights.files_.push_back(SafetensorsFile::open(folder / kSingleFile));
    for (const TensorSpec& spec : weights.files_[0].specs()) weights.file_of_[spec.name] = 0;
    return weights;
  }

  const auto weight_map = read_weight_map(index);
  std::map<std::string, size_t> file_index;
  for (const auto& [name, file] : weight_map) file_index.emplace(file, 0);
  for (auto& [file, number] : file_index) {
    number = weights.files_.size();
    weights.files_.push_back(SafetensorsFile::open(folder / file));
    for (const TensorSpec& spec : weights.files_.back().specs()) {
      const auto placed = weight_map.find(spec.name);
      if (placed == weight_map.end() || placed->second != file) {
        throw input_error((folder / file).string(), spec.name,
                          fmt::format("only tensors that {} places here", kIndexFile), "one more");
      }
    }
  }
  for (const auto& [name, file] : weight_map) {
    const size_t number = file_index[file];
    if (!weights.files_[number].has(name)) {
      throw input_error((folder / file).string(), name,
                        fmt::format("the tensor that {} places here", kIndexFile), "none");
    }
    weights.file_of_[name] = number;
  }
  return weights;
}

std::vector<TensorSpec> WeightFolder::specs() const {
  std::vector<TensorSpec> all;
  for (const SafetensorsFile& file : files_) {
    all.insert(all.end(), file.specs().begin(), file.specs().end());
  }
  return all;
}

torch::Tensor WeightFolder::read(std::string_view name) const {
  const auto found = file_of_.find(std::string(name));
  if (found == file_of_.end()) {
    throw input_error(folder_.string(), std::string(name), "a tensor of this name", "none");
  }
  return files_[found->second].read(name);
}

void write_weights(const Path& folder, std::span<const NamedTensor> tensors,
                   int64_t max_shard_bytes) {
  std::vector<std::span<const NamedTensor>> shards;
  int64_t total = 0, shard_bytes = 0;
  size_t begin = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto bytes = static_cast<int64_t>(tensors[i].tensor.nbytes());
    if (i > begin && shard_bytes + bytes > max_shard_bytes) {
      shards.push_back(tensors.subspan(begin, i - begin));
      begin = i;
      shard_bytes = 0;
    }
    shard_bytes += bytes;
    total += bytes;
  }
  shards.push_back(tensors.subspan(begin));
  if (shards.size() == 1) {
    write_safetensors(folder / kSingleFile, tensors);
    return;
  }

  Json weight_map = Json::object();
  for (size_t i = 0; i < shards.size(); ++i) {
    const std::string file = fmt::format("model-{:05}-of-{:05}.safetensors", i + 1, shards.size());
    write_safetensors(folder / file, shards[i]);
    for (const NamedTensor& entry : shards[i]) weight_map[std::string(entry.name)] = file;
  }
  const Json index = {{"metadata", {{"total_size", total}}}, {"weight_map", weight_map}};
  write_file(folder / kIndexFile, index.dump(2) + "\n");
}

}  // namespace trex::checkpoint
