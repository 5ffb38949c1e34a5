// Golden values of heterogeneous serving, section 5.8 ("Golden values for unit tests"). They were
// computed there from the formulas, not by this code.
#include "perf/operator_model.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/error.h"
#include "perf/catalogue.h"
#include "perf/golden_fixture.h"

namespace trex::perf {
namespace {

struct Case {
  const char* model;
  const char* device;
  int64_t tp;
  double decode_1, decode_32, decode_128, prefill_2048;  // ms
  int64_t kv_tokens;
};

const Case kCases[] = {
    {"Llama-3.1-8B", "H100 SXM", 1, 6.509, 8.025, 12.831, 38.081, 398'805},
    {"Llama-3.1-8B", "A100 SXM 80", 1, 11.889, 14.743, 25.856, 115.047, 398'805},
    {"Llama-3.1-8B", "L40S", 1, 22.709, 28.640, 50.564, 115.001, 179'078},
    {"Llama-3.1-70B", "H100 SXM", 4, 16.408, 17.819, 22.448, 117.127, 399'243},
    {"Llama-3.1-70B", "A100 SXM 80", 8, 18.374, 20.066, 27.941, 189.603, 1'229'104},
    {"Llama-3.1-70B", "H200 SXM", 2, 22.433, 24.344, 30.685, 200.738, 319'191},
    {"Qwen3-30B-A3B", "H200 SXM", 1, 4.222, 16.251, 22.216, 52.385, 633'263},
    {"Qwen3-30B-A3B", "A100 SXM 80", 1, 6.687, 35.598, 50.174, 127.711, 74'791},
};

class GoldenValues : public testing::TestWithParam<Case> {};

// By hand for the first row, b = 1: weights (6,979,321,856 + 525,336,576)*2 bytes over
// 3.35e12*0.80 = 5.6005 ms; decode attention 32*(11.5 + 0.21*32/64) us + 134,217,728 bytes over
// 3.35e12*0.88 = 0.4169 ms; overhead 0.3 + 32*0.006 = 0.492 ms. Sum 6.5094 ms.
TEST_P(GoldenValues, IterationTimesAndCacheSize) {
  const Case& c = GetParam();
  const GoldenDeployment deployment(c.model, c.device, c.tp);
  const OperatorModel& time = deployment.time;
  const auto decode_ms = [&](double batch) {
    return 1e3 * time.seconds({.num_decoding = batch, .context_each = 1024});
  };
  EXPECT_NEAR(decode_ms(1), c.decode_1, 5.1e-4);
  EXPECT_NEAR(decode_ms(32), c.decode_32, 5.1e-4);
  EXPECT_NEAR(decode_ms(128), c.decode_128, 5.1e-4);
  const PromptChunk prompt{0, 2048};
  EXPECT_NEAR(1e3 * time.seconds({.chunks = {&prompt, 1}}), c.prefill_2048, 5.1e-4);

  EXPECT_EQ(deployment.budget.kv.tokens_within(deployment.budget.kv_bytes), c.kv_tokens);
}

INSTANTIATE_TEST_SUITE_P(Section58, GoldenValues, testing::ValuesIn(kCases));

OperatorModel shipped(const std::string& name, const std::string& device,
                      const std::string& quantisation, const Layout& layout) {
  const Catalogue catalogue = Catalogue::shipped();
  const ModelSpec model = catalogue.model(name, "test");
  return OperatorModel(model, catalogue.device(device, "test"),
                       find_quantisation(quantisation, "test"), layout, {}, whole_model(model));
}

// E_t = E*(1 - (1 - k/E)^N): 128 experts, 8 each; one token touches 8, two touch
// 128*(1 - 0.9375^2) = 15.5.
TEST(Experts, TouchedExpertsFollowUniformRouting) {
  EXPECT_DOUBLE_EQ(touched_experts(128, 8, 1), 8);
  EXPECT_NEAR(touched_experts(128, 8, 2), 15.5, 1e-12);
  EXPECT_NEAR(touched_experts(128, 8, 1000), 128, 1e-9);
}

// 4 experts on 2 ranks, 2 each: the other rank is missed when both lie among its own 2:
// C(2,2)/C(4,2) = 1/6; so 1*(1 - 1/6) = 5/6. With k = 1: 1 - 1/2.
TEST(Experts, RemoteRanksAreDeduplicated) {
  EXPECT_NEAR(remote_ranks(2, 4, 2), 5.0 / 6, 1e-12);
  EXPECT_NEAR(remote_ranks(2, 4, 1), 0.5, 1e-12);
  EXPECT_NEAR(remote_ranks(1, 256, 8), 0, 1e-12);
}

// Llama-8B, TP2 on H100: 2*32 all-reduces of 100*4096*2 = 819,200 bytes: 7.1 us + 3.8*0.8192 us.
TEST(TensorParallel, TwoAllReducesALayer) {
  const IterationTime time = shipped("Llama-3.1-8B", "H100 SXM", "bf16", {.tp = 2})
                                 .iteration({.num_decoding = 100, .context_each = 1});
  const OperatorTime& collective = time.of(Operator::TensorParallel);
  EXPECT_NEAR(collective.fixed_s, 64 * 7.1e-6, 1e-12);
  EXPECT_NEAR(collective.communication_s, 64 * 3.8e-6 * 0.8192, 1e-12);
}

// Without a fitted table: A100 PCIe, n = 2, PCIe4 at 0.58 of 32 GB/s: beta = 2*(1/2)/18.56e9.
TEST(Collectives, UnmeasuredLinksUseTheRingFormula) {
  const Catalogue catalogue = Catalogue::shipped();
  const AlphaBeta fit = all_reduce_of(catalogue.device("A100 PCIe 80", "test"), 2);
  EXPECT_DOUBLE_EQ(fit.alpha_s, 10e-6);
  EXPECT_NEAR(fit.beta_s_per_byte, 1 / 18.56e9, 1e-15);
  EXPECT_NEAR(effective_bandwidth(catalogue.device("A100 PCIe 80", "test"), 2), 18.56e9, 1);
}

// Four prompts of 2,048 tokens in one iteration on an H100: 4*32*128*4*2048^2/2 FLOP a layer over
// 989e12 at eta_A 0.35, times 1.02 for four sequences; one prompt alone has no factor.
TEST(PromptAttention, SeveralSequencesFillTheDeviceBetter) {
  const GoldenDeployment deployment("Llama-3.1-8B", "H100 SXM", 1);
  const std::vector<PromptChunk> four(4, PromptChunk{0, 2048});
  const double flop = 32 * 4.0 * 32 * 128 * 2048 * 2048 / 2;
  const auto seconds = [&](size_t count) {
    return deployment.time.iteration({.chunks = std::span(four).first(count)})
        .of(Operator::PromptAttention)
        .total_s;
  };
  EXPECT_NEAR(seconds(1), flop / (989e12 * 0.35), 1e-9);
  EXPECT_NEAR(seconds(4), 4 * flop / (989e12 * 0.35 * 1.02), 1e-9);
}

// 8-bit cache of Llama-8B on an H200, b = 1, 1,024 tokens: 32*(14 + 0.23*32/64) us and half of
// 134,217,728 bytes over 4.8e12*0.64.
TEST(DecodeAttention, AnEightBitCacheHasItsOwnKernel) {
  const Catalogue catalogue = Catalogue::shipped();
  const ModelSpec model = catalogue.model("Llama-3.1-8B", "test");
  EngineLimits limits;
  limits.kv_element_bytes = 1;
  const OperatorModel time(model, catalogue.device("H200 SXM", "test"),
                           find_quantisation("bf16", "test"), {}, limits, whole_model(model));
  EXPECT_NEAR(time.iteration({.num_decoding = 1, .context_each = 1024})
                  .of(Operator::DecodeAttention)
                  .total_s,
              32 * (14e-6 + 0.23e-6 / 2) + 134'217'728.0 / 2 / (4.8e12 * 0.64), 1e-9);
}

TEST(OperatorModel, ExpertParallelismBalancesRanks) {
  const Layout layout{.tp = 1, .dp = 8, .ep = 8};
  const IterationTime time = shipped("DeepSeek-V3", "H200 SXM", "fp8-block", layout)
                                 .iteration({.num_decoding = 256, .context_each = 1024});
  EXPECT_GT(time.of(Operator::ExpertParallel).total_s, 0);
  EXPECT_EQ(time.of(Operator::TensorParallel).total_s, 0);
  // 58 MoE layers, 32 experts on a rank, all touched by 256 tokens of 8:
  // 32*(1 - (1 - 1/32)^256) = 31.99; 31.99*3*7168*2048 bytes over 4.8e12*0.95, plus the shared one.
  const double touched = 32 * (1 - std::pow(1 - 8.0 / 256, 256));
  EXPECT_NEAR(time.of(Operator::Experts).memory_s,
              58 * (touched + 1) * 3 * 7168.0 * 2048 / (4.8e12 * 0.95), 1e-9);
}

TEST(OperatorModel, StagesAddUpToTheWholeModel) {
  const Catalogue catalogue = Catalogue::shipped();
  const ModelSpec model = catalogue.model("Qwen3-30B-A3B", "test");
  const DeviceSpec& device = catalogue.device("A100 SXM 80", "test");
  const Quantisation& bf16 = find_quantisation("bf16", "test");
  const Layout layout{.tp = 1, .pp = 2};
  const StageRange first{0, 20, false, true};
  const StageRange second{20, 28, true, false};
  // Within the memory-bound range the max() of a sum is the sum of the max().
  const Iteration iteration{.num_decoding = 4, .context_each = 2000};
  const double whole =
      OperatorModel(model, device, bf16, layout, {}, whole_model(model)).seconds(iteration);
  const double parts = OperatorModel(model, device, bf16, layout, {}, first).seconds(iteration) +
                       OperatorModel(model, device, bf16, layout, {}, second).seconds(iteration);
  EXPECT_NEAR(parts, whole + device.step_overhead_s, 1e-9);
  EXPECT_NEAR(stage_weight_bytes(model, bf16, layout, first) +
                  stage_weight_bytes(model, bf16, layout, second),
              stage_weight_bytes(model, bf16, layout, whole_model(model)), 1);
}

TEST(OperatorModel, ADeviceWithoutBf16RefusesABf16Checkpoint) {
  try {
    shipped("Llama-3.1-8B", "T4", "bf16", {.tp = 1});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "T4: quantisation: expected an arithmetic that the device has; got \"bf16\" "
                 "(choose another quantisation, such as fp16 or int4)");
  }
  EXPECT_GT(shipped("Llama-3.1-8B", "T4", "int4", {.tp = 1})
                .seconds({.num_decoding = 1, .context_each = 10}),
            0);
}

// One EPYC 9554, Phi-4 14B (40 layers, h 5120, 40/10 heads of 128, FFN 17920, V 100352): published
// 28.7 tokens/s in Q4_K_M and 19.2 in Q8_0. The shares of bandwidth differ there (0.56 and 0.65),
// so one constant must come within 20 % of both.
TEST(OperatorModel, LlamaCppOnACpuIsNearThePublishedRun) {
  ModelSpec phi{.name = "Phi-4",
                .num_layers = 40,
                .hidden = 5120,
                .vocab = 100352,
                .num_heads = 40,
                .num_kv_heads = 10,
                .head_dim = 128,
                .ffn = 17920};
  const Catalogue catalogue = Catalogue::shipped();
  const auto rate = [&](const char* quantisation) {
    return 1 / OperatorModel(phi, catalogue.device("EPYC 9554", "test"),
                             find_quantisation(quantisation, "test"), {}, {}, whole_model(phi))
                   .seconds({.num_decoding = 1, .context_each = 200});
  };
  EXPECT_NEAR(rate("q4_k_m"), 28.7, 0.2 * 28.7);
  EXPECT_NEAR(rate("q8_0"), 19.2, 0.2 * 19.2);
}

}  // namespace
}  // namespace trex::perf
