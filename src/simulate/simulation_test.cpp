#include "simulate/simulation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "simulate/cluster_file.h"
#include "simulate/summary.h"

namespace trex::simulate {
namespace {

InstanceSettings slots(double token_ms, int64_t count) {
  InstanceSettings settings;
  settings.engine = "slots";
  settings.token_ms = token_ms;
  settings.max_sequences = count;
  return settings;
}

std::vector<SimulatedInstance> cluster(const std::vector<InstanceSettings>& all) {
  const auto catalogue = perf::Catalogue::shipped();
  std::vector<SimulatedInstance> instances;
  for (const InstanceSettings& settings : all) {
    instances.push_back(
        make_instance(settings, catalogue, "i" + std::to_string(instances.size()), "test"));
  }
  return instances;
}

Trace conversation() {
  return load_trace(Path(TREX_SOURCE_DIR) / "data/traces/azure_llm_2023_conv.csv.zst");
}

struct Outcomes {
  Summary summary;
  SimulationResult result;
};
Outcomes run(std::vector<SimulatedInstance> instances, const Workload& workload,
             const std::string& policy, std::vector<Fault> faults = {}) {
  auto scheduler = SimulateSettings::patient_scheduler();
  fit_to_workload(instances, scheduler, perf::WorkloadMoments::of(workload.lengths()));
  scheduler.policy = policy;
  Outcomes outcomes;
  outcomes.result = simulate({.workload = workload,
                              .instances = instances,
                              .scheduler = scheduler,
                              .faults = std::move(faults)});
  outcomes.summary = summarize(workload, outcomes.result, {});
  return outcomes;
}

Workload poisson(double rate, int64_t requests, uint64_t seed = 1) {
  return plan_workload(conversation(),
                       {.arrivals = "poisson", .requests = requests, .rate = rate, .seed = seed});
}

std::string bytes_of(const Workload& workload, const SimulationResult& result) {
  std::string text;
  for (size_t i = 0; i < result.records.size(); ++i)
    text += record_line(workload, result, i) + "\n";
  return text;
}

TEST(Simulation, TheSameSeedGivesTheSameBytes) {
  const auto instances = cluster({slots(10, 32), slots(20, 16)});
  const auto once = run(instances, poisson(15, 1500), "cap");
  const auto again = run(instances, poisson(15, 1500), "cap");
  EXPECT_EQ(bytes_of(poisson(15, 1500), once.result), bytes_of(poisson(15, 1500), again.result));
  const auto other = run(instances, poisson(15, 1500, 2), "cap");
  EXPECT_NE(once.summary.latency_s.mean, other.summary.latency_s.mean);
}

// Two single servers four times apart at 80 % of their sum: counting what each can do beats
// counting requests, which beats counting nothing (round robin gives the slow one more than it can
// do).
TEST(Simulation, OrderingsThatTheoryGives) {
  const auto instances = cluster({slots(10, 1), slots(40, 1)});
  const auto workload = poisson(0.8 * (1 / 2.11 + 1 / 8.44), 4000);
  const double by_delay = run(instances, workload, "sed").summary.latency_s.mean;
  const double by_count = run(instances, workload, "least_requests").summary.latency_s.mean;
  const double by_turn = run(instances, workload, "round_robin").summary.latency_s.mean;
  EXPECT_LT(by_delay, by_count);
  EXPECT_LT(by_count, 0.5 * by_turn);
}

// Nothing that had no token yet is lost; what was being answered fails, and is counted so.
TEST(Simulation, ACrashLosesOnlyAnswersThatHadBegun) {
  const auto instances = cluster({slots(10, 16), slots(10, 16)});
  const auto workload = poisson(10, 2000);
  const auto [summary, result] =
      run(instances, workload, "cap",
          {{.kind = Fault::Kind::Crash, .instance = 1, .at_s = 60, .for_s = 20}});
  EXPECT_EQ(summary.completed + summary.failed, summary.requests);
  EXPECT_GT(summary.failed, 0);
  EXPECT_LE(summary.failed, 16);
  int64_t sent_again = 0;
  for (const Record& record : result.records) {
    if (record.outcome == Outcome::Failed) {
      EXPECT_LT(record.first_token, nanoseconds(60) + 1);
    }
    sent_again += record.retries;
  }
  EXPECT_GT(sent_again, 0);
}

TEST(Simulation, ASlowInstanceIsFoundOut) {
  const auto instances = cluster({slots(10, 16), slots(10, 16)});
  const auto result =
      run(instances, poisson(10, 3000), "cap",
          {{.kind = Fault::Kind::Slowdown, .instance = 1, .at_s = 0, .for_s = 1e6, .factor = 2}})
          .result;
  EXPECT_NEAR(result.instances[1].sigma, 2, 0.2);
  EXPECT_NEAR(result.instances[0].sigma, 1, 0.1);
  EXPECT_GT(result.instances[0].dispatched, result.instances[1].dispatched);
}

// The scheduler hears everything 5 s late for a while; users do not. Little's law is checked
// inside.
TEST(Simulation, AStaleSchedulerServesEverybodyButWorse) {
  const auto instances = cluster({slots(10, 16), slots(20, 16)});
  const auto workload = poisson(8, 2000);
  const auto fresh = run(instances, workload, "cap").summary;
  const auto stale =
      run(instances, workload, "cap",
          {{.kind = Fault::Kind::Staleness, .instance = 0, .at_s = 10, .for_s = 200, .factor = 5}})
          .summary;
  EXPECT_EQ(stale.completed, stale.requests);
  EXPECT_GT(stale.latency_s.mean, 1.02 * fresh.latency_s.mean);
}

// Cut off for 20 s: what it says meanwhile comes at the end of them, and nothing is lost.
TEST(Simulation, APartitionDelaysWhatIsSaid) {
  const auto instances = cluster({slots(10, 16), slots(10, 16)});
  const auto [summary, result] =
      run(instances, poisson(5, 1000), "cap",
          {{.kind = Fault::Kind::Partition, .instance = 1, .at_s = 50, .for_s = 20}});
  EXPECT_EQ(summary.completed, summary.requests);
  int64_t at_its_end = 0;
  for (const Record& record : result.records) {
    if (record.instance != 1) continue;
    EXPECT_FALSE(record.ended > nanoseconds(50) && record.ended < nanoseconds(70));
    at_its_end += record.ended == nanoseconds(70) ? 1 : 0;
  }
  EXPECT_GT(at_its_end, 3);
}

// 2,000 s of a slow run under a time series that was to have 100 points.
TEST(Simulation, TheTimeSeriesStaysSmall) {
  auto instances = cluster({slots(1000, 1)});
  schedule::SchedulerSettings scheduler = SimulateSettings::patient_scheduler();
  const Workload workload = plan_workload(conversation(), {.arrivals = "offline", .requests = 20});
  fit_to_workload(instances, scheduler, perf::WorkloadMoments::of(workload.lengths()));
  const auto result = simulate({.workload = workload,
                                .instances = instances,
                                .scheduler = scheduler,
                                .faults = {},
                                .sample_every_s = 0.01,
                                .most_samples = 100,
                                .on_progress = {}});
  ASSERT_GT(result.samples.size(), 49u);
  EXPECT_LE(result.samples.size(), 100u);
  for (size_t i = 2; i < result.samples.size(); ++i) {
    ASSERT_NEAR(result.samples[i].at_s, static_cast<double>(i) * result.samples[1].at_s, 1e-6);
    EXPECT_EQ(result.samples[i].instances.size(), 1u);
  }
  EXPECT_GT(result.samples.back().at_s, 0.5 * seconds(result.makespan));
}

// 4 s a token of network and time would never end; the longest run is three years.
TEST(Simulation, ARunThatNeverEndsIsRefused) {
  Workload workload = plan_workload(conversation(), {.arrivals = "offline", .requests = 2});
  workload.requests[1].at = nanoseconds(2 * kLongest_s);
  EXPECT_THROW(run(cluster({slots(10, 4)}), workload, "cap"), Error);
}

// A prompt of 1,000 in slots of 1,500 tokens: 500 tokens of the answer come.
TEST(Simulation, AnAnswerEndsAtTheLongestContext) {
  InstanceSettings settings = slots(10, 4);
  settings.max_context = 1500;
  Workload workload = plan_workload(conversation(), {.arrivals = "offline", .requests = 2});
  workload.requests[0].lengths = {1000, 800};
  workload.requests[1].lengths = {1000, 500};
  const auto [summary, result] = run(cluster({settings}), workload, "cap");
  EXPECT_EQ(result.records[0].output_tokens, 500);
  EXPECT_EQ(result.records[1].output_tokens, 500);
  EXPECT_EQ(summary.cut, 1);
  EXPECT_EQ(result.instances[0].totals.output_tokens, 1000);
}

// llama.cpp on an L40S, whose cache holds 179,078 tokens of Llama-3.1-8B: 21 slots of 8192 tokens,
// or 32 slots of 179,078/32 = 5,596.
TEST(Cluster, SlotsShareTheCache) {
  InstanceSettings settings;
  settings.engine = "llama.cpp";
  settings.model = "Llama-3.1-8B";
  settings.device = "L40S";
  EXPECT_EQ(cluster({settings})[0].iterations.model.max_sequences, 21);
  EXPECT_EQ(cluster({settings})[0].iterations.model.max_context, 8192);
  settings.max_sequences = 32;
  EXPECT_EQ(cluster({settings})[0].iterations.model.max_context, 5596);
  settings.max_context = 6000;
  EXPECT_THROW(cluster({settings}), Error);
}

// One slot at 10,000 prompt tokens/s and 10 ms a token; requests of 1000 + 10 tokens: the first
// token after 110 ms, the end after 200.
InstanceSettings one_slot() { return slots(10, 1); }
Workload at_times(const std::vector<double>& times) {
  Workload workload;
  for (const double at_s : times) {
    PlannedRequest request;
    request.at = nanoseconds(at_s);
    request.lengths = {1000, 10};
    workload.requests.push_back(request);
  }
  return workload;
}

// The second waits 200 ms for the slot, in the central queue: TTFT 110 and 310 ms.
TEST(Simulation, TheFirstTokenIsWaitedForFromTheArrival) {
  EXPECT_NEAR(run(cluster({one_slot()}), at_times({0, 0}), "pull").summary.ttft_s.mean, 0.21, 1e-6);
}

TEST(Simulation, TheNetworkIsPassedTwice) {
  InstanceSettings far = one_slot();
  far.network_ms = 50;
  const auto summary = run(cluster({far}), at_times({0}), "cap").summary;
  EXPECT_NEAR(summary.ttft_s.mean, 0.21, 1e-6);
  EXPECT_NEAR(summary.latency_s.mean, 0.3, 1e-6);
}

TEST(Simulation, ASlowdownEnds) {
  const auto result =
      run(cluster({one_slot()}), at_times({5, 20}), "cap",
          {{.kind = Fault::Kind::Slowdown, .instance = 0, .at_s = 0, .for_s = 10, .factor = 4}})
          .result;
  EXPECT_NEAR(seconds(result.records[0].ended), 5.8, 1e-6);
  EXPECT_NEAR(seconds(result.records[1].ended), 20.2, 1e-6);
}

// Down at 5 s, restarted at 15, warm at 35.
TEST(Simulation, ARestartWarmsUp) {
  const auto result =
      run(cluster({one_slot()}), at_times({8}), "cap",
          {{.kind = Fault::Kind::Crash, .instance = 0, .at_s = 5, .for_s = 10, .warm_up_s = 20}})
          .result;
  EXPECT_NEAR(seconds(result.records[0].ended), 35.2, 1e-6);
}

// Clients that think 1 s and are served in 2.11 s on the mean: as many in the system as Little
// says.
TEST(Simulation, ClosedLoopsKeepTheirNumberOfClients) {
  const auto workload = plan_workload(
      conversation(), {.arrivals = "closed", .requests = 3000, .clients = 12, .think_s = 1});
  const auto [summary, result] = run(cluster({slots(10, 16)}), workload, "cap");
  EXPECT_NEAR(summary.steady_requests_per_s * (summary.latency_s.mean + 1), 12, 0.5);
}

// The closed form E1 within 10 % of an offline batch in its steady window, wherever B >= 32: chats
// (B = 256 and 131), prompts so long that their spread decides (32), and short answers to long
// prompts, which never fill the batch.
TEST(Simulation, ClosedFormsAgree) {
  struct Case {
    const char *trace, *device;
  };
  for (const Case& one :
       {Case{"azure-conv-2023", "H100 SXM"}, Case{"azure-conv-2023", "L40S"},
        Case{"mooncake-conversation", "H100 SXM"}, Case{"azure-code-2023", "H100 SXM"},
        Case{"arxiv-sum", "L40S"}, Case{"sharegpt", "H100 SXM"}}) {
    InstanceSettings settings;
    settings.model = "Llama-3.1-8B";
    settings.device = one.device;
    settings.prefix_cache = false;
    const auto instances = cluster({settings});
    const Trace trace = load_trace(find_trace(one.trace, "test"));
    const auto workload = plan_workload(trace, {.arrivals = "offline", .requests = 4000});
    const auto moments = perf::WorkloadMoments::of(workload.lengths());
    const double expected =
        sustained_rate(instances[0].iterations.model, moments) * moments.mean_output;
    const double measured = run(instances, workload, "round_robin").summary.steady_tokens_per_s;
    EXPECT_NEAR(measured / expected, 1, 0.10) << one.trace << " on " << one.device;
  }
}

TEST(Summary, IntervalsAreStudents) {
  const std::vector<double> values{1, 2, 3, 4, 5};
  // Mean 3, standard deviation sqrt(2.5), t(4) = 2.776: 2.776 * sqrt(2.5/5) = 1.963.
  EXPECT_EQ(estimate_of(values).mean, 3);
  EXPECT_NEAR(estimate_of(values).half_width, 1.963, 1e-3);
}

}  // namespace
}  // namespace trex::simulate
