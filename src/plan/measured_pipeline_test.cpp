// Measurements in pipelines across machines.
#include <gmock/gmock.h>

#include "base/error.h"
#include "plan/plan_json.h"
#include "plan/serving_plan.h"
#include "plan/test_support.h"

namespace trex::plan {
namespace {

using testing::HasSubstr;

// A measured engine: an iteration takes 20 ms, 0.2 ms a sequence and 0.5 us a token of context; 64
// sequences at once.
std::shared_ptr<const perf::MeasuredModel> engine(const std::string& device,
                                                  const perf::Layout& layout) {
  perf::MeasuredModel measured{.deployment = {"Llama-3.1-8B", device, "bf16", layout}};
  measured.model.time = {.base_s = 0.020,
                         .per_sequence_s = {0.2e-3, 0.2e-3, 0.2e-3, 0.2e-3},
                         .per_context_token_s = 0.5e-6,
                         .per_prompt_token_s = 40e-6};
  measured.model.max_sequences = 64;
  measured.model.chunk_tokens = 2048;
  measured.model.max_context = 8192;
  measured.model.sampled_context = 8192;
  return std::make_shared<const perf::MeasuredModel>(measured);
}

ServingPlan plan_of(const std::vector<Machine>& machines,
                    std::vector<std::shared_ptr<const perf::MeasuredModel>> measured) {
  Inventory inventory{.machines = machines};
  inventory.classes.push_back({.name = "all",
                               .model = "Llama-3.1-8B",
                               .lengths = perf::WorkloadMoments::of_means(1000, 100)});
  const perf::Catalogue catalogue = perf::Catalogue::shipped();
  return plan_serving(
      inventory, catalogue, in_bf16(catalogue, "Llama-3.1-8B"),
      {.shapes = {.measured = std::move(measured)}, .across_machines = true, .num_alternatives = 0},
      "test.toml");
}

const Shape& pipeline_of(const ServingPlan& plan, size_t stages) {
  for (const Shape& shape : plan.all_shapes.shapes) {
    if (shape.crosses_machines() && shape.stage_kinds.size() == stages) return shape;
  }
  throw std::runtime_error("no pipeline");
}

const std::vector<Machine> kTwoCards{{"a", "A100 SXM 80", 1, 0}, {"b", "A100 SXM 80", 1, 0}};

// 128 sequences circulate as two micro-batches of 64. The whole model takes 20 + 64 * 0.2 + 64 *
// 1050 * 0.0005 = 66.4 ms for one; half of the layers half of it, and the second stage the head
// besides. A token comes every two periods: a little more than 66.4 ms.
TEST(MeasuredPipeline, AStageTakesItsShareOfTheWholeModelsTime) {
  const ServingPlan plan = plan_of(kTwoCards, {engine("A100 SXM 80", {})});
  const Shape& shape = pipeline_of(plan, 2);
  ASSERT_EQ(shape.measured_stages.size(), 2u);
  EXPECT_EQ(shape.classes[0].closed_form.batch, 128);
  EXPECT_GT(shape.classes[0].closed_form.decode_s, 0.0664);
  EXPECT_LT(shape.classes[0].closed_form.decode_s, 0.0664 * 1.1);
  EXPECT_EQ(evidence_of(shape, plan.instances[0]), "measured stages");
}

TEST(MeasuredPipeline, ThePipelinesOwnMeasurementsAreTakenAsTheyAre) {
  const ServingPlan plan = plan_of(kTwoCards, {engine("A100 SXM 80", {.pp = 2})});
  const Shape& shape = pipeline_of(plan, 2);
  EXPECT_TRUE(shape.measured_stages.empty());
  EXPECT_EQ(shape.classes[0].closed_form.batch, 64);
  EXPECT_NEAR(shape.classes[0].closed_form.decode_s, 0.0664, 1e-6);
}

// Two devices in one machine can be what TP1xPP2 was measured on: the slower network was not in it.
TEST(MeasuredPipeline, OneWithinAMachineIsNotOneAcross) {
  const std::vector<Machine> machines{{"a", "A100 SXM 80", 2, 0}, {"b", "A100 SXM 80", 2, 0}};
  EXPECT_EQ(pipeline_of(plan_of(machines, {engine("A100 SXM 80", {.pp = 2})}), 2).measured,
            nullptr);
}

TEST(MeasuredPipeline, EveryStageIsMeasuredOrNone) {
  const std::vector<Machine> unlike{{"a", "A100 SXM 80", 1, 0}, {"b", "L40S", 1, 0}};
  EXPECT_TRUE(pipeline_of(plan_of(unlike, {engine("A100 SXM 80", {})}), 2).measured_stages.empty());
  EXPECT_EQ(pipeline_of(plan_of(unlike, {engine("A100 SXM 80", {}), engine("L40S", {})}), 2)
                .measured_stages.size(),
            2u);
}

TEST(MeasuredPipeline, OneThatCannotBeUsedSaysWhatToMeasure) {
  EXPECT_THAT([] { plan_of(kTwoCards, {engine("A100 SXM 80", {.pp = 3})}); },
              testing::ThrowsMessage<Error>(
                  HasSubstr("got Llama-3.1-8B bf16 TP1xPP3 on A100 SXM 80 (for a pipeline across "
                            "machines measure the pipeline itself")));
}

}  // namespace
}  // namespace trex::plan
