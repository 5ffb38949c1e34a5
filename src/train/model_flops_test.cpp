#include "train/model_flops.h"

#include <gtest/gtest.h>

namespace trex::train {
namespace {

model::ModelConfig flash() {
  model::ModelConfig config{.vocab_size = 129280,
                            .hidden_size = 4096,
                            .num_hidden_layers = 43,
                            .num_nextn_predict_layers = 1,
                            .num_attention_heads = 64,
                            .head_dim = 512,
                            .qk_rope_head_dim = 64,
                            .q_lora_rank = 1024,
                            .o_groups = 8,
                            .o_lora_rank = 1024,
                            .sliding_window = 128,
                            .compress_ratios = {0, 0},
                            .index_n_heads = 64,
                            .index_head_dim = 128,
                            .index_topk = 512,
                            .n_routed_experts = 256,
                            .num_experts_per_tok = 6,
                            .moe_intermediate_size = 2048,
                            .num_hash_layers = 3};
  for (int i = 0; i < 20; ++i)
    config.compress_ratios.insert(config.compress_ratios.end(), {4, 128});
  config.compress_ratios.insert(config.compress_ratios.end(), {4, 0});
  return config;
}

model::ModelConfig pro() {
  model::ModelConfig config = flash();
  config.hidden_size = 7168;
  config.num_hidden_layers = 61;
  config.num_attention_heads = 128;
  config.q_lora_rank = 1536;
  config.o_groups = 16;
  config.index_topk = 1024;
  config.n_routed_experts = 384;
  config.moe_intermediate_size = 3072;
  config.compress_ratios = {128, 128};
  for (int i = 0; i < 29; ++i)
    config.compress_ratios.insert(config.compress_ratios.end(), {4, 128});
  config.compress_ratios.insert(config.compress_ratios.end(), {4, 0});
  return config;
}

struct Averages {
  double forward_gflop = 0, training_gflop = 0;
};

Averages averages(const model::ModelConfig& config, int64_t seq_len) {
  const ModelFlops flops(config, seq_len,
                         {.indexer = PartUse::ForwardOnly, .mtp = PartUse::Absent});
  Averages sum;
  for (int64_t t = 0; t < seq_len; ++t) {
    sum.forward_gflop += flops.forward(t) * 1e-9 / double(seq_len);
    sum.training_gflop += flops.training(t) * 1e-9 / double(seq_len);
  }
  return sum;
}

// Expected values: the tables of deepseek-v4 6.2, made by another program from average numbers of
// keys that were rounded to three digits: 3e-6 GFLOP more than half a unit of the last digit.
constexpr double kTableTolerance = 5.1e-4;

TEST(ModelFlops, CountsTheMatrixParametersOfTheReleasedModels) {
  EXPECT_EQ(matmul_parameters(flash()), 13'268'221'952);
  EXPECT_EQ(matmul_parameters(pro()), 48'849'141'760);
}

// 124 keys fewer in one layer, each a score and a weighted sum of 64 heads of 512: 4 flops a
// number.
TEST(ModelFlops, ALayersOwnWindowCounts) {
  model::ModelConfig config = flash();
  const FlopOptions options{.indexer = PartUse::ForwardOnly, .mtp = PartUse::Absent};
  const ModelFlops same(config, 201, options);
  config.sliding_windows.assign(44, 128);
  config.sliding_windows[1] = 4;
  const ModelFlops shorter(config, 201, options);
  EXPECT_EQ(same.forward(200) - shorter.forward(200), 4.0 * 64 * 512 * 124);
  EXPECT_EQ(same.training(200) - shorter.training(200), 3 * 4.0 * 64 * 512 * 124);
}

TEST(ModelFlops, AgreesWithTheSpecificationForFlash) {
  EXPECT_NEAR(averages(flash(), 4096).forward_gflop, 28.520, kTableTolerance);
  EXPECT_NEAR(averages(flash(), 4096).training_gflop, 84.305, kTableTolerance);
  EXPECT_NEAR(averages(flash(), 8192).forward_gflop, 28.920, kTableTolerance);
  EXPECT_NEAR(averages(flash(), 8192).training_gflop, 85.153, kTableTolerance);
}

TEST(ModelFlops, AgreesWithTheSpecificationForPro) {
  EXPECT_NEAR(averages(pro(), 4096).forward_gflop, 104.116, kTableTolerance);
  EXPECT_NEAR(averages(pro(), 4096).training_gflop, 309.838, kTableTolerance);
  EXPECT_NEAR(averages(pro(), 8192).forward_gflop, 106.527, kTableTolerance);
  EXPECT_NEAR(averages(pro(), 8192).training_gflop, 316.570, kTableTolerance);
}

TEST(ModelFlops, CountsMtpAndATrainedIndexer) {
  const ModelFlops without(flash(), 1, {.indexer = PartUse::ForwardOnly, .mtp = PartUse::Absent});
  const ModelFlops with(flash(), 1, {.indexer = PartUse::Trained, .mtp = PartUse::Trained});
  // 6.1: the indexers of Flash have 225,730,176 parameters, of which 21 (2 m c_I + c_I) multiply
  // nothing; the MTP block has 318.6 M active ones, to which the head comes.
  const double indexer = 2.0 * (225'730'176 - 21.0 * (2 * 4 * 128 + 128));
  EXPECT_NEAR(with.forward(0) - without.forward(0), 2 * (318.6e6 + 529'530'880) + 4.0 * 64 * 512,
              2 * 0.05e6);
  EXPECT_NEAR(with.training(0) - without.training(0),
              2 * indexer + 3 * (with.forward(0) - without.forward(0)), 1);
}

TEST(ModelFlops, LeavesPaddingOut) {
  const ModelFlops flops(flash(), 4, {});
  const model::Batch batch{.document_BS = torch::tensor({{0, 0, 1, -1}}, torch::kInt64),
                           .position_BS = torch::tensor({{0, 1, 0, 0}}, torch::kInt64)};
  EXPECT_DOUBLE_EQ(flops.training(batch), 2 * flops.training(0) + flops.training(1));
}

}  // namespace
}  // namespace trex::train
