#include "perf/model_spec.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "perf/catalogue.h"
#include "perf/kv_cache.h"
#include "perf/prefix_blocks.h"

namespace trex::perf {
namespace {

ModelSpec shipped(const std::string& name) { return Catalogue::shipped().model(name, "test"); }

// Llama-3.1-8B, a layer: A = 4096*128*(32 + 2*8) + 32*128*4096 = 25,165,824 + 16,777,216
// = 41,943,040; G = 3*4096*14336 = 176,160,768; 32 layers = 6,979,321,856; embeddings
// 2*128256*4096 = 1,050,673,152. Total 8,029,995,008 (published: 8.03e9).
TEST(ParameterCounts, LlamaIsTheSumWorkedByHand) {
  const ParameterCounts counts = count_parameters(shipped("Llama-3.1-8B"));
  EXPECT_DOUBLE_EQ(counts.attention, 32 * 41'943'040.0);
  EXPECT_DOUBLE_EQ(counts.dense_ffn, 32 * 176'160'768.0);
  EXPECT_DOUBLE_EQ(counts.embedding, 1'050'673'152.0);
  EXPECT_DOUBLE_EQ(counts.total(), 8'029'995'008.0);
  EXPECT_NEAR(count_parameters(shipped("Llama-3.1-70B")).total(), 70.55e9, 0.005e9);
}

// Qwen3-30B-A3B, a layer: A = 2048*128*(32 + 8) + 32*128*2048 = 18,874,368; router 2048*128
// = 262,144; experts 128*3*2048*768 = 603,979,776. x48 = 29,909,581,824, embeddings
// 2*151936*2048 = 622,329,856: 30.53e9. Active: 48*(18,874,368 + 262,144 + 8*4,718,592) = 2.73e9
// without embeddings; with one embedding matrix 3.04e9, the figure that section 5.2 quotes.
TEST(ParameterCounts, MixtureOfExpertsCountsWhatATokenTouches) {
  const ModelSpec model = shipped("Qwen3-30B-A3B");
  const ParameterCounts counts = count_parameters(model);
  EXPECT_DOUBLE_EQ(counts.routed, 48 * 603'979'776.0);
  EXPECT_NEAR(counts.total(), 30.53e9, 0.005e9);
  EXPECT_DOUBLE_EQ(active_parameters(model), 48 * (18'874'368.0 + 262'144 + 8 * 4'718'592.0));
  EXPECT_NEAR(active_parameters(model) + counts.embedding / 2, 3.04e9, 0.01e9);
}

// DeepSeek-V3 MLA, a layer: 7168*1536 + 1536*128*192 + 7168*576 + 512*128*256 + 128*128*7168
// = 11,010,048 + 37,748,736 + 4,128,768 + 16,777,216 + 117,440,512 = 187,105,280.
// The whole model is published as 671e9 parameters.
TEST(ParameterCounts, LatentAttentionFollowsItsFourProjections) {
  const ModelSpec model = shipped("DeepSeek-V3");
  EXPECT_DOUBLE_EQ(attention_parameters(model, 0), 187'105'280.0);
  EXPECT_NEAR(count_parameters(model).total(), 671e9, 1e9);
}

// Expert weights of DeepSeek-V4 at 0.53125 bytes: Flash 43*256*3*4096*2048 = 277,025,390,592
// parameters, 147 GB; Pro 61*384*3*7168*3072 = 1,547,420,958,720, 822 GB (section 5.5).
TEST(ParameterCounts, DeepSeekV4ExpertsWeighWhatIsPublished) {
  EXPECT_NEAR(count_parameters(shipped("DeepSeek-V4-Flash")).routed * 0.53125, 147e9, 0.5e9);
  EXPECT_NEAR(count_parameters(shipped("DeepSeek-V4-Pro")).routed * 0.53125, 822e9, 0.5e9);
}

// Section 5.3: 2*32*8*128*2 = 131,072; 2*80*8*128*2; 2*48*4*128*2; 61*(512 + 64)*2.
TEST(KvCache, BytesPerTokenOfTheTable) {
  EXPECT_EQ(kv_of(shipped("Llama-3.1-8B"), 2).bytes(1), 131'072);
  EXPECT_EQ(kv_of(shipped("Llama-3.1-70B"), 2).bytes(1), 327'680);
  EXPECT_EQ(kv_of(shipped("Qwen3-30B-A3B"), 2).bytes(1), 98'304);
  EXPECT_EQ(kv_of(shipped("DeepSeek-V3"), 2).bytes(1), 70'272);
}

// The exact bytes of section 5.3. By hand, Flash, n = 1024, e = 1: windows 43*128*512 = 2,818,048;
// CSA 21*(256*512 + 2*4*2*512*4 + 256*64 + 2*4*2*128*4) = 21*(131,072 + 32,768 + 16,384 + 8,192)
// = 3,956,736; HCA 20*(8*512 + 2*128*512*4) = 20*(4,096 + 524,288) = 10,567,680. Sum 17,342,464.
TEST(KvCache, DeepSeekV4IsExactAtEveryLengthOfTheTable) {
  struct Row {
    int64_t tokens;
    double flash_fp8, flash_bf16, pro_fp8, pro_bf16;
  };
  const Row rows[] = {
      {1'024, 17'342'464, 22'994'944, 26'030'080, 34'086'912},
      {8'192, 39'591'936, 65'085'440, 57'884'672, 94'355'456},
      {32'768, 115'875'840, 209'395'712, 167'100'416, 300'990'464},
      {131'072, 421'011'456, 786'636'800, 603'963'392, 1'127'530'496},
      {1'048'576, 3'268'943'872, 6'174'220'288, 4'681'351'168, 8'841'904'128},
  };
  const ModelSpec flash = shipped("DeepSeek-V4-Flash");
  const ModelSpec pro = shipped("DeepSeek-V4-Pro");
  for (const Row& row : rows) {
    EXPECT_EQ(kv_of(flash, 1).bytes(row.tokens), row.flash_fp8) << row.tokens;
    EXPECT_EQ(kv_of(flash, 2).bytes(row.tokens), row.flash_bf16) << row.tokens;
    EXPECT_EQ(kv_of(pro, 1).bytes(row.tokens), row.pro_fp8) << row.tokens;
    EXPECT_EQ(kv_of(pro, 2).bytes(row.tokens), row.pro_bf16) << row.tokens;
  }
}

// gpt-oss-20b, bf16: 12 full layers of 2*8*64*2 = 2,048 bytes a token, 12 that stop at 128 tokens.
TEST(KvCache, SlidingWindowsStopGrowing) {
  const KvFunction kv = kv_of(shipped("gpt-oss-20b"), 2);
  EXPECT_EQ(kv.bytes(100), 24 * 2048 * 100);
  EXPECT_EQ(kv.bytes(1000), 12 * 2048 * 1000 + 12 * 2048 * 128);
}

// DeepSeek-V4-Flash, fp8, 512 tokens: 43 windows of 128 x 512, 21 layers with 128 entries of 512 +
// 64 and 20 layers with 4 entries of 512. The state of its compressors is not in it.
TEST(KvCache, ACachedBlockHasEntriesAndAWindowButNoRunningState) {
  EXPECT_EQ(cached_block_bytes(kv_of(shipped("DeepSeek-V4-Flash"), 1), 512),
            43 * 128 * 512 + 21 * 128 * (512 + 64) + 20 * 4 * 512);
  EXPECT_EQ(cached_block_bytes(kv_of(shipped("Llama-3.1-8B"), 2), 512), 512 * 131'072);
  EXPECT_EQ(cached_block_bytes(kv_of(shipped("DeepSeek-V4-Flash"), 1), 0), 0);
}

TEST(KvCache, TokensWithinIsTheLargestLengthThatFits) {
  for (const char* name : {"Llama-3.1-8B", "DeepSeek-V4-Flash", "gpt-oss-20b"}) {
    const KvFunction kv = kv_of(shipped(name), 2);
    for (const int64_t tokens : {1, 127, 128, 129, 4095, 100'003}) {
      const int64_t fits = kv.tokens_within(kv.bytes(tokens));
      EXPECT_EQ(kv.bytes(fits), kv.bytes(tokens)) << name << " " << tokens;
      EXPECT_GT(kv.bytes(fits + 1), kv.bytes(tokens)) << name << " " << tokens;
    }
    EXPECT_EQ(kv.tokens_within(0), 0);
  }
}

TEST(KvCache, HeadsReplicateBeyondTheirNumberAndLatentsAlways) {
  EXPECT_EQ(kv_shards(shipped("Llama-3.1-8B"), 4), 4);
  EXPECT_EQ(kv_shards(shipped("Llama-3.1-8B"), 16), 8);
  EXPECT_EQ(kv_shards(shipped("DeepSeek-V3"), 8), 1);
  EXPECT_EQ(kv_shards(shipped("DeepSeek-V4-Pro"), 8), 1);
}

TEST(ModelSpec, AContradictionIsRefusedByName) {
  ModelSpec model = shipped("Qwen3-30B-A3B");
  model.top_k = 200;
  try {
    validate(model, "models.json");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "models.json: Qwen3-30B-A3B.top_k: expected at most the 128 experts; got 200");
  }
}

}  // namespace
}  // namespace trex::perf
