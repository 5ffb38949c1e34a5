#include "plan/duty_window.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "plan/plan_json.h"
#include "plan/test_support.h"

namespace trex::plan {
namespace {

using testing::HasSubstr;

// Two machines of the worked table (section 8.5): 2xTP4 serve 8.73 requests/s of Azure conversation
// lengths a machine, 1xTP8 7.37; at 85 % utilisation both machines carry 14.84 or 12.53 together.
Inventory two_machines() {
  Inventory inventory;
  inventory.machines = {{"a", "A100 SXM 80", 8, 0}, {"b", "A100 SXM 80", 8, 0}};
  inventory.classes.push_back({.name = "all", .model = "Llama-3.1-70B"});
  return inventory;
}

// As many requests of the mean lengths in each minute as `rates` says, a second.
simulate::Trace trace_of(const std::vector<double>& rates) {
  simulate::Trace trace{.name = "observed", .has_arrivals = true};
  for (size_t minute = 0; minute < rates.size(); ++minute) {
    const auto count = static_cast<int64_t>(60 * rates[minute]);
    for (int64_t i = 1; i <= count; ++i) {
      trace.requests.push_back(
          {.arrival_s = 60 * static_cast<double>(minute) +
                        60 * static_cast<double>(i) / static_cast<double>(count),
           .lengths = {1155, 211}});
    }
  }
  return trace;
}

Json running(int64_t tp) {
  Json instances = Json::array();
  for (const char* machine : {"a", "b"}) {
    for (int64_t first = 0; first < 8; first += tp) {
      Json devices = Json::array();
      for (int64_t d = first; d < first + tp; ++d) devices.push_back(d);
      instances.push_back({{"machines", {machine}},
                           {"devices", devices},
                           {"model", "Llama-3.1-70B"},
                           {"quantisation", "bf16"},
                           {"layout", {{"tp", tp}, {"pp", 1}, {"dp", 1}, {"ep", 1}}}});
    }
  }
  return {{"format", "trex.serving_plan"}, {"instances", instances}};
}

DutyWindow window(const std::vector<double>& rates, int64_t tp) {
  const perf::Catalogue catalogue = perf::Catalogue::shipped();
  const simulate::Trace trace = trace_of(rates);
  Inventory inventory = two_machines();
  inventory.classes = observed_classes(inventory.classes, trace, "observed.csv");
  const ServingPlan plan =
      plan_serving(inventory, catalogue, in_bf16(catalogue, "Llama-3.1-70B"),
                   {.shapes = {.pipelines = false}, .num_alternatives = 0}, "test");
  return window_of(plan, diff_duties(plan, running(tp), "now.json"), trace);
}

TEST(DutyWindow, FiveMinutesOfTooManyRequestsAdviseMoreInstances) {
  const DutyWindow busy = window({3, 16, 16, 16, 16, 16}, 4);
  EXPECT_EQ(busy.minutes.size(), 5u);
  for (const ObservedMinute& minute : busy.minutes) EXPECT_NEAR(minute.load, 16 / 14.84, 0.03);
  EXPECT_TRUE(busy.advice.scale_out);
  EXPECT_FALSE(busy.advice.scale_in);
  EXPECT_FALSE(busy.advice.change);  // the plan is what runs
  EXPECT_EQ(busy.requests, 5 * 60 * 16);
}

TEST(DutyWindow, OneMinuteThatDisagreesIsEnoughToLeaveItAsItIs) {
  const DutyWindow mixed = window({16, 16, 13, 16, 16}, 4);
  EXPECT_FALSE(mixed.advice.scale_out);
  EXPECT_THAT(window_table(mixed), HasSubstr("leave it as it is"));
  const DutyWindow idle = window({6, 6, 6, 14, 6}, 4);
  EXPECT_FALSE(idle.advice.scale_in);
  EXPECT_TRUE(idle.advice.can_stop.empty());
}

// At 6 requests/s one machine is enough: 6/7.42 = 81 % of it. At 7 it would be 94 %, too near to
// starting it again.
TEST(DutyWindow, AMachineStopsOnlyWhenTheRestKeepsRoom) {
  const DutyWindow quiet = window({6, 6, 6, 6, 6}, 4);
  EXPECT_TRUE(quiet.advice.scale_in);
  EXPECT_EQ(quiet.advice.can_stop.size(), 1u);
  const DutyWindow less_quiet = window({7, 7, 7, 7, 7}, 4);
  EXPECT_TRUE(less_quiet.advice.scale_in);
  EXPECT_TRUE(less_quiet.advice.can_stop.empty());
}

TEST(DutyWindow, AChangeIsAdvisedWhenItPaysInEveryMinute) {
  const DutyWindow other = window({11, 11, 12, 11, 11}, 8);
  for (const ObservedMinute& minute : other.minutes)
    EXPECT_NEAR(minute.gain, 8.73 / 7.37 - 1, 0.02);
  EXPECT_TRUE(other.advice.change);
  EXPECT_FALSE(other.advice.scale_out);
  EXPECT_THAT(window_table(other), HasSubstr("change to the plan"));
}

TEST(DutyWindow, FourMinutesGiveNoAdvice) {
  const DutyWindow early = window({20, 20, 20, 20}, 8);
  EXPECT_EQ(early.minutes.size(), 4u);
  EXPECT_FALSE(early.advice.scale_out);
  EXPECT_FALSE(early.advice.change);
  EXPECT_THAT(window_table(early), HasSubstr("wait until 5 whole minutes were observed"));
}

TEST(DutyWindow, RatesAndLengthsAreThoseOfTheLastFiveMinutes) {
  const simulate::Trace trace = trace_of({9, 9, 3, 3, 3, 3, 3});
  const auto classes = observed_classes({{.name = "all", .model = "m", .requests_per_s = 50}},
                                        trace, "observed.csv");
  EXPECT_NEAR(classes[0].requests_per_s, 3, 1e-9);
  EXPECT_NEAR(classes[0].lengths.mean_input, 1155, 1e-9);
}

TEST(DutyWindow, ClassesAreToldApartByNameAndNobodyAskingIsNotNoRate) {
  simulate::Trace trace = trace_of({2, 2, 2, 2, 2});
  for (auto& request : trace.requests) request.request_class = "chat";
  const auto classes =
      observed_classes({{.name = "chat"}, {.name = "bulk"}}, trace, "observed.csv");
  EXPECT_NEAR(classes[0].requests_per_s, 2, 1e-9);
  EXPECT_NEAR(classes[1].requests_per_s, 0.5 / 300, 1e-12);
  trace.requests[3].request_class = "chta";
  EXPECT_THAT(
      [&] {
        observed_classes({{.name = "chat"}, {.name = "bulk"}}, trace, "observed.csv");
      },
      testing::ThrowsMessage<Error>(HasSubstr("observed.csv: class: expected one of chat, bulk; "
                                              "got \"chta\" (did you mean \"chat\"?)")));
  trace.has_arrivals = false;
  EXPECT_THAT([&] { observed_classes({{.name = "chat"}}, trace, "observed.csv"); },
              testing::ThrowsMessage<Error>(
                  HasSubstr("expected a trace with arrival times; got lengths only")));
}

}  // namespace
}  // namespace trex::plan
