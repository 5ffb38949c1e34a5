#include "plan/check.h"

#include <gmock/gmock.h>

namespace trex::plan {
namespace {

// Section 8.5: eight L4 serve 15.0 requests/s as 4xTP2, 11.3 as TP4, 6.8 as TP8 and 4.7 as TP1.
ServingPlan worked_plan() {
  Inventory inventory;
  inventory.machines = {{"a", "L4", 8, 0}};
  RequestClass request_class{.name = "all", .model = "Llama-3.1-8B"};
  request_class.lengths = perf::WorkloadMoments::of_means(1155, 211);
  inventory.classes.push_back(request_class);
  const perf::Catalogue catalogue = perf::Catalogue::shipped();
  const std::vector<ModelChoice> models{{"Llama-3.1-8B", catalogue.model("Llama-3.1-8B", "test"), {perf::find_quantisation("bf16", "test")}}};
  return plan_serving(inventory, catalogue, models, {.shapes = {.pipelines = false}}, "test");
}

const CheckedPlan& find(const std::vector<CheckedPlan>& checked, const std::string& part) {
  for (const CheckedPlan& c : checked) {
    if (c.text.find(part) != std::string::npos) return c;
  }
  ADD_FAILURE() << "no " << part;
  return checked[0];
}

const CheckOptions kQuick{.num_plans = 8, .seeds = 2, .requests = 400};

// 12.75 requests/s, 85 % of the plan's 15.0, are more than TP8 can: its queue grows for the whole run.
TEST(Check, ThePlanKeepsUpAndAnOverloadedOneDoesNot) {
  NoProgress progress;
  const auto checked = check_by_simulation(worked_plan(), kQuick, progress);
  ASSERT_EQ(checked.size(), 4u);
  const CheckedPlan& chosen = find(checked, "this plan");
  const CheckedPlan& overloaded = find(checked, "TP8");
  EXPECT_NEAR(chosen.scale, 0.85 * 15.0, 0.3);
  // Completed requests/s over the whole run, with the last answers' time in it.
  EXPECT_GT(chosen.requests_per_s.mean, 0.6 * chosen.scale);
  EXPECT_LT(overloaded.requests_per_s.mean, 0.75 * chosen.requests_per_s.mean);
  EXPECT_GT(overloaded.first_token_s.mean, 2 * chosen.first_token_s.mean);
  EXPECT_LT(overloaded.goodput.mean, chosen.goodput.mean);
  EXPECT_EQ(checked[0].text, "this plan");
}

TEST(Check, SameSeedsSameNumbers) {
  NoProgress progress;
  const ServingPlan plan = worked_plan();
  EXPECT_EQ(check_table(check_by_simulation(plan, kQuick, progress), Objective::Throughput), check_table(check_by_simulation(plan, kQuick, progress), Objective::Throughput));
}

}  // namespace
}  // namespace trex::plan
