#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "simulate/engine_driver.h"
#include "simulate/iteration_engine.h"
#include "simulate/slot_engine.h"

namespace trex::simulate {
namespace {

// 10 ms + 1 ms a sequence + 1 us a token of context + 0.1 ms a prompt token.
perf::InstanceModel small_model() {
  perf::InstanceModel model;
  model.name = "small";
  model.time = perf::IterationCoefficients::line(10e-3, 1e-3, 1e-6, 1e-4, 0);
  model.kv.per_token_bytes = 100;
  model.kv_capacity_bytes = 1e9;
  model.max_sequences = 4;
  model.chunk_tokens = 100;
  model.max_context = 100'000;
  return model;
}

std::vector<DrivenRequest> random_requests(size_t count, double rate, uint64_t seed) {
  Rng rng(seed, "engine test");
  std::vector<DrivenRequest> requests;
  double at_s = 0;
  for (size_t i = 0; i < count; ++i) {
    at_s += rng.exponential(rate);
    requests.push_back({at_s, rng.between(1, 400), rng.between(1, 300), {}});
  }
  return requests;
}

// Worked by hand. Prompt 250 in chunks of 100, 100, 50: 20 + 20 + 15 ms; the first token at 55 ms.
// Then two decode steps with contexts 251 and 252: 11.251 + 11.252 ms.
TEST(IterationEngine, OneRequestTakesItsChunksAndItsSteps) {
  IterationEngine engine({.model = small_model()});
  const auto results = drive(engine, {{0, 250, 3, {}}});
  EXPECT_NEAR(results[0].first_token_s, 0.055, 1e-9);
  EXPECT_NEAR(results[0].ended_s, 0.055 + 0.011251 + 0.011252, 2e-9);
  EXPECT_EQ(engine.totals().iterations, 5);
}

// While the first decodes, the second's prompt of 50 rides along: vLLM shares the iteration
// (10 + 1 + 0.011 + 5 ms), SGLang gives it one of its own (15 ms) and the first waits.
TEST(IterationEngine, PromptsRideAlongOrGoFirst) {
  const std::vector<DrivenRequest> requests{{0, 10, 3, {}}, {0.001, 50, 1, {}}};
  IterationEngine shared({.model = small_model(), .batching = Batching::DecodeFirst});
  const auto with_decode = drive(shared, requests);
  EXPECT_NEAR(with_decode[0].first_token_s, 0.011, 1e-9);
  EXPECT_NEAR(with_decode[1].ended_s, 0.011 + 0.016011, 2e-9);
  EXPECT_NEAR(with_decode[0].ended_s, 0.011 + 0.016011 + 0.011012, 3e-9);
  IterationEngine alone({.model = small_model(), .batching = Batching::PromptsFirst});
  const auto first = drive(alone, requests);
  EXPECT_NEAR(first[1].ended_s, 0.011 + 0.015, 2e-9);
  EXPECT_NEAR(first[0].ended_s, 0.011 + 0.015 + 0.011011 + 0.011012, 4e-9);
}

TEST(IterationEngine, NoMoreSequencesRunThanThereAreSlots) {
  IterationEngine engine({.model = small_model()});
  for (RequestIndex i = 0; i < 6; ++i)
    engine.submit({.index = i, .prompt_tokens = 10, .output_tokens = 50}, 0);
  std::vector<Notice> notices;
  engine.advance(engine.next_event(), notices);
  engine.advance(engine.next_event(), notices);
  EXPECT_EQ(engine.load().running, 4);
  EXPECT_EQ(engine.load().waiting, 2);
}

// Times of single requests and the totals: the closed sum against one iteration after the other.
TEST(IterationEngine, FastForwardAgreesWithEveryStepByItself) {
  for (const Batching batching :
       {Batching::DecodeFirst, Batching::PromptsFirst, Batching::FixedSlots}) {
    for (const double capacity : {1e9, 90e3}) {  // the second lets 900 tokens in: pre-emptions
      perf::InstanceModel model = small_model();
      model.kv_capacity_bytes = capacity;
      const auto requests = random_requests(400, 2, 7);
      IterationEngine fast({.model = model, .batching = batching});
      IterationEngine exact({.model = model, .batching = batching, .exact = true});
      const auto a = drive(fast, requests), b = drive(exact, requests);
      for (size_t i = 0; i < requests.size(); ++i) {
        EXPECT_NEAR(a[i].ended_s - requests[i].at_s, b[i].ended_s - requests[i].at_s,
                    1e-3 * (b[i].ended_s - requests[i].at_s))
            << i;
      }
      EXPECT_EQ(fast.totals().iterations, exact.totals().iterations);
      EXPECT_EQ(fast.totals().preemptions, exact.totals().preemptions);
      EXPECT_EQ(fast.totals().output_tokens, exact.totals().output_tokens);
      if (batching == Batching::DecodeFirst) {
        EXPECT_EQ(capacity<1e6, fast.totals().preemptions> 0);
      }
    }
  }
}

// Every token of every answer comes once, whatever was computed again.
TEST(IterationEngine, PreemptionComputesAgainButEmitsOnce) {
  perf::InstanceModel model = small_model();
  model.kv_capacity_bytes = 60e3;
  const auto requests = random_requests(300, 5, 3);
  IterationEngine engine({.model = model});
  drive(engine, requests);
  int64_t output = 0, prompt = 0;
  for (const DrivenRequest& request : requests) {
    output += request.output_tokens;
    prompt += request.prompt_tokens;
  }
  EXPECT_GT(engine.totals().preemptions, 10);
  EXPECT_EQ(engine.totals().output_tokens, output);
  EXPECT_EQ(engine.totals().computed_tokens, prompt + engine.totals().recomputed_tokens);
}

// Room for 120 tokens. A and B (30 + 60 each) fill it; B, the newer, gives way and comes back
// before C, which has waited all the while and alone would fit beside A.
TEST(IterationEngine, WhatWasPreemptedComesBackFirst) {
  perf::InstanceModel model = small_model();
  model.max_sequences = 2;
  model.kv_capacity_bytes = 12e3;
  IterationEngine engine({.model = model});
  const auto results = drive(engine, {{0, 30, 60, {}}, {0, 30, 60, {}}, {0.1, 30, 5, {}}});
  EXPECT_EQ(engine.totals().preemptions, 1);
  EXPECT_GT(results[2].first_token_s, results[0].ended_s);
  EXPECT_LT(results[0].ended_s, results[1].ended_s);
}

// The cache never holds more than there is, at the end of any iteration.
TEST(IterationEngine, TheCacheIsNeverOverfull) {
  perf::InstanceModel model = small_model();
  model.max_sequences = 64;
  model.kv_capacity_bytes = 200e3;
  IterationEngine engine({.model = model, .exact = true});
  const auto requests = random_requests(200, 1000, 5);
  std::vector<Notice> notices;
  for (RequestIndex i = 0; i < requests.size(); ++i) {
    engine.submit({.index = i,
                   .prompt_tokens = requests[i].prompt_tokens,
                   .output_tokens = requests[i].output_tokens},
                  0);
  }
  double fullest = 0;
  while (engine.next_event() != kNever) {
    engine.advance(engine.next_event(), notices);
    fullest = std::max(fullest, engine.load().kv_share);
  }
  EXPECT_LE(fullest, 1.0);
  EXPECT_GT(fullest, 0.9);
}

TEST(IterationEngine, ASharedPrefixIsComputedOnce) {
  IterationEngine engine({.model = small_model()});
  const auto results = drive(
      engine, {{0, 90, 1, {1, 2}}, {1, 90, 1, {1, 2}}, {2, 90, 1, {1, 3}}, {3, 80, 1, {1, 2}}}, 40);
  EXPECT_EQ(results[0].cached_tokens, 0);
  EXPECT_EQ(results[1].cached_tokens, 80);
  EXPECT_EQ(results[2].cached_tokens, 40);
  EXPECT_EQ(results[3].cached_tokens, 79);  // one token must be computed
  EXPECT_NEAR(results[1].ended_s - 1, 0.010 + 10 * 1e-4, 1e-9);
}

TEST(IterationEngine, ASlowdownStretchesWhatComesAfterTheStepUnderWay) {
  IterationEngine engine({.model = small_model()});
  std::vector<Notice> notices;
  engine.submit({.index = 0, .prompt_tokens = 10, .output_tokens = 101}, 0);
  engine.advance(engine.next_event(), notices);
  const Nanoseconds begin = engine.next_event();
  engine.set_slowdown(2, nanoseconds(0.011) + 1);
  EXPECT_LT(engine.next_event(), begin);
  engine.advance(engine.next_event(), notices);
  // 99 steps of twice 11 ms and a little context are left.
  EXPECT_NEAR(seconds(engine.next_event()), 0.011 + 0.011 + 99 * 0.022, 0.02);
}

TEST(IterationEngine, ACrashGivesBackWhatWasThere) {
  IterationEngine engine({.model = small_model()});
  std::vector<Notice> notices;
  for (RequestIndex i = 0; i < 6; ++i)
    engine.submit({.index = i, .prompt_tokens = 10, .output_tokens = 50}, 0);
  for (int i = 0; i < 2; ++i) engine.advance(engine.next_event(), notices);
  const auto lost = engine.crash(nanoseconds(0.2));
  ASSERT_EQ(lost.size(), 6u);
  EXPECT_GT(lost[0].emitted_tokens, 5);
  EXPECT_EQ(lost[5].emitted_tokens, 0);
  EXPECT_EQ(engine.next_event(), kNever);
  engine.check_conservation();
}

TEST(IterationEngine, NoiseKeepsTheMean) {
  const auto requests = random_requests(300, 1, 11);
  IterationEngine plain({.model = small_model()});
  IterationEngine noisy({.model = small_model(), .noise = 0.05, .seed = 2});
  drive(plain, requests);
  drive(noisy, requests);
  const double ratio =
      static_cast<double>(noisy.totals().busy) / static_cast<double>(plain.totals().busy);
  EXPECT_NE(ratio, 1);
  EXPECT_NEAR(ratio, 1, 0.02);
}

// Two slots of 10 ms, 1 ms a prompt token. A: prompt 0-100 ms, tokens at 110 and 120. B's prompt
// waits for A's: 100-150, token at 160. C waits for a slot (120), its prompt takes until 170.
TEST(SlotEngine, PromptsFollowOneAnotherBesideDecoding) {
  SlotEngine engine({.token_s = 0.01, .prompt_token_s = 0.001, .slots = 2});
  const auto results = drive(engine, {{0, 100, 2, {}}, {0, 50, 1, {}}, {0, 20, 3, {}}});
  EXPECT_NEAR(results[0].first_token_s, 0.110, 1e-9);
  EXPECT_NEAR(results[0].ended_s, 0.120, 1e-9);
  EXPECT_NEAR(results[1].ended_s, 0.160, 1e-9);
  EXPECT_NEAR(results[2].first_token_s, 0.180, 1e-9);
  EXPECT_NEAR(results[2].ended_s, 0.200, 1e-9);
}

TEST(SlotEngine, ASlowdownStretchesWhatIsLeft) {
  SlotEngine engine({.token_s = 0.01, .prompt_token_s = 0, .slots = 1});
  engine.submit({.index = 0, .prompt_tokens = 1, .output_tokens = 10}, 0);
  engine.set_slowdown(3, nanoseconds(0.05));
  std::vector<Notice> notices;
  while (engine.next_event() != kNever) engine.advance(engine.next_event(), notices);
  EXPECT_EQ(engine.totals().busy, nanoseconds(0.05 + 3 * 0.05));
}

}  // namespace
}  // namespace trex::simulate
