#include "perf/instance_model.h"

#include <gmock/gmock.h>

#include <limits>

#include "base/error.h"

namespace trex::perf {
namespace {

InstanceModel llama_70b_a100() {
  InstanceModel model;
  model.name = "Llama-2-70B, A100 TP8";
  // Section 5.7: 44.1 + 0.211 b + 0.3205 ctx/1000 ms, prefill 150 ms per thousand tokens.
  model.time = IterationCoefficients::line(44.1e-3, 0.211e-3, 0.3205e-6, 150e-6, 0);
  model.kv.per_token_bytes = 1000;
  model.kv_capacity_bytes = 1e6;
  model.max_sequences = 64;
  model.max_context = 500;
  return model;
}

// b = 32 of 1,024 tokens, a chunk of 512: 44.1 + 6.752 + 0.3205*32.768 + 76.8 = 138.154 ms.
TEST(InstanceModel, AnIterationIsTheSumOfItsTerms) {
  EXPECT_NEAR(llama_70b_a100().time.iteration_s(32, 32 * 1024, 512), 138.154e-3, 1e-6);
}

// Slopes 4, 3, 2, 1 ms: a + 8*4 + 24*3 + 96*2 + 72*1 at b = 200; a + 8*4 + 2*3 at b = 10.
TEST(InstanceModel, TheBatchTermBendsAtItsKnots) {
  IterationCoefficients time;
  time.base_s = 1e-3;
  time.per_sequence_s = {4e-3, 3e-3, 2e-3, 1e-3};
  EXPECT_NEAR(time.batch_s(0), 1e-3, 1e-15);
  EXPECT_NEAR(time.batch_s(10), 39e-3, 1e-12);
  EXPECT_NEAR(time.batch_s(200), 369e-3, 1e-12);
}

// A prompt of 1,000 after 500 cached tokens: pairs 1000*(500 + 500) = 1e6.
TEST(InstanceModel, CachedTokensCostAttentionOnly) {
  const auto time = IterationCoefficients::line(0, 0, 0, 1e-5, 1e-9);
  EXPECT_NEAR(time.prompt_s(1000, 500), 1e-2 + 1e-3, 1e-12);
}

TEST(InstanceModel, TheBatchIsBoundedByMemoryThenBySlots) {
  const InstanceModel model = llama_70b_a100();
  EXPECT_EQ(model.admissible_batch(100), 10);
  EXPECT_EQ(model.admissible_batch(99.5), 10);  // whole tokens
  EXPECT_EQ(model.admissible_batch(1), 64);
  EXPECT_EQ(model.admissible_batch(2000), 0);
}

TEST(InstanceModel, JsonReadsBackTheSame) {
  InstanceModel model = llama_70b_a100();
  model.kv.compressed[0] = {4, 12.5};
  model.sampled_batch = 64;
  model.evidence = {true, "profile"};
  const Json json = to_json(model);
  const InstanceModel back = instance_model_from_json(JsonObject(json, "model.json"));
  EXPECT_EQ(to_json(back), json);
  EXPECT_EQ(back.kv.bytes(9), model.kv.bytes(9));
}

TEST(InstanceModel, NotANumberIsRefused) {
  InstanceModel model = llama_70b_a100();
  model.time.per_prompt_token_s = std::numeric_limits<double>::quiet_NaN();
  try {
    validate(model, "a.json");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "a.json: seconds.per_prompt_token: expected a finite number, at least 0; got nan");
  }
}

TEST(InstanceModel, ACacheBelowOneSequenceIsRefused) {
  InstanceModel model = llama_70b_a100();
  model.max_context = 1001;
  EXPECT_THROW(validate(model, "a.json"), Error);
}

}  // namespace
}  // namespace trex::perf
