#include "perf/pipeline.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/rng.h"
#include "perf/catalogue.h"
#include "perf/derive.h"

namespace trex::perf {
namespace {

PipelineModel llama_70b(const std::string& device, int64_t tp, const std::vector<int64_t>& layers) {
  const Catalogue catalogue = Catalogue::shipped();
  const ModelSpec model = catalogue.model("Llama-3.1-70B", "test");
  std::vector<OperatorModel> stages;
  for (const StageRange& range : stage_ranges(layers)) {
    stages.emplace_back(model, catalogue.device(device, "test"), find_quantisation("bf16", "test"),
                        Layout{.tp = tp, .pp = static_cast<int64_t>(layers.size())}, EngineLimits{},
                        range);
  }
  return PipelineModel(stages, std::vector<StageLink>(layers.size() - 1, {25e9, 10e-6}));
}

TEST(Pipeline, OneStageIsTheOperatorModel) {
  const PipelineModel pipeline = llama_70b("H100 SXM", 4, {80});
  EXPECT_NEAR(1e3 * pipeline.seconds({.num_decoding = 32, .context_each = 1024}), 17.819, 5.1e-4);
}

// Two stages of b/2 each: the period is twice the slower stage's time at half the batch.
TEST(Pipeline, TheSlowestStageSetsThePeriod) {
  const PipelineModel pipeline = llama_70b("H100 SXM", 4, {30, 50});
  const Iteration half{.num_decoding = 32, .context_each = 1024};
  const double slow =
      std::max(pipeline.stages()[0].seconds(half), pipeline.stages()[1].seconds(half));
  EXPECT_EQ(slow, pipeline.stages()[1].seconds(half));
  EXPECT_NEAR(pipeline.seconds({.num_decoding = 64, .context_each = 1024}), 2 * slow, 1e-12);
}

// 3 chunks, 2 stages: (3 + 1) slots of the slowest stage; chunks differ in attention only.
TEST(Pipeline, APromptFillsAndDrainsTheStages) {
  const PipelineModel pipeline = llama_70b("H100 SXM", 4, {40, 40});
  const PromptChunk last{4000, 2000};
  const double slot = pipeline.stages()[1].seconds({.chunks = {&last, 1}});
  const double prompt = pipeline.prompt_seconds(6000, 2048);
  EXPECT_LT(prompt, 4 * slot + 1e-2);
  EXPECT_GT(prompt, 3 * slot);
}

// Exhaustive over all splits of up to 9 layers on 3 random stages.
TEST(BalanceLayers, IsOptimalOnSmallCasesSeed3) {
  for (uint64_t trial = 0; trial < 100; ++trial) {
    Rng rng(3, "balance", trial);
    std::vector<double> seconds(3);
    std::vector<int64_t> most(3);
    for (double& s : seconds) s = rng.uniform(0.5, 4);
    for (int64_t& m : most) m = rng.between(1, 6);
    const int64_t layers = rng.between(3, 9);
    double best = 1e300;
    for (int64_t a = 1; a <= most[0]; ++a) {
      for (int64_t b = 1; b <= most[1]; ++b) {
        const int64_t c = layers - a - b;
        if (c < 1 || c > most[2]) continue;
        best = std::min(best, std::max({a * seconds[0], b * seconds[1], c * seconds[2]}));
      }
    }
    const auto found = balance_layers(seconds, most, layers);
    if (best == 1e300) {
      EXPECT_TRUE(found.empty());
      continue;
    }
    ASSERT_EQ(found.size(), 3u);
    double slowest = 0;
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_LE(found[i], most[i]);
      slowest = std::max(slowest, static_cast<double>(found[i]) * seconds[i]);
    }
    EXPECT_EQ(found[0] + found[1] + found[2], layers);
    EXPECT_NEAR(slowest, best, 1e-12);
  }
}

// The planner (operator model) and the simulator (compact form) must agree on what an instance can
// do.
TEST(Derive, TheCompactFormKeepsTheThroughput) {
  const Catalogue catalogue = Catalogue::shipped();
  for (const auto& [name, device, tp] : {std::tuple{"Llama-3.1-8B", "H100 SXM", 1},
                                         {"Llama-3.1-70B", "A100 SXM 80", 8},
                                         {"Qwen3-30B-A3B", "H200 SXM", 1}}) {
    const ModelSpec model = catalogue.model(name, "test");
    const Layout layout{.tp = tp};
    const EngineLimits limits;
    const Quantisation& bf16 = find_quantisation("bf16", "test");
    const PipelineModel pipeline({OperatorModel(model, catalogue.device(device, "test"), bf16,
                                                layout, limits, whole_model(model))},
                                 {});
    const MemoryBudget budget = memory_budget(model, catalogue.device(device, "test"), bf16, layout,
                                              limits, whole_model(model));
    const Derived derived = derive_instance_model(pipeline, budget, limits, layout, 1366, name);
    validate(derived.model, name);
    const auto workload = WorkloadMoments::of_means(1155, 211);
    const InstanceLimits at{admissible_batch(budget, layout, limits, 1366), 2048};
    const double planned = closed_form(pipeline.function(), at, workload).requests_per_s;
    const double compact = closed_form(seconds_of(derived.model), at, workload).requests_per_s;
    EXPECT_NEAR(compact / planned, 1, 0.12)
        << name << " median error " << derived.fit.on_held_out.median;
  }
}

}  // namespace
}  // namespace trex::perf
