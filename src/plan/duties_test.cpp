#include "plan/duties.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "plan/plan_json.h"
#include "plan/test_support.h"

namespace trex::plan {
namespace {

using testing::HasSubstr;

Inventory two_machines() {
  Inventory inventory;
  inventory.machines = {{"a", "A100 SXM 80", 8, 0}, {"b", "A100 SXM 80", 8, 0}};
  RequestClass request_class{.name = "all", .model = "Llama-3.1-70B"};
  request_class.lengths = perf::WorkloadMoments::of_means(1155, 211);
  inventory.classes.push_back(request_class);
  return inventory;
}

ServingPlan fresh_plan() {
  const perf::Catalogue catalogue = perf::Catalogue::shipped();
  return plan_serving(two_machines(), catalogue, in_bf16(catalogue, "Llama-3.1-70B"),
                      {.shapes = {.pipelines = false}, .num_alternatives = 0}, "test");
}

// One TP8 instance on a machine, as a plan file says it.
Json tp8(const std::string& machine) {
  return {{"machines", {machine}},
          {"devices", {0, 1, 2, 3, 4, 5, 6, 7}},
          {"model", "Llama-3.1-70B"},
          {"quantisation", "bf16"},
          {"layout", {{"tp", 8}, {"pp", 1}, {"dp", 1}, {"ep", 1}}}};
}

std::string message_of(const Json& current) {
  try {
    diff_duties(fresh_plan(), current, "now.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

// Section 8.5: 2xTP4 serve 8.73 requests/s a machine, 1xTP8 7.37. Both machines: +18.5 %; one alone
// half of that, which is below the hysteresis.
TEST(Duties, TheWorkedTablesMachineShouldSwitchFromTp8ToTp4) {
  const Json current{{"format", "trex.serving_plan"}, {"instances", {tp8("a"), tp8("b")}}};
  const DutyDiff diff = diff_duties(fresh_plan(), current, "now.json");
  EXPECT_NEAR(diff.planned_scale / diff.current_scale, 8.73 / 7.37, 0.02);
  ASSERT_EQ(diff.changes.size(), 2u);
  EXPECT_EQ(diff.changes[0].from, "1x Llama-3.1-70B bf16 TP8");
  EXPECT_EQ(diff.changes[0].to, "2x Llama-3.1-70B bf16 TP4");
  EXPECT_NEAR(diff.changes[0].gain, (8.73 / 7.37 - 1) / 2, 0.01);
  EXPECT_THAT(duties_table(diff), HasSubstr("leave it"));
}

TEST(Duties, ThePlanItselfNeedsNoChange) {
  const ServingPlan plan = fresh_plan();
  const DutyDiff diff = diff_duties(plan, to_json(plan), "now.json");
  EXPECT_TRUE(diff.changes.empty());
  EXPECT_NEAR(diff.current_scale, diff.planned_scale, 1e-6 * diff.planned_scale);
}

TEST(Duties, AnIdleMachineIsStarted) {
  const Json current{{"format", "trex.serving_plan"}, {"instances", {tp8("a")}}};
  const DutyDiff diff = diff_duties(fresh_plan(), current, "now.json");
  ASSERT_EQ(diff.changes.size(), 2u);
  EXPECT_EQ(diff.changes[0].machine, "b");
  EXPECT_EQ(diff.changes[0].from, "nothing");
  EXPECT_NEAR(diff.changes[0].gain, 8.73 / 7.37, 0.02);
}

TEST(Duties, WhatTheInventoryDoesNotHaveIsNamed) {
  EXPECT_THAT(message_of({{"format", "trex.devices"}, {"instances", Json::array()}}),
              HasSubstr("now.json: format: expected \"trex.serving_plan\""));
  EXPECT_THAT(message_of({{"format", "trex.serving_plan"}, {"instances", {tp8("c")}}}),
              HasSubstr("machines of the inventory; got \"c\""));
  EXPECT_THAT(message_of({{"format", "trex.serving_plan"}, {"instances", {tp8("a"), tp8("a")}}}),
              HasSubstr("device 0 of a twice"));
  Json other = tp8("a");
  other["quantisation"] = "fp8";
  EXPECT_THAT(message_of({{"format", "trex.serving_plan"}, {"instances", {other}}}),
              HasSubstr("Llama-3.1-70B fp8 TP8 on"));
}

}  // namespace
}  // namespace trex::plan
