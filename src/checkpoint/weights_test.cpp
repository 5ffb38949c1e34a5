#include "checkpoint/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/json.h"

namespace trex::checkpoint {
namespace {

class Weights : public testing::Test {
 protected:
  Weights() {
    for (size_t i = 0; i < 5; ++i)
      tensors_.push_back({names_[i], torch::full({10}, static_cast<double>(i), torch::kFloat32)});
  }
  std::string opening_error() {
    try {
      WeightFolder::open(folder_.path());
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  std::vector<std::string> names_ = {"a", "b", "c", "d", "e"};
  std::vector<NamedTensor> tensors_;
  TemporaryFolder folder_;
};

TEST_F(Weights, ShardsAndSingleFilesReadTheSame) {
  for (const int64_t max_shard_bytes : {1, 40, 80, 100, 200}) {
    const TemporaryFolder folder;
    write_weights(folder.path(), tensors_, max_shard_bytes);
    const bool is_single = max_shard_bytes == 200;
    EXPECT_EQ(std::filesystem::exists(folder.path() / "model.safetensors"), is_single);
    EXPECT_EQ(std::filesystem::exists(folder.path() / "model-00001-of-00003.safetensors"),
              max_shard_bytes == 80 || max_shard_bytes == 100);
    const auto weights = WeightFolder::open(folder.path());
    EXPECT_EQ(weights.specs().size(), 5u);
    for (const auto& [name, tensor] : tensors_)
      EXPECT_TRUE(torch::equal(weights.read(name), tensor));
  }
}

TEST_F(Weights, IndexSaysSizeAndPlace) {
  write_weights(folder_.path(), tensors_, 80);
  const Json index = Json::parse(read_file(folder_.path() / "model.safetensors.index.json"));
  EXPECT_EQ(index["metadata"]["total_size"], 200);
  EXPECT_EQ(index["weight_map"]["c"], "model-00002-of-00003.safetensors");
}

TEST_F(Weights, IndexAndShardsMustTellTheSame) {
  write_weights(folder_.path(), tensors_, 80);
  const Path path = folder_.path() / "model.safetensors.index.json";
  Json index = Json::parse(read_file(path));
  const std::string shard = (folder_.path() / "model-00002-of-00003.safetensors").string();
  index["weight_map"].erase("c");
  write_file(path, index.dump());
  EXPECT_EQ(
      opening_error(),
      shard +
          ": c: expected only tensors that model.safetensors.index.json places here; got one more");
  index["weight_map"]["c"] = "model-00002-of-00003.safetensors";
  index["weight_map"]["x"] = "model-00002-of-00003.safetensors";
  write_file(path, index.dump());
  EXPECT_EQ(
      opening_error(),
      shard + ": x: expected the tensor that model.safetensors.index.json places here; got none");
  index["weight_map"]["x"] = "../elsewhere.safetensors";
  write_file(path, index.dump());
  EXPECT_THAT(opening_error(),
              testing::HasSubstr("weight_map.x: expected the name of a file beside the index; got "
                                 "\"../elsewhere.safetensors\""));
}

TEST_F(Weights, FolderWithoutWeightsIsRefused) {
  EXPECT_EQ(opening_error(),
            folder_.path().string() +
                ": expected model.safetensors or model.safetensors.index.json; got neither");
}

}  // namespace
}  // namespace trex::checkpoint
