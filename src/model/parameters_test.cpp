#include "model/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "model/golden.h"
#include "model/parameter_counts.h"

namespace trex::model {
namespace {

TEST(Golden, GeneratorGivesTheNumbersOfTheSpecification) {
  const auto embed = golden::uniform("embed.weight", {4});
  EXPECT_LT(golden::max_difference(embed, torch::tensor({0.261902308092, 0.171920687426,
                                                         -0.669573638123, -0.361438811291},
                                                        torch::kFloat64)),
            1e-12);
  const auto wq_a =
      golden::parameters(torch::kFloat64).at("layers.1.attn.wq_a.weight").flatten().narrow(0, 0, 3);
  EXPECT_LT(golden::max_difference(
                wq_a, torch::tensor({0.1386412441, 0.204285248, 0.01858200105}, torch::kFloat64)),
            1e-10);
}

TEST(Parameters, T0HasTheTensorsOfTheSpecification) {
  const auto specs = expected_specs(golden::config(), torch::kBFloat16);
  EXPECT_EQ(specs.size(), 263u);
  int64_t total = 0, main = 0;
  for (const auto& spec : specs) {
    if (!c10::isFloatingType(spec.dtype)) continue;
    total += spec.num_elements();
    if (!spec.name.starts_with("mtp.")) main += spec.num_elements();
    const bool is_wide = spec.name.find("hc_") != std::string::npos ||
                         spec.name.ends_with("attn_sink") || spec.name.ends_with(".ape") ||
                         spec.name.ends_with("gate.bias");
    EXPECT_EQ(spec.dtype, is_wide ? torch::kFloat32 : torch::kBFloat16) << spec.name;
  }
  EXPECT_EQ(total, 147620);
  EXPECT_EQ(main, 120213);
}

// Flash as released; the numbers of the table in deepseek-v4.md 6.1.
TEST(Parameters, FlashHasTheCountsOfTheSpecification) {
  ModelConfig flash = golden::config();
  flash.vocab_size = 129280;
  flash.hidden_size = 4096;
  flash.num_hidden_layers = 43;
  flash.num_attention_heads = 64;
  flash.head_dim = 512;
  flash.q_lora_rank = 1024;
  flash.o_groups = 8;
  flash.o_lora_rank = 1024;
  flash.compress_ratios = {0, 0};
  for (int i = 0; i < 20; ++i) flash.compress_ratios.insert(flash.compress_ratios.end(), {4, 128});
  flash.compress_ratios.insert(flash.compress_ratios.end(), {4, 0});
  flash.hca_ratio = 128;
  flash.index_n_heads = 64;
  flash.index_head_dim = 128;
  flash.n_routed_experts = 256;
  flash.num_experts_per_tok = 6;
  flash.moe_intermediate_size = 2048;
  flash.num_hash_layers = 3;
  const auto count = count_parameters(flash);
  EXPECT_EQ(count.total, 290942278866);
  EXPECT_EQ(count.mtp, 6610048635);
  EXPECT_EQ(count.activated, 13799622231);
}

TEST(Parameters, EachTensorDependsOnSeedAndNameAlone) {
  const ModelConfig config = golden::config();
  ModelConfig deeper = config;
  deeper.num_hidden_layers = 5;
  deeper.compress_ratios = {0, 4, 8, 4, 8, 0};
  const auto a = make_parameters(config, 7, torch::kFloat32),
             b = make_parameters(deeper, 7, torch::kFloat32);
  const auto c = make_parameters(config, 8, torch::kFloat32);
  for (const auto& [name, tensor] : a.entries())
    EXPECT_TRUE(torch::equal(tensor, b.at(name))) << name;
  EXPECT_FALSE(torch::equal(a.at("embed.weight"), c.at("embed.weight")));
  EXPECT_NEAR(a.at("embed.weight").std().item<double>(), 0.02, 0.002);
  EXPECT_NEAR(a.at("embed.weight").mean().item<double>(), 0, 0.002);
  for (const auto& row : a.at("layers.0.ffn.gate.tid2eid").unbind())
    EXPECT_NE(row[0].item<int64_t>(), row[1].item<int64_t>());
}

TEST(Parameters, SavedModelLoadsWithTheSameBytes) {
  const TemporaryFolder folder;
  const auto parameters = make_parameters(golden::config(), 7, torch::kBFloat16);
  save_model(golden::config(), parameters, folder.path() / "a");
  const auto config = read_config(folder.path() / "a/config.json");
  const auto loaded = load_parameters(config, folder.path() / "a", torch::kBFloat16);
  for (const auto& [name, tensor] : parameters.entries()) {
    EXPECT_EQ(loaded.at(name).scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(torch::equal(loaded.at(name), tensor)) << name;
  }
  save_model(config, loaded, folder.path() / "b");
  EXPECT_EQ(read_file(folder.path() / "a/model.safetensors"),
            read_file(folder.path() / "b/model.safetensors"));
}

TEST(Parameters, OfficialCheckpointHoldsTheGeneratedWeights) {
  const TemporaryFolder folder;
  golden::unpack_checkpoint("checkpoint", folder.path());
  const auto loaded = load_parameters(golden::config(), folder.path(), torch::kFloat32);
  const auto generated = golden::parameters(torch::kFloat32);
  for (const auto& [name, tensor] : generated.entries())
    EXPECT_TRUE(torch::equal(loaded.at(name), tensor)) << name;
}

std::string loading_error(const ModelConfig& config, const Path& folder) {
  try {
    load_parameters(config, folder, torch::kFloat32);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Parameters, SpellingsOfTransformersAreRead) {
  const TemporaryFolder folder;
  golden::unpack_checkpoint("hf_save", folder.path());
  ModelConfig config = read_config(folder.path() / "config.json");
  EXPECT_THAT(
      loading_error(config, folder.path()),
      testing::EndsWith(
          "mtp.0.hc_attn_fn: expected a tensor of this name; got none "
          "(transformers saves no MTP block: set num_nextn_predict_layers to 0 in config.json)"));
  config.num_nextn_predict_layers = 0;
  const auto loaded = load_parameters(config, folder.path(), torch::kFloat32);
  const auto generated = golden::parameters(torch::kFloat32);
  EXPECT_EQ(loaded.entries().size(), 210u);
  for (const auto& [name, tensor] : loaded.entries())
    EXPECT_TRUE(torch::equal(tensor, generated.at(name))) << name;
}

TEST(Parameters, RefusalsNameFolderAndTensor) {
  const TemporaryFolder folder;
  golden::unpack_checkpoint("checkpoint", folder.path());
  const std::string where = folder.path().string();
  ModelConfig config = golden::config();
  config.vocab_size = 63;
  EXPECT_EQ(loading_error(config, folder.path()),
            where + ": embed.weight: expected F32 [63, 32]; got F32 [64, 32]");
  config = golden::config();
  config.n_routed_experts = 9;
  EXPECT_THAT(loading_error(config, folder.path()),
              testing::StartsWith(where + ": layers.0.ffn.gate.weight: expected F32 [9, 32]"));
  config = golden::config();
  config.num_hidden_layers = 3;
  config.compress_ratios = {0, 4, 8, 0};
  EXPECT_THAT(loading_error(config, folder.path()), testing::HasSubstr("layers.3."));
  config = golden::config();
  config.num_nextn_predict_layers = 0;  // an MTP block that is not wanted is left alone
  EXPECT_EQ(loading_error(config, folder.path()), "no error");
}

}  // namespace
}  // namespace trex::model
