#include "schedule/estimates.h"

#include <gtest/gtest.h>

namespace trex::schedule {
namespace {

// One instance with numbers that are easy to work with by hand.
struct OneInstance {
  InstanceView view;
  Request request;
  double cached = 400, bytes = 10;

  OneInstance() {
    view.weight = 1;
    view.prompt_token_s = 0.001;
    view.line_token_s = 0.001;
    view.output_token_s = 0.002;
    view.iteration_s = 0.02;
    view.joined_iteration_s = 0.025;
    view.slots = 4;
    view.in_flight = 5;
    view.uncached_tokens = view.unread_tokens = 300;
    view.release_per_s = 2;
    view.kv_capacity_bytes = 100;
    view.kv_bytes = 90;
    request.prompt_tokens = 1000;
  }

  Choice choice(double queued) const {
    return {.request = request,
            .output = {.mean = 200, .p90 = 400, .longest = 800},
            .ready = {&view, 1},
            .cached_tokens = {&cached, 1},
            .kv_bytes = {&bytes, 1},
            .now_s = 0,
            .queued = queued};
  }
};

TEST(Estimates, WorkIsUncachedPromptPlusMeanAnswer) {
  OneInstance one;
  EXPECT_DOUBLE_EQ(uncached(one.choice(1), 0), 600);  // 1000 - 400
  EXPECT_DOUBLE_EQ(work_s(one.choice(1), 0), 1.0);    // 600 x 0.001 + 200 x 0.002
  one.cached = 2000;
  EXPECT_DOUBLE_EQ(uncached(one.choice(1), 0), 0);
}

TEST(Estimates, SlotWaitCountsThoseAheadAtTheEngineAndInTheQueue) {
  OneInstance one;
  EXPECT_DOUBLE_EQ(slot_wait_s(one.choice(1), 0), 1);  // (5 + 1 - 4) / 2 per second
  EXPECT_DOUBLE_EQ(slot_wait_s(one.choice(3), 0), 2);  // and two more before it: (2 + 2) / 2
  one.view.external = 2;
  EXPECT_DOUBLE_EQ(slot_wait_s(one.choice(1), 0), 2);  // others take slots too: (7 + 1 - 4) / 2
  one.view.external = 0;
  one.view.in_flight = 3;
  EXPECT_DOUBLE_EQ(slot_wait_s(one.choice(9), 0), 0);  // a slot is free
  one.view.in_flight = 4;
  one.view.release_per_s = 0;
  EXPECT_DOUBLE_EQ(slot_wait_s(one.choice(1), 0), 1);  // 1 / weight, as nothing better is known
}

TEST(Estimates, CacheWaitIsTheExcessOverTheRateAtWhichItEmpties) {
  OneInstance one;
  // 90 + 10 - 95 = 5 too many; each of the five holds 18; 2 end a second: 36 a second.
  EXPECT_DOUBLE_EQ(kv_wait_s(one.choice(1), 0), 5.0 / 36);
  one.view.kv_bytes = 85;
  EXPECT_DOUBLE_EQ(kv_wait_s(one.choice(1), 0), 0);
  one.view.kv_capacity_bytes = 0;
  EXPECT_DOUBLE_EQ(kv_wait_s(one.choice(1), 0), 0);
}

TEST(Estimates, CachePriceRisesToItsCap) {
  OneInstance one;
  one.view.kv_bytes = 40;
  EXPECT_DOUBLE_EQ(kv_price(one.choice(1), 0), 1);  // (40 + 10) / 100 = 0.5; 0.5 / 0.5
  one.view.kv_bytes = 500;
  EXPECT_NEAR(kv_price(one.choice(1), 0), 99, 1e-9);  // 0.99 / 0.01
}

TEST(Estimates, FirstTokenAndDecodingAddUp) {
  OneInstance one;
  // Slot wait 1 s (longer than the cache's), 300 prompt tokens before it 0.3 s.
  EXPECT_DOUBLE_EQ(wait_s(one.choice(1), 0), 1.3);
  // Its own prompt 0.6 s and half a step 0.01 s; the network adds nothing here.
  EXPECT_DOUBLE_EQ(ttft_s(one.choice(1), 0), 1.91);
  EXPECT_DOUBLE_EQ(decode_s(one.choice(1), 0), 5);  // 200 x 0.025
}

TEST(Estimates, OthersAreHeldUpByTheWorkOfTheOneThatJoins) {
  OneInstance one;
  one.view.joined = 5;
  one.view.joined_slope_s = 0.0005;
  one.view.stretch = 2;
  // Four others x (600 prompt tokens 0.6 s + 200 steps 0.1 s) x 2.
  EXPECT_DOUBLE_EQ(others_s(one.choice(1), 0), 5.6);
  EXPECT_DOUBLE_EQ(saved_s(one.choice(1), 0), 3.2);  // 400 cached tokens: 4 x 0.4 s x 2
  one.view.prompts_delay_answers = false;
  EXPECT_DOUBLE_EQ(others_s(one.choice(1), 0), 0.8);
  EXPECT_DOUBLE_EQ(saved_s(one.choice(1), 0), 0);
  one.view.joined = 1;
  EXPECT_DOUBLE_EQ(others_s(one.choice(1), 0), 0);
}

TEST(Estimates, ALongAnswerEndsInABatchThatShrinks) {
  OneInstance one;
  one.view.stretch = 2;
  // Two before it have no slot: 2 s. Prompts 0.9 s. 800 steps that shorten from 0.025 s to half.
  EXPECT_DOUBLE_EQ(long_finish_s(one.choice(1), 0), 2 + 0.9 + 800 * 0.01875);
}

// Long answers take 10 s on the first, which does two requests a second, and 40 s on the second,
// which does one.
TEST(Estimates, ABacklogEndsWhenEachTookItAsLongAsItCould) {
  std::vector<InstanceView> views(2);
  views[0].weight = 2;
  views[0].joined_iteration_s = 0.1;
  views[1].weight = 1;
  views[1].joined_iteration_s = 0.4;
  for (InstanceView& view : views) view.slots = 8;
  const std::vector<double> zeros(2, 0.0);
  const Request request;
  const auto end_s = [&](double queued) {
    return backlog_end_s({.request = request,
                          .output = {.mean = 20, .p90 = 50, .longest = 100},
                          .ready = views,
                          .cached_tokens = zeros,
                          .kv_bytes = zeros,
                          .now_s = 0,
                          .queued = queued});
  };
  EXPECT_DOUBLE_EQ(end_s(30), 25);   // the first alone: 2 x (25 - 10)
  EXPECT_DOUBLE_EQ(end_s(60), 40);   // the second only just not
  EXPECT_DOUBLE_EQ(end_s(120), 60);  // 2 x (60 - 10) + 1 x (60 - 40)
}

TEST(Estimates, TiesAreDrawnInProportionToWeight) {
  std::vector<InstanceView> views(3);
  for (size_t i = 0; i < 3; ++i) views[i].weight = static_cast<double>(i + 1);
  const std::vector<double> zeros(3, 0.0);
  const Request request;
  const Choice choice{.request = request,
                      .output = {},
                      .ready = views,
                      .cached_tokens = zeros,
                      .kv_bytes = zeros,
                      .now_s = 0,
                      .queued = 1};
  Rng rng(1, "ties");
  std::vector<int> least_counts(3), draw_counts(3);
  constexpr int kTimes = 60'000;
  for (int i = 0; i < kTimes; ++i) {
    ++least_counts[least(choice, rng, 0.02, [](size_t) { return 1.0; })];
    ++draw_counts[weighted_draw(choice, rng)];
  }
  for (int i = 0; i < 3; ++i) {  // shares 1/6, 2/6, 3/6; five standard deviations are 0.01
    EXPECT_NEAR(least_counts[i] / double{kTimes}, (i + 1) / 6.0, 0.01);
    EXPECT_NEAR(draw_counts[i] / double{kTimes}, (i + 1) / 6.0, 0.01);
  }
  EXPECT_EQ(least(choice, rng, 0.02, [](size_t i) { return i == 1 ? 1.0 : 1.1; }), 1u);
}

}  // namespace
}  // namespace trex::schedule
