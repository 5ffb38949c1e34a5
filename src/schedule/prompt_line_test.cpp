#include "schedule/prompt_line.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "base/rng.h"

namespace trex::schedule {
namespace {

// 0.1 s a prompt and 0.01 s a step, apart from each other.
PromptDone apart(double at_s, double ready_s) {
  return {.at_s = at_s, .ready_s = ready_s, .tokens = 1000, .prompt_s = 0.1, .step_s = 0.01};
}

TEST(PromptLine, WaitingBehindOthersIsNotCounted) {
  PromptLine line;
  EXPECT_FALSE(line.done(apart(0.11, 0)));  // read until 0.1, and a step
  const auto first = line.done(apart(0.21, 0.02));
  ASSERT_TRUE(first);
  EXPECT_DOUBLE_EQ(first->observed_s, 0.11);
  EXPECT_DOUBLE_EQ(first->prompt_s, 0.1);
  EXPECT_DOUBLE_EQ(first->steps_s, 0.01);
  const auto second = line.done(apart(5.31, 5));
  ASSERT_TRUE(second);
  EXPECT_NEAR(second->observed_s, 0.1, 1e-12);  // the step came meanwhile
  EXPECT_DOUBLE_EQ(second->steps_s, 0);
  const auto third = line.done(apart(9, 8));
  ASSERT_TRUE(third);
  EXPECT_NEAR(third->observed_s, 0.31, 1e-12);
}

// Steps of 10 ms that read 1,000 tokens in 10 ms more. Three prompts of 1,500: the first ends with
// the second step, which reads 500 of the second; that ends with the third step.
TEST(PromptLine, AStepReadsOfTheNextPromptToo) {
  const auto prompt = [](double at_s, double behind) {
    return PromptDone{.at_s = at_s,
                      .tokens = 1500,
                      .prompt_s = 0.015,
                      .token_s = 1e-5,
                      .step_s = 0.01,
                      .tokens_behind = behind,
                      .tokens_each_step = 1000};
  };
  PromptLine line;
  EXPECT_FALSE(line.done(prompt(0.04, 3000)));
  EXPECT_FALSE(line.done(prompt(0.06, 1500)));  // how much the second step read is not sure enough
  const auto sample = line.done(prompt(0.095, 0));
  ASSERT_TRUE(sample);
  EXPECT_DOUBLE_EQ(sample->observed_s, 0.06);
  EXPECT_DOUBLE_EQ(sample->prompt_s, 0.03);
  EXPECT_DOUBLE_EQ(sample->steps_s, 0.03);
}

TEST(PromptLine, WhatWasReadInPartOrIsNotSureIsLeftOut) {
  PromptLine line;
  EXPECT_FALSE(line.done(apart(0.11, 0)));
  line.lose();
  EXPECT_TRUE(line.done(apart(0.25, 0.02)));   // the first, which was complete
  EXPECT_FALSE(line.done(apart(0.35, 0.02)));  // the second, behind the one that left
  PromptDone guessed = apart(0.45, 0.02);
  guessed.is_sure = false;
  EXPECT_TRUE(line.done(guessed));
  EXPECT_FALSE(line.done(apart(0.55, 0.02)));
  EXPECT_TRUE(line.done(apart(0.65, 0.02)));
}

// An engine that reads prompts in order, as much as fits a step, and sends first tokens at its end.
// It takes `slower` times as long for prompts as the line is told. Time that the line observes
// beyond its steps is then `slower` times what it expects of prompts.
double measured_slowness(double slower, double load, uint64_t seed) {
  constexpr double kStep_s = 0.01, kToken_s = 2e-5, kEachStep = 2000;
  struct Waiting {
    double ready_s, tokens, left;
  };
  Rng rng(seed, "prompts");
  PromptLine line;
  std::deque<Waiting> waiting;
  double now_s = 0, next_s = 0, read_s = 0, expected_s = 0;
  while (now_s < 400) {
    double budget = kEachStep, read = 0;
    std::vector<Waiting> ended;
    while (budget > 0 && !waiting.empty()) {
      const double tokens = std::min(budget, waiting.front().left);
      waiting.front().left -= tokens;
      budget -= tokens;
      read += tokens;
      if (waiting.front().left > 0) break;
      ended.push_back(waiting.front());
      waiting.pop_front();
    }
    now_s += kStep_s + slower * kToken_s * read;
    while (next_s < now_s) {
      const double tokens = rng.uniform(100, 6000);
      waiting.push_back({next_s, tokens, tokens});
      next_s += rng.exponential(load / (0.07 * slower));  // 3,050 tokens in the mean
    }
    for (size_t i = 0; i < ended.size(); ++i) {
      double behind = 0;
      for (const Waiting& one : waiting) behind += one.tokens;
      for (size_t j = i + 1; j < ended.size(); ++j) behind += ended[j].tokens;
      const auto sample = line.done({.at_s = now_s,
                                     .ready_s = ended[i].ready_s,
                                     .tokens = ended[i].tokens,
                                     .prompt_s = kToken_s * ended[i].tokens,
                                     .token_s = kToken_s,
                                     .step_s = kStep_s,
                                     .decodes = true,
                                     .tokens_behind = behind,
                                     .tokens_each_step = kEachStep});
      if (!sample) continue;
      read_s += sample->observed_s - sample->steps_s;
      expected_s += sample->prompt_s;
    }
  }
  EXPECT_GT(expected_s, 0.1 * 400 / slower * std::min(load, 1.0));  // most of it is compared
  return read_s / expected_s;
}

TEST(PromptLine, FindsTheSpeedOfAnEngineAtAnyLoadSeeds1To3) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    for (const double load : {0.3, 0.7, 1.2}) {
      EXPECT_NEAR(measured_slowness(1, load, seed), 1, 0.03) << "load " << load;
      EXPECT_NEAR(measured_slowness(2, load, seed), 2, 0.06) << "load " << load;
      EXPECT_NEAR(measured_slowness(0.5, load, seed), 0.5, 0.03) << "load " << load;
    }
  }
}

}  // namespace
}  // namespace trex::schedule
