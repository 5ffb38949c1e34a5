#include "perf/catalogue.h"

#include <gmock/gmock.h>

#include <functional>

#include "base/error.h"
#include "perf/hf_config.h"
#include "perf/kv_cache.h"

namespace trex::perf {
namespace {

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Catalogue, EveryShippedNumberSaysWhereItComesFrom) {
  const Catalogue catalogue = Catalogue::shipped();
  EXPECT_GE(catalogue.devices().size(), 39u);
  for (const DeviceSpec& device : catalogue.devices()) {
    EXPECT_FALSE(device.memory_bytes.source.empty()) << device.name;
    EXPECT_FALSE(device.memory_bandwidth.source.empty()) << device.name;
    EXPECT_FALSE(device.efficiency.source.empty()) << device.name;
    for (const auto& [arithmetic, rate] : device.peak)
      EXPECT_FALSE(rate.source.empty()) << device.name;
    EXPECT_FALSE(device.price && device.price->source.empty()) << device.name;
  }
  for (const ModelSpec& model : catalogue.models())
    EXPECT_FALSE(model.source.empty()) << model.name;
}

TEST(Catalogue, OnlyMeasuredKernelTablesCountAsCalibrated) {
  const Catalogue catalogue = Catalogue::shipped();
  for (const char* name : {"A100 SXM 80", "H100 SXM", "H200 SXM", "L40S"}) {
    EXPECT_TRUE(catalogue.device(name, "test").calibrated()) << name;
  }
  for (const char* name : {"MI300X", "Ascend 910B3", "L4", "EPYC 9554", "B200"}) {
    EXPECT_FALSE(catalogue.device(name, "test").calibrated()) << name;
  }
}

TEST(Catalogue, SpellingOfANameIsForgivenAndTheNearestOneNamed) {
  const Catalogue catalogue = Catalogue::shipped();
  EXPECT_EQ(catalogue.device("h100-sxm", "test").name, "H100 SXM");
  EXPECT_EQ(message_of([&] { catalogue.device("H1000 SXM", "inventory.toml:3"); }),
            "inventory.toml:3: device: expected a device of the catalogue; got \"H1000 SXM\" "
            "(did you mean \"H100 SXM\"?)");
  EXPECT_EQ(message_of([&] { catalogue.device("H100", "x"); }),
            "x: device: expected a device of the catalogue; got \"H100\" "
            "(did you mean H100 SXM, H100 PCIe?)");
  EXPECT_EQ(message_of([&] { catalogue.model("Lama-3.1-8B", "--model"); }),
            "--model: model: expected a model of the catalogue, a config.json or a .gguf file; "
            "got \"Lama-3.1-8B\" (did you mean \"Llama-3.1-8B\"?)");
}

TEST(Catalogue, AUsersFileExtendsAndOverrides) {
  const TemporaryFolder folder;
  const Path path = folder.path() / "mine.json";
  write_file(path, R"({"format": "trex.devices", "version": 1, "devices": [
    {"name": "H100 slow", "like": "H100 SXM", "memory_bandwidth": {"value": 2e12, "source": "ours", "calibrated": true}},
    {"name": "L4", "like": "L4", "memory_bytes": 23e9}]})");
  Catalogue catalogue = Catalogue::shipped();
  const size_t before = catalogue.devices().size();
  catalogue.add_file(path);
  EXPECT_EQ(catalogue.devices().size(), before + 1);
  EXPECT_EQ(catalogue.device("H100 slow", "test").memory_bandwidth.value, 2e12);
  EXPECT_EQ(catalogue.device("H100 slow", "test").efficiency.name, "H100");
  EXPECT_EQ(catalogue.device("L4", "test").memory_bytes.value, 23e9);
}

TEST(Catalogue, AnImpossibleNumberIsRefused) {
  const TemporaryFolder folder;
  const Path path = folder.path() / "mine.json";
  write_file(path, R"({"format": "trex.devices", "version": 1, "devices": [
    {"name": "X", "like": "L4", "memory_bandwidth": -1}]})");
  Catalogue catalogue = Catalogue::shipped();
  EXPECT_EQ(message_of([&] { catalogue.add_file(path); }),
            path.string() + ": X.memory_bandwidth: expected a finite number above 0; got -1");
}

// The published configuration of Llama-3.1-8B, as far as sizes go.
TEST(HuggingFace, ALlamaConfigGivesTheCataloguesModel) {
  const TemporaryFolder folder;
  const Path path = folder.path() / "config.json";
  write_file(path, R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 4096,
    "intermediate_size": 14336, "max_position_embeddings": 131072, "num_attention_heads": 32,
    "num_hidden_layers": 32, "num_key_value_heads": 8, "tie_word_embeddings": false, "vocab_size": 128256})");
  const ModelSpec model = Catalogue::shipped().model(path.string(), "test");
  EXPECT_DOUBLE_EQ(count_parameters(model).total(), 8'029'995'008.0);
  EXPECT_EQ(kv_of(model, 2).bytes(1), 131'072);
}

TEST(HuggingFace, ADeepSeekV4ConfigDropsTheRatioOfThePredictionBlock) {
  const Json config =
      parse_json(R"({"hidden_size": 4096, "num_hidden_layers": 4, "vocab_size": 129280,
    "num_attention_heads": 64, "num_key_value_heads": 1, "head_dim": 512, "q_lora_rank": 1024,
    "o_lora_rank": 1024, "o_groups": 8, "index_n_heads": 64, "index_head_dim": 128, "index_topk": 512,
    "sliding_window": 128, "compress_ratios": [0, 4, 128, 4, 0], "n_routed_experts": 256,
    "num_experts_per_tok": 6, "moe_intermediate_size": 2048, "n_shared_experts": 1})",
                 "config.json");
  const ModelSpec model = model_from_hf_json(JsonObject(config, "config.json"), "tiny V4");
  EXPECT_THAT(model.compressed.layer_ratios, testing::ElementsAre(0, 4, 128, 4));
}

}  // namespace
}  // namespace trex::perf
