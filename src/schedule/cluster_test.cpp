#include "schedule/cluster.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "schedule/test_support.h"

namespace trex::schedule {
namespace {

ClusterSettings fixed_speed() {
  ClusterSettings settings;
  settings.measure_speed = false;
  return settings;
}

TEST(Cluster, CapabilityByHand) {
  Cluster cluster({.usual_prompt_tokens = 1000, .usual_output_tokens = 200, .depth_slack = 0.1});
  cluster.add(simple_instance("a", {.token_s = 0.02, .slots = 16, .prompt_tokens_per_s = 20'000}));
  const InstanceView& view = cluster.view(0);
  EXPECT_DOUBLE_EQ(view.slots, 16);
  EXPECT_DOUBLE_EQ(view.depth, 18);  // ceil(17.6)
  EXPECT_DOUBLE_EQ(view.prompt_token_s, 1.0 / 20'000);
  EXPECT_DOUBLE_EQ(view.output_token_s, 0.02 / 16);  // all 16 slots are needed for 95 %
  EXPECT_DOUBLE_EQ(view.iteration_s, 0.02);
  EXPECT_DOUBLE_EQ(view.weight, 1 / (0.05 + 0.25));  // 1000 / 20,000 + 200 x 0.02 / 16
}

// Steps of 10 ms and 1 ms a sequence; prompts at 10,000 tokens/s.
InstanceSpec batching_instance(bool prompts_delay_answers) {
  InstanceSpec spec;
  spec.name = "a";
  spec.model.time = perf::IterationCoefficients::line(0.01, 0.001, 0, 1e-4, 0);
  spec.model.max_sequences = 16;
  spec.prompts_delay_answers = prompts_delay_answers;
  return spec;
}

TEST(Cluster, PriceOfJoiningByHand) {
  Cluster cluster(
      {.usual_prompt_tokens = 1000, .usual_output_tokens = 200, .measure_speed = false});
  cluster.add(batching_instance(true));
  cluster.add(batching_instance(false));
  const InstanceView& view = cluster.view(0);
  // A sequence brings 0.1 s of prompt with 200 answer tokens: 0.5 ms a step.
  EXPECT_NEAR(view.joined_iteration_s, 0.01 + 0.001 + 0.0005, 1e-12);
  EXPECT_NEAR(view.joined_slope_s, 0.001, 1e-12);
  EXPECT_NEAR(view.stretch, 1.15, 1e-12);
  // A chunk of 2048 comes with a step of 11 ms for one answer (counted even when there is none).
  EXPECT_NEAR(view.line_token_s, 1e-4 + 0.011 / 2048, 1e-12);
  EXPECT_NEAR(cluster.view(1).line_token_s, 1e-4, 1e-12);
  for (RequestId id = 0; id < 40; ++id) {
    cluster.start(0, simple_request(id), {200, 400}, 0, 0);
    cluster.start(1, simple_request(id), {200, 400}, 0, 0);
    if (id != 2) continue;
    EXPECT_DOUBLE_EQ(view.joined, 4);
    EXPECT_NEAR(view.joined_iteration_s, 0.01 + 4 * 0.0015, 1e-12);
  }
  EXPECT_DOUBLE_EQ(view.joined, 16);  // no more than there are slots
  EXPECT_NEAR(view.joined_iteration_s, 0.034, 1e-12);
  EXPECT_NEAR(view.stretch, 3.4, 1e-9);
  EXPECT_NEAR(cluster.view(1).joined_iteration_s, 0.026, 1e-12);  // prompts are read apart
}

TEST(Cluster, SlotsAreLimitedByTheCache) {
  Cluster cluster(fixed_speed());
  cluster.add(simple_instance("a", {.slots = 16, .kv_capacity_tokens = 6'000}));
  EXPECT_DOUBLE_EQ(cluster.view(0).slots, 5);  // 6,000 / (1,000 + 200)
}

// Section 19: a burst must count before any first token.
TEST(Cluster, LoadCountsFromSelection) {
  Cluster cluster(fixed_speed());
  cluster.add(simple_instance("a", {}));
  for (RequestId id = 0; id < 100; ++id)
    cluster.start(0, simple_request(id, 500), {200, 400}, 100, 0);
  EXPECT_DOUBLE_EQ(cluster.view(0).in_flight, 100);
  EXPECT_DOUBLE_EQ(cluster.view(0).uncached_tokens, 40'000);
  EXPECT_DOUBLE_EQ(cluster.view(0).output_tokens_left, 20'000);
}

// The slow twin: a list of flights, everything counted anew.
struct Shadow {
  FlightId id;
  double uncached, kv, rest;
  bool has_slot = false, is_decoding = false;
};

class ShadowInstance {
 public:
  explicit ShadowInstance(double slots) : slots_(slots) {}
  std::vector<Shadow> flights;

  void give_slots() {
    double used = 0;
    for (const Shadow& flight : flights) used += flight.has_slot;
    for (Shadow& flight : flights) {
      if (!flight.has_slot && used < slots_) flight.has_slot = true, used += 1;
    }
  }

  void expect_equal(const InstanceView& view) const {
    double waiting = 0, decoding = 0, uncached = 0, kv = 0, inverse_rest = 0, left = 0;
    for (const Shadow& flight : flights) {
      decoding += flight.is_decoding;
      waiting += !flight.is_decoding;
      uncached += flight.is_decoding ? 0 : flight.uncached;
      kv += flight.kv;
      left += flight.rest;
      inverse_rest += flight.has_slot ? 1 / flight.rest : 0;
    }
    ASSERT_EQ(view.in_flight, static_cast<double>(flights.size()));
    ASSERT_EQ(view.before_first_token, waiting);
    ASSERT_EQ(view.decoding, decoding);
    ASSERT_NEAR(view.uncached_tokens, uncached, 1e-6);
    ASSERT_NEAR(view.output_tokens_left, left, 1e-6);
    ASSERT_NEAR(view.kv_bytes, kv, 1e-6);
    ASSERT_NEAR(view.release_per_s * view.iteration_s, inverse_rest, 1e-9);
  }

 private:
  double slots_;
};

TEST(Cluster, CountersAgreeWithCountingAnewSeeds1To4) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    Rng rng(seed, "flights");
    Cluster cluster(fixed_speed());
    std::vector<ShadowInstance> shadows;
    for (const int64_t slots : {1, 3, 8}) {
      cluster.add(simple_instance("i", {.slots = slots, .kv_capacity_tokens = 1e6}));
      shadows.emplace_back(static_cast<double>(slots));
    }
    for (int step = 0; step < 4'000; ++step) {
      const auto i = static_cast<InstanceIndex>(rng.below(3));
      auto& flights = shadows[i].flights;
      const double what = rng.uniform();
      if (what < 0.36 || flights.empty()) {
        const double prompt = std::floor(rng.uniform(1, 3000)),
                     cached = std::floor(rng.uniform(0, 3000));
        const LengthEstimate output{rng.uniform(1, 500), 600};
        const FlightId id = cluster.start(i, simple_request(0, prompt), output, cached, step);
        flights.push_back({id, std::max(prompt - cached, 0.0), prompt + 600, output.mean});
      } else {
        const size_t at = rng.below(flights.size());
        if (what < 0.7) {
          cluster.first_token(flights[at].id, step);
          flights[at].has_slot = flights[at].is_decoding = true;
        } else {
          cluster.end(flights[at].id, 10, rng.chance(0.5), step);
          flights.erase(flights.begin() + static_cast<std::ptrdiff_t>(at));
        }
      }
      shadows[i].give_slots();
      shadows[i].expect_equal(cluster.view(i));
      if (HasFatalFailure()) return;
    }
    for (InstanceIndex i = 0; i < 3; ++i) {
      for (const Shadow& flight : shadows[i].flights) cluster.end(flight.id, 0, false, 5'000);
      EXPECT_EQ(cluster.view(i).in_flight, 0);
      EXPECT_EQ(cluster.view(i).backlog_s, 0);
      EXPECT_EQ(cluster.view(i).kv_bytes, 0);
      EXPECT_EQ(cluster.view(i).release_per_s, 0);
    }
    EXPECT_NEAR(cluster.reserved_kv_bytes(), 0, 1e-6);
  }
}

// Prompts of 40,000 tokens a second: three of 4,000 take 0.1 s each, one after another.
TEST(Cluster, KnowsHowFarThePromptIsThatIsBeingRead) {
  Cluster cluster(fixed_speed());
  InstanceSpec spec = simple_instance("a", {.token_s = 1e-9});
  spec.prompts_delay_answers = true;
  cluster.add(spec);
  const auto unread = [&](double now_s) { return cluster.view_at(0, now_s).unread_tokens; };
  EXPECT_EQ(unread(0), 0);
  const auto start = [&](double now_s) {
    return cluster.start(0, simple_request(0, 4000), {200, 400}, 0, now_s);
  };
  const FlightId first = start(1), second = start(1.05), third = start(1.05);
  EXPECT_NEAR(unread(1.05), 10'000, 1e-2);  // half of the first is done
  EXPECT_NEAR(unread(3), 8'400, 1e-2);      // late, but it has no first token yet: a tenth is left
  cluster.first_token(first, 3);
  EXPECT_NEAR(unread(3), 8'000, 1e-2);
  EXPECT_NEAR(unread(3.025), 7'000, 1e-2);
  cluster.first_token(third, 3.025);  // out of turn: the second is still being read
  EXPECT_NEAR(unread(3.05), 2'000, 1e-2);
  cluster.end(second, 0, false, 3.06);  // cancelled
  EXPECT_EQ(unread(4), 0);
  start(5);
  EXPECT_NEAR(unread(5.05), 2'000, 1e-2);
  EXPECT_EQ(cluster.view(0).uncached_tokens, 4'000);
}

TEST(Cluster, APromptWithoutASlotIsNotRead) {
  Cluster cluster(fixed_speed());
  InstanceSpec spec = simple_instance("a", {.token_s = 1e-9, .slots = 1});
  spec.prompts_delay_answers = true;
  cluster.add(spec);
  const auto unread = [&](double now_s) { return cluster.view_at(0, now_s).unread_tokens; };
  const FlightId first = cluster.start(0, simple_request(0, 4000), {200, 400}, 0, 0);
  cluster.first_token(first, 0.1);
  cluster.start(0, simple_request(1, 4000), {200, 400}, 0, 0.2);
  EXPECT_EQ(unread(0.9), 4'000);
  cluster.end(first, 200, true, 1);
  EXPECT_NEAR(unread(1.05), 2'000, 1e-2);
}

TEST(Cluster, RefreshTakesTheRestGivenWhatHasCome) {
  Cluster cluster(fixed_speed());
  cluster.add(simple_instance("a", {.token_s = 0.01}));
  LengthPredictor lengths({});
  for (int i = 0; i < 400; ++i) lengths.observe(0, 1000, i % 2 == 0 ? 100 : 900);
  const FlightId flight = cluster.start(0, simple_request(1), {500, 900}, 0, 9);
  cluster.first_token(flight, 10);
  cluster.refresh(0, 14, lengths);  // 400 tokens have come: it is a long one, about 500 are left
  EXPECT_NEAR(cluster.view(0).output_tokens_left, 500, 50);
}

TEST(Cluster, RefreshLeavesWhatWaitsAsExpected) {
  Cluster cluster(fixed_speed());
  cluster.add(simple_instance("a", {.token_s = 0.01, .slots = 2}));
  LengthPredictor lengths({});
  for (int i = 0; i < 400; ++i) lengths.observe(0, 1000, 1000);
  std::vector<FlightId> flights;
  for (RequestId id = 0; id < 5; ++id)
    flights.push_back(cluster.start(0, simple_request(id), {1000, 1000}, 0, 0));
  cluster.first_token(flights[0], 0);
  cluster.refresh(0, 5, lengths);  // 500 of the first have come; one reads and three wait
  EXPECT_NEAR(cluster.view(0).output_tokens_left, 500 + 1000 + 3 * 1000, 60);
  cluster.end(flights[3], 0, false, 5);  // a caller that waited goes away
  cluster.refresh(0, 5.1, lengths);
  EXPECT_NEAR(cluster.view(0).output_tokens_left, 500 + 1000 + 2 * 1000, 60);
  cluster.first_token(flights[4], 6);  // out of turn: the engine holds three
  cluster.refresh(0, 7, lengths);
  EXPECT_NEAR(cluster.view(0).output_tokens_left, 300 + 1000 + 900 + 1000, 80);
}

// Answers of 100 tokens, each `ratio` times as slow as the model says, one a second.
void run_slowly(Cluster& cluster, InstanceIndex instance, double ratio, double from_s,
                double to_s) {
  for (double now_s = from_s; now_s < to_s; now_s += 1) {
    const FlightId flight = cluster.start(instance, simple_request(1), {100, 200}, 0, now_s);
    cluster.first_token(flight, now_s);
    cluster.end(flight, 101, true, now_s + 100 * 0.01 * ratio);
  }
}

TEST(Cluster, LearnsItsSpeedFromTheGapsBetweenTokens) {
  Cluster cluster({});
  cluster.add(simple_instance("a", {.token_s = 0.01}));
  const double weight = cluster.view(0).weight;
  run_slowly(cluster, 0, 2, 0, 60);
  EXPECT_NEAR(cluster.sigma(0), 2, 1e-9);
  EXPECT_NEAR(cluster.view(0).weight, weight / 2, 1e-9);
  EXPECT_NEAR(cluster.view(0).iteration_s, 0.02, 1e-9);
}

// An answer of 100 gaps, 1.1 s alone, with five prompts of 0.1 s read in between.
double sigma_of_exact_model(bool prompts_delay_answers) {
  Cluster cluster({});
  cluster.add(batching_instance(prompts_delay_answers));
  for (double now_s = 0; now_s < 60; now_s += 2) {
    const FlightId answer = cluster.start(0, simple_request(1), {100, 200}, 0, now_s);
    cluster.first_token(answer, now_s);
    for (int other = 0; other < 5; ++other) {
      const FlightId prompt = cluster.start(0, simple_request(2, 1000), {1, 1}, 0, now_s);
      cluster.first_token(prompt, now_s + 0.1);
      cluster.end(prompt, 1, true, now_s + 0.1);
    }
    cluster.end(answer, 101, true, now_s + 1.6);
  }
  return cluster.sigma(0);
}

TEST(Cluster, PromptsReadMeanwhileDoNotMakeItLookSlow) {
  EXPECT_NEAR(sigma_of_exact_model(true), 1, 1e-9);
  EXPECT_NEAR(sigma_of_exact_model(false), 1.6 / 1.1, 1e-9);
}

// Prompts of 1,000 tokens, one a second, each read `ratio` times as slowly as in 25 ms, and answers
// of 101 tokens as fast as the model says. The network takes 5 ms each way.
TEST(Cluster, LearnsTheSpeedOfPromptsFromFirstTokens) {
  Cluster cluster({.usual_prompt_tokens = 1000, .usual_output_tokens = 200});
  InstanceSpec spec = simple_instance("a", {.token_s = 0.01, .slots = 8});
  spec.network_s = 0.005;
  cluster.add(spec);
  const auto run = [&](double ratio, double from_s, double to_s) {
    for (double now_s = from_s; now_s < to_s; now_s += 1) {
      const FlightId flight = cluster.start(0, simple_request(1, 1000), {100, 200}, 0, now_s);
      const double first_s = now_s + 0.01 + ratio * 0.025 + 0.01;
      cluster.first_token(flight, first_s);
      cluster.end(flight, 101, true, first_s + 100 * 0.01);
    }
  };
  run(1, 0, 100);
  EXPECT_NEAR(cluster.prompt_sigma(0), 1, 1e-9);
  run(2, 100, 300);
  EXPECT_NEAR(cluster.sigma(0), 1, 1e-9);
  EXPECT_NEAR(cluster.prompt_sigma(0), 2, 1e-3);
  EXPECT_NEAR(cluster.view(0).prompt_token_s, 2 * 0.025 / 1000, 1e-7);
  EXPECT_NEAR(cluster.view(0).output_token_s, 0.01 / 8, 1e-12);
  EXPECT_NEAR(cluster.view(0).weight, 1 / (0.05 + 200 * 0.01 / 8), 1e-3);
  cluster.set_state(0, InstanceState::Down);
  EXPECT_EQ(cluster.prompt_sigma(0), 1);
}

// Answers of one token have no gaps. Steps read 2,048 tokens: 0.1 s and 10 ms for a prompt of
// 1,000.
TEST(Cluster, FirstTokensTellTheSpeedWhereThereAreNoGaps) {
  Cluster cluster({});
  cluster.add(batching_instance(true));
  for (double now_s = 0; now_s < 200; now_s += 1) {
    const FlightId flight = cluster.start(0, simple_request(1, 1000), {1, 1}, 0, now_s);
    cluster.first_token(flight, now_s + 3 * (0.1 + 0.01));
    cluster.end(flight, 1, true, now_s + 3 * (0.1 + 0.01));
  }
  EXPECT_NEAR(cluster.sigma(0), 3, 1e-9);
  EXPECT_NEAR(cluster.prompt_sigma(0), 3, 1e-9);
}

// Nobody says when first tokens come, or they come with the answer: prompts are as slow as answers.
TEST(Cluster, PromptsAreAsSlowAsAnswersUntilFirstTokensTell) {
  Cluster cluster({});
  cluster.add(simple_instance("a", {.token_s = 0.01}));
  for (double now_s = 0; now_s < 60; now_s += 1) {
    const FlightId flight = cluster.start(0, simple_request(1), {100, 200}, 900, now_s);
    cluster.first_token(flight, now_s + 0.2);
    cluster.end(flight, 101, true, now_s + 0.2 + 2);
  }
  EXPECT_NEAR(cluster.sigma(0), 2, 1e-9);
  EXPECT_NEAR(cluster.prompt_sigma(0), 2, 1e-9);
}

// Answers of 101 tokens, each beside 1 to 15 others that are longer, by an engine that takes 10 ms
// a step and `sequence_s` more for each of them all.
void run_beside_others(Cluster& cluster, double sequence_s, int answers) {
  Rng rng(1, "batches");
  const auto begin = [&](double now_s) {
    const FlightId flight = cluster.start(0, simple_request(1, 1), {100, 200}, 0, now_s);
    cluster.first_token(flight, now_s);
    return flight;
  };
  std::vector<FlightId> others;
  for (double now_s = 0; answers > 0; --answers) {
    const size_t count = 1 + rng.below(15);
    while (others.size() < count) others.push_back(begin(now_s));
    for (; others.size() > count; others.pop_back()) cluster.end(others.back(), 0, false, now_s);
    const FlightId flight = begin(now_s);
    now_s += 100 * (0.01 + sequence_s * static_cast<double>(count + 1));
    cluster.end(flight, 101, true, now_s);
  }
  for (const FlightId flight : others) cluster.end(flight, 0, false, 1e6);
}

// Believed 1 ms a sequence, it takes 3: sigma alone has one factor for all batches, here about 1.7,
// and steps of 2 and of 16 sequences take 1.33 and 2.23 times as long as believed.
TEST(Cluster, LearnsWhichPartOfItsModelIsWrong) {
  Cluster cluster({.usual_prompt_tokens = 1, .usual_output_tokens = 100});
  InstanceSpec spec = batching_instance(false);
  spec.model.time.per_prompt_token_s = 0;
  cluster.add(spec);
  const auto error = [&](double batch) {  // of T(batch), the last one only expected
    std::vector<FlightId> flights;
    for (double i = 0; i + 1 < batch; ++i) {
      flights.push_back(cluster.start(0, simple_request(1, 1), {100, 200}, 0, 1e6));
      cluster.first_token(flights.back(), 1e6);
    }
    const double expected_s = cluster.view(0).next_iteration_s;
    for (const FlightId flight : flights) cluster.end(flight, 0, false, 1e6);
    return expected_s / (0.01 + 0.003 * batch) - 1;
  };
  run_beside_others(cluster, 0.003, 450);
  EXPECT_GT(error(2), 0.1);
  EXPECT_LT(error(16), -0.1);
  run_beside_others(cluster, 0.003, 600);
  EXPECT_NEAR(error(2), 0, 0.03);
  EXPECT_NEAR(error(16), 0, 0.03);
  EXPECT_NEAR(error(8), 0, 0.03);
}

TEST(Cluster, AnOutlierKeepsATenthAndAtMostThirtyPercentAreTakenOut) {
  Cluster cluster({});
  for (int i = 0; i < 4; ++i) cluster.add(simple_instance("i", {.token_s = 0.01}));
  const double weight = cluster.view(0).weight;
  run_slowly(cluster, 0, 8, 0, 80);
  EXPECT_FALSE(cluster.view(0).is_outlier);  // not for a minute yet
  run_slowly(cluster, 0, 8, 80, 150);
  EXPECT_TRUE(cluster.view(0).is_outlier);
  EXPECT_NEAR(cluster.view(0).weight, weight / 10, 1e-9);
  run_slowly(cluster, 1, 8, 0, 150);
  EXPECT_FALSE(cluster.view(1).is_outlier);  // two of four would be half of the capacity
  // It gets no work for a minute: tried again.
  LengthPredictor lengths({});
  cluster.refresh(0, 300, lengths);
  EXPECT_FALSE(cluster.view(0).is_outlier);
  EXPECT_NEAR(cluster.view(0).weight, weight, 1e-9);
}

TEST(Cluster, BelievesInOthersLoadAfterThreeReportsAndForgetsItWhenStale) {
  Cluster cluster(fixed_speed());
  cluster.add(simple_instance("a", {}));
  LengthPredictor lengths({});
  for (RequestId id = 0; id < 4; ++id) cluster.start(0, simple_request(id), {200, 400}, 0, 0);
  for (int scrape = 1; scrape <= 3; ++scrape) {
    EXPECT_EQ(cluster.view(0).external, 0);
    cluster.report(0, {.running = 8, .waiting = 12, .at_s = double(scrape)});
  }
  EXPECT_EQ(cluster.view(0).external, 16);  // 20 reported, 4 of them ours
  EXPECT_EQ(cluster.view(0).in_flight, 4);
  cluster.refresh(0, 5.9, lengths);
  EXPECT_EQ(cluster.view(0).external, 16);
  cluster.refresh(0, 6.1, lengths);  // more than three intervals old
  EXPECT_EQ(cluster.view(0).external, 0);
}

TEST(Cluster, SmallOrShortDifferencesOfReportsAreIgnored) {
  Cluster cluster(fixed_speed());
  cluster.add(simple_instance("a", {}));
  for (int scrape = 1; scrape <= 9; ++scrape)
    cluster.report(0, {.running = 3, .at_s = double(scrape)});
  EXPECT_EQ(cluster.view(0).external, 0);
  for (int scrape = 10; scrape <= 30; ++scrape) {  // every third fits
    cluster.report(0, {.running = scrape % 3 == 0 ? 0.0 : 30.0, .at_s = double(scrape)});
  }
  EXPECT_EQ(cluster.view(0).external, 0);
}

}  // namespace
}  // namespace trex::schedule
