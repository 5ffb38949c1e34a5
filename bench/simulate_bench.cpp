// Speed of the simulator: requests a minute on one core, with 16 and with 1,000 instances. Timed:
// simulate() alone, scheduler decisions included; not reading traces and planning arrivals. Before
// timing, two runs of one seed are compared byte by byte, and the closed sums with every iteration.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/clock.h"
#include "bench/serving_support.h"

namespace trex::bench {
namespace {

constexpr int kRepeats = 3;

Instances many(size_t count) {
  const char* const devices[] = {"H200 SXM", "H100 SXM", "A100 SXM 80", "L40S"};
  std::vector<std::string> names;
  for (size_t i = 0; i < 4; ++i) names.push_back(devices[i]);
  const Instances kinds = cluster_of(names);
  Instances instances;
  for (size_t i = 0; i < count; ++i) {
    instances.push_back(kinds[i % kinds.size()]);
    instances.back().believed.name = fmt::format("{}-{}", names[i % kinds.size()], i);
  }
  return instances;
}

std::string bytes_of(const simulate::Workload& workload, const simulate::SimulationResult& result) {
  std::string text;
  for (size_t i = 0; i < result.records.size(); ++i)
    text += simulate::record_line(workload, result, i);
  return text;
}

void check(const Instances& instances, const simulate::Workload& workload) {
  const auto first = run({.instances = instances, .workload = workload, .policy = "cap"});
  const auto again = run({.instances = instances, .workload = workload, .policy = "cap"});
  TREX_CHECK(bytes_of(workload, first.result) == bytes_of(workload, again.result),
             "same seed, other bytes");
  Instances exact = instances;
  for (auto& instance : exact) instance.iterations.exact = true;
  const auto slow = run({.instances = exact, .workload = workload, .policy = "round_robin"});
  const auto fast = run({.instances = instances, .workload = workload, .policy = "round_robin"});
  const double difference = std::abs(slow.summary.latency_s.mean / fast.summary.latency_s.mean - 1);
  TREX_CHECK(difference <= 1e-3, "closed sums differ from single iterations by {}", difference);
}

void measure(size_t count, int64_t requests, const char* policy) {
  const Instances instances = many(count);
  const double rate = 0.8 * capacity(instances, shipped("azure-conv-2023").lengths());
  const auto workload = simulate::plan_workload(
      shipped("azure-conv-2023"), {.arrivals = "poisson", .requests = requests, .rate = rate});
  const SystemClock clock;
  std::vector<double> seconds;
  int64_t events = 0;
  for (int i = 0; i < kRepeats; ++i) {
    const Stopwatch watch(clock);
    events = run({.instances = instances, .workload = workload, .policy = policy}).result.events;
    seconds.push_back(watch.seconds());
  }
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[kRepeats / 2];
  fmt::print("{}\n", to_line({{"bench", "simulate"},
                              {"instances", count},
                              {"policy", policy},
                              {"requests", requests},
                              {"seconds_median", median},
                              {"seconds_spread", seconds.back() - seconds.front()},
                              {"requests_per_minute", 60 * static_cast<double>(requests) / median},
                              {"events_per_request",
                               static_cast<double>(events) / static_cast<double>(requests)}}));
}

}  // namespace
}  // namespace trex::bench

int main() {
  using namespace trex::bench;
  const Instances few = many(16);
  const double rate = 0.8 * capacity(few, shipped("azure-conv-2023").lengths());
  check(few,
        trex::simulate::plan_workload(shipped("azure-conv-2023"),
                                      {.arrivals = "poisson", .requests = 5000, .rate = rate}));
  measure(16, 100'000, "cap");
  measure(16, 100'000, "round_robin");
  measure(1000, 100'000, "cap");
}
