#include "plan/roles.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "plan/duty_window.h"
#include "plan/test_support.h"

namespace trex::plan {
namespace {

using testing::HasSubstr;

// A measured engine: an iteration takes 20 ms, 0.2 ms a sequence, 0.5 us a token of context and 40
// us a prompt token; 64 sequences at once.
std::shared_ptr<const perf::MeasuredModel> engine() {
  perf::MeasuredModel measured{.deployment = {"Llama-3.1-8B", "A100 SXM 80", "bf16", {}}};
  measured.model.time.base_s = 0.020;
  measured.model.time.per_sequence_s = {0.2e-3, 0.2e-3, 0.2e-3, 0.2e-3};
  measured.model.time.per_context_token_s = 0.5e-6;
  measured.model.time.per_prompt_token_s = 40e-6;
  measured.model.max_sequences = 64;
  measured.model.chunk_tokens = 2048;
  measured.model.max_context = 8192;
  return std::make_shared<const perf::MeasuredModel>(measured);
}

ServingPlan plan_at(double requests_per_s, const std::vector<Machine>& machines,
                    Network network = {}) {
  Inventory inventory{.machines = machines, .network = network};
  inventory.classes.push_back({.name = "all",
                               .model = "Llama-3.1-8B",
                               .lengths = perf::WorkloadMoments::of_means(1000, 100),
                               .requests_per_s = requests_per_s});
  const perf::Catalogue catalogue = perf::Catalogue::shipped();
  return plan_serving(
      inventory, catalogue, in_bf16(catalogue, "Llama-3.1-8B"),
      {.shapes = {.pipelines = false, .measured = {engine()}}, .num_alternatives = 0}, "test");
}

Json instance(const std::string& machine, int64_t device, const char* role) {
  Json json{{"name", machine + "-" + std::to_string(device)},
            {"machines", {machine}},
            {"devices", {device}},
            {"model", "Llama-3.1-8B"},
            {"quantisation", "bf16"},
            {"layout", {{"tp", 1}, {"pp", 1}, {"dp", 1}, {"ep", 1}}}};
  if (*role != 0) json["role"] = role;
  return json;
}

Json running(const std::vector<const char*>& roles) {
  Json instances = Json::array();
  for (size_t i = 0; i < roles.size(); ++i)
    instances.push_back(instance("a", static_cast<int64_t>(i), roles[i]));
  return {{"format", "trex.serving_plan"}, {"instances", instances}};
}

const std::vector<Machine> kFourDevices{{"a", "A100 SXM 80", 4, 0}};

// By hand: a prompt of 1,000 tokens alone takes 20 + 1000 * 0.04 = 60 ms: 16.67 a second. 64
// sequences with contexts of 1000 + 100/2 take 20 + 64 * 0.2 + 64 * 1050 * 0.0005 = 66.4 ms an
// iteration: 64 / (100 * 0.0664) = 9.639 requests/s. At 85 %: 14.17 and 8.193 an instance. Three
// and one carry min(42.5, 8.193), two and two min(28.33, 16.39), twice as much. At 8 requests/s the
// decode instance is loaded to 97.6 %, then both to 48.8 %.
TEST(Roles, TheSideThatBindsGetsAnInstance) {
  const ServingPlan plan = plan_at(8, kFourDevices);
  const DutyDiff diff =
      diff_duties(plan, running({"prefill", "prefill", "prefill", "decode"}), "now.json");
  ASSERT_EQ(diff.phases.size(), 1u);
  EXPECT_NEAR(diff.phases[0].prefill, 8 / 42.5, 1e-3);
  EXPECT_NEAR(diff.phases[0].decode, 8 / 8.193, 1e-3);
  EXPECT_EQ(diff.phases[0].network, 0);  // on one machine
  EXPECT_NEAR(diff.current_scale, 8.193 / 8, 1e-3);
  ASSERT_TRUE(diff.role_advice.has_value());
  EXPECT_EQ(diff.role_advice->instance, "a-0");
  EXPECT_EQ(diff.role_advice->flip.to, Role::Decode);
  EXPECT_NEAR(diff.role_advice->flip.gain, 1, 1e-3);
  EXPECT_EQ(scale_hint(diff),
            "  turn instance a-0 from prefill to decode: the load of Llama-3.1-8B's decode "
            "instances falls from 98 % to 49 %, requests/s rise by 100 %\n");
}

// Two and two carry 16.39; one and three min(14.17, 24.58), less. Three and one in the other
// direction is worse still.
TEST(Roles, ABalancedPairStaysAsItIs) {
  const DutyDiff diff = diff_duties(
      plan_at(8, kFourDevices), running({"prefill", "prefill", "decode", "decode"}), "now.json");
  EXPECT_FALSE(diff.role_advice.has_value());
  EXPECT_NEAR(diff.current_scale, 16.39 / 8, 2e-3);
}

// The last instance of a side never leaves it.
TEST(Roles, OneOfEachStays) {
  EXPECT_FALSE(diff_duties(plan_at(8, kFourDevices), running({"prefill", "decode"}), "now.json")
                   .role_advice.has_value());
}

// An instance without a role serves whole requests: 1 / (0.04 + 100 * 0.0664 / 64) = 6.958 a
// second, 5.914 at 85 %.
TEST(Roles, InstancesWithoutARoleServeBesideThem) {
  const DutyDiff diff = diff_duties(plan_at(8, kFourDevices),
                                    running({"prefill", "prefill", "decode", ""}), "now.json");
  EXPECT_NEAR(diff.current_scale, (8.193 + 5.914) / 8, 2e-3);
}

// A prompt of 1,000 tokens leaves 131 MB of cache (32 layers, 8 heads of 128, keys and values, two
// bytes): a link of 1 GB/s carries 7.63 of them a second.
TEST(Roles, CachesOnTheirWayAreCounted) {
  const std::vector<Machine> two{{"a", "A100 SXM 80", 1, 0}, {"b", "A100 SXM 80", 1, 0}};
  Json current{{"format", "trex.serving_plan"},
               {"instances", {instance("a", 0, "prefill"), instance("b", 0, "decode")}}};
  const DutyDiff diff = diff_duties(plan_at(8, two, {.bytes_per_s = 1e9}), current, "now.json");
  const double carried = 1e9 / (1000 * 32 * 2 * 8 * 128 * 2);
  EXPECT_NEAR(diff.phases[0].network, 8 / carried, 1e-6);
  EXPECT_NEAR(diff.current_scale, carried / 8, 1e-6);
  EXPECT_THAT(duties_table(diff), HasSubstr("the network between them to 105 %"));
}

simulate::Trace minutes_of(const std::vector<perf::RequestLengths>& lengths) {
  simulate::Trace trace{.name = "observed", .has_arrivals = true};
  for (size_t minute = 0; minute < lengths.size(); ++minute) {
    for (int64_t i = 1; i <= 300; ++i)
      trace.requests.push_back(
          {.arrival_s = 60 * static_cast<double>(minute) + static_cast<double>(i) / 5,
           .lengths = lengths[minute]});
  }
  return trace;
}

DutyWindow window(const simulate::Trace& trace) {
  const ServingPlan plan = plan_at(5, kFourDevices);
  return window_of(
      plan, diff_duties(plan, running({"prefill", "prefill", "prefill", "decode"}), "now.json"),
      trace);
}

TEST(Roles, TheAdviceNeedsFiveMinutesThatAgree) {
  const DutyWindow same =
      window(minutes_of({{1000, 100}, {1000, 100}, {1000, 100}, {1000, 100}, {1000, 100}}));
  ASSERT_TRUE(same.advice.role.has_value());
  EXPECT_THAT(window_table(same), HasSubstr("advice: turn instance a-0 from prefill to decode"));
  // In one minute long prompts with short answers came: prefill bound, a flip would lose.
  const DutyWindow mixed =
      window(minutes_of({{1000, 100}, {1000, 100}, {8000, 5}, {1000, 100}, {1000, 100}}));
  EXPECT_FALSE(mixed.advice.role.has_value());
}

std::string message_of(const Json& current) {
  try {
    diff_duties(plan_at(8, kFourDevices), current, "now.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Roles, WhatCannotBeIsNamed) {
  EXPECT_THAT(message_of(running({"prefil", "decode"})),
              HasSubstr("instances[0].role: expected prefill or decode, or no role; got \"prefil\" "
                        "(did you mean \"prefill\"?)"));
  EXPECT_THAT(message_of(running({"prefill", "prefill"})),
              HasSubstr("now.json: instances: expected prefill and decode instances of "
                        "Llama-3.1-8B; got no decode instance"));
  EXPECT_THAT(message_of(running({"decode", ""})), HasSubstr("got no prefill instance"));
}

}  // namespace
}  // namespace trex::plan
