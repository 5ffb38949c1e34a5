#include "perf/throughput.h"

#include <gmock/gmock.h>

#include <cmath>

#include "perf/golden_fixture.h"

namespace trex::perf {
namespace {

// Section 5.8, last column: E1 for I = 1155, O = 211.
struct Case {
  const char* model;
  const char* device;
  int64_t tp;
  double requests_per_s, decode_ms, prompt_ms;
  int64_t batch;
};

const Case kCases[] = {
    {"Llama-3.1-8B", "H100 SXM", 1, 26.595, 22.234, 19.276, 256},
    {"Llama-3.1-8B", "A100 SXM 80", 1, 9.977, 47.769, 60.857, 256},
    {"Llama-3.1-8B", "L40S", 1, 7.323, 56.634, 45.331, 131},
    {"Llama-3.1-70B", "H100 SXM", 4, 11.605, 31.005, 60.613, 256},
    {"Llama-3.1-70B", "A100 SXM 80", 8, 7.369, 42.328, 100.816, 256},
    {"Llama-3.1-70B", "H200 SXM", 2, 6.837, 43.732, 106.652, 233},
    {"Qwen3-30B-A3B", "H200 SXM", 1, 22.385, 29.638, 20.245, 256},
    {"Qwen3-30B-A3B", "A100 SXM 80", 1, 4.670, 41.785, 50.863, 54},
};

class ClosedForm : public testing::TestWithParam<Case> {};

TEST_P(ClosedForm, IsTheGoldenValue) {
  const Case& c = GetParam();
  const GoldenDeployment deployment(c.model, c.device, c.tp);
  const EngineLimits& limits = deployment.limits;
  const OperatorModel& time = deployment.time;
  const int64_t batch = admissible_batch(deployment.budget, deployment.layout, limits, 1155 + 211);
  const Throughput x =
      closed_form([&](const Iteration& i) { return time.seconds(i); }, {batch, limits.chunk_tokens},
                  WorkloadMoments::of_means(1155, 211));
  EXPECT_EQ(x.batch, c.batch);
  EXPECT_NEAR(x.requests_per_s, c.requests_per_s, 5.1e-4);
  EXPECT_NEAR(1e3 * x.decode_s, c.decode_ms, 5.1e-4);
  EXPECT_NEAR(1e3 * x.prompt_s, c.prompt_ms, 5.1e-4);
  EXPECT_NEAR(x.output_tokens_per_s, c.requests_per_s * 211, 0.11);
}

INSTANTIATE_TEST_SUITE_P(Section58, ClosedForm, testing::ValuesIn(kCases));

// a = 10 ms, beta = 0.1 ms, g = 1 us, p = 50 us, q = 0.
InstanceModel simple() {
  InstanceModel model;
  model.time = IterationCoefficients::line(10e-3, 0.1e-3, 1e-6, 50e-6, 0);
  return model;
}

// B = 10, I = 1000, O = 100: context 1050; T_dec = 10 + 1 + 10.5 = 21.5 ms; c_pre = 50 ms;
// X = 1/(0.050 + 100*0.0215/10) = 1/0.265.
TEST(ClosedFormByHand, FittedModel) {
  const Throughput x =
      closed_form(seconds_of(simple()), {10, 2048}, WorkloadMoments::of_means(1000, 100));
  EXPECT_NEAR(x.decode_s, 21.5e-3, 1e-12);
  EXPECT_NEAR(x.prompt_s, 50e-3, 1e-12);
  EXPECT_NEAR(x.requests_per_s, 1 / 0.265, 1e-9);
}

// Prompts of 500 and 1500, q = 20 ns a pair: each prompt of I costs 0.05 I + 1e-5 I^2 ms, on the
// mean 50 + 1e-5*(250,000 + 2,250,000)/2 = 62.5 ms, where the mean prompt alone would cost 60.
TEST(ClosedFormByHand, UnlikePromptsCostTheirSquares) {
  InstanceModel model = simple();
  model.time.per_prompt_pair_s = 20e-9;
  const RequestLengths rows[] = {{500, 100}, {1500, 100}};
  const WorkloadMoments moments = WorkloadMoments::of(rows);
  EXPECT_DOUBLE_EQ(moments.input_spread, 1.25);
  EXPECT_NEAR(closed_form(seconds_of(model), {10, 2048}, moments).prompt_s, 62.5e-3, 1e-12);
}

// An iteration of 500 tokens has prompts for 100*500/1100 = 45.45 decoding sequences, however many
// slots there are.
TEST(ClosedFormByHand, LongPromptsDoNotFillTheBatch) {
  const auto workload = WorkloadMoments::of_means(1000, 100);
  const Throughput many = closed_form(seconds_of(simple()), {200, 500}, workload);
  EXPECT_DOUBLE_EQ(many.requests_per_s,
                   closed_form(seconds_of(simple()), {1000, 500}, workload).requests_per_s);
  // T_dec = 10 + (0.1 + 1.05)*45.4545 = 62.2727 ms; X = 1/(0.050 + 100*0.0622727/45.4545) = 5.3476.
  EXPECT_NEAR(many.decode_s, 62.2727e-3, 1e-7);
  EXPECT_NEAR(many.requests_per_s, 1 / 0.187, 1e-6);
}

// The same numbers with C = 500: n_m = ceil(1000*10/500) = 20, n_g = 80; T_mix = 21.5 + 500*0.05
// = 46.5 ms, T_gen = 21.5 ms: 930 + 1720 = 2650 ms. TPOT = 26.5 ms. TTFT = 46.5*2*min(1 +
// log2(10)/8, 2) = 93*1.41524 = 131.617 ms. By steps 10*99/2.65 = 373.58 tokens/s; by Little
// 10*99/(0.131617 + 0.0265*99) = 359.33.
TEST(MixedStepsByHand, TheSmallerBoundHolds) {
  const MixedSteps x =
      mixed_steps(seconds_of(simple()), {10, 500}, WorkloadMoments::of_means(1000, 100));
  EXPECT_NEAR(x.time_per_token_s, 26.5e-3, 1e-9);
  EXPECT_NEAR(x.first_token_s, 93e-3 * (1 + std::log2(10) / 8), 1e-9);
  EXPECT_NEAR(x.output_tokens_per_s, 990 / (x.first_token_s + 26.5e-3 * 99), 1e-6);
  EXPECT_NEAR(x.output_tokens_per_s, 359.33, 0.01);
}

// Fixed point for lambda = 2: T = (10 + (0.1 + 1.05) b)/(1 - 2*0.05) ms, b = 2*100*T:
// T = (10 + 1.15*200 T)/0.9 in ms with T in s: 0.9 T = 0.010 + 0.23 T, T = 0.010/0.67 = 14.925 ms,
// b = 2.985. rho = 2*0.265 = 0.53.
TEST(LatencyByHand, TheDecodeBatchSolvesItsFixedPoint) {
  const LoadedLatency load =
      latency_at(seconds_of(simple()), {10, 2048}, WorkloadMoments::of_means(1000, 100),
                 {.requests_per_s = 2});
  EXPECT_TRUE(load.is_stable);
  EXPECT_NEAR(load.utilisation, 0.53, 1e-9);
  EXPECT_NEAR(load.time_per_token_s, 0.010 / 0.67, 1e-5);
  EXPECT_NEAR(load.decode_batch, 2 / 0.67, 2e-3);
  // Allen-Cunneen: m = 1 + 10 - 2.985 = 8.015, k = sqrt(2*9.015) - 1 = 3.2462,
  // W = 0.53^3.2462/0.47*0.05 = 13.54 ms; TTFT = 7.46 + 13.54 + (50 + 14.925) = 85.9 ms.
  EXPECT_NEAR(load.first_token_s, 85.9e-3, 0.2e-3);
}

TEST(LatencyByHand, OverloadIsAnAnswerNotANumber) {
  EXPECT_FALSE(latency_at(seconds_of(simple()), {10, 2048}, WorkloadMoments::of_means(1000, 100),
                          {.requests_per_s = 4})
                   .is_stable);
}

// Alone, a prompt costs 10 + 50 = 60 ms: 16.67/s per prefill instance; decoding 10/(100*0.0215) =
// 4.651/s. Of 5 instances: 1 + 4 gives min(16.67, 18.60) = 16.67; 2 + 3 gives 13.95.
TEST(SplitPhasesByHand, BalancesPrefillAndDecode) {
  const auto workload = WorkloadMoments::of_means(1000, 100);
  const SplitPhases split = split_phases(seconds_of(simple()), {10, 2048}, workload, 5, 1e8, 1e12);
  EXPECT_EQ(split.prefill_instances, 1);
  EXPECT_EQ(split.decode_instances, 4);
  EXPECT_NEAR(split.requests_per_s, 1 / 0.060, 1e-6);
  // A link of 1e9 bytes/s carries ten prompts of 1e8 bytes a second.
  EXPECT_NEAR(split_phases(seconds_of(simple()), {10, 2048}, workload, 5, 1e8, 1e9).requests_per_s,
              10, 1e-9);
}

// Rows (10, 1) and (30, 3): I = 20, O = 2, context (1*10.5 + 3*31.5)/4 = 26.25.
TEST(Workload, JointMomentsWeighContextsByOutput) {
  const RequestLengths rows[] = {{10, 1}, {30, 3}};
  const WorkloadMoments moments = WorkloadMoments::of(rows);
  EXPECT_DOUBLE_EQ(moments.mean_input, 20);
  EXPECT_DOUBLE_EQ(moments.mean_output, 2);
  EXPECT_DOUBLE_EQ(moments.decode_context, 26.25);
}

TEST(SmallBatchCorrection, IsSection58s) {
  EXPECT_DOUBLE_EQ(small_batch_correction(16), 1 - 0.5 / 4);
  EXPECT_DOUBLE_EQ(small_batch_correction(32), 1);
  EXPECT_DOUBLE_EQ(small_batch_correction(0), 0);
}

}  // namespace
}  // namespace trex::perf
