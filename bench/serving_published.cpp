// The online numbers that section 9.4 of heterogeneous serving prints, beside ours. A number that
// differs by more than 15 % gets its cause measured: the run is made again longer and shorter where
// the cluster does not keep up; where it does, at a little more or less load, with the slots that
// give the printed rates of single instances, and with requests held until a slot is free.
#include <fmt/format.h>

#include <algorithm>

#include "bench/serving_support.h"

namespace trex::bench {

const std::vector<Cluster>& clusters_of_table94() {
  static const std::vector<Cluster> kClusters{
      {"A", {"H200 SXM", "L40S"}},
      {"B", {"H100 SXM", "A100 SXM 80", "A100 SXM 80", "L40S"}},
      {"C", {"H200 SXM", "A100 SXM 80", "L40S", "L4"}}};
  return kClusters;
}

namespace {

constexpr const char* kConversation = "azure-conv-2023";

struct Again {
  const Cluster& cluster;
  std::string trace, policy;
  double rho;
  double more_load = 1;
  int64_t requests = kRequests;
  int64_t slots = 0;  // 0: as the instances have
  bool holds = false;
};

Ran run_again(const Again& a, uint64_t seed) {
  Instances instances = cluster_of(a.cluster.devices);
  for (simulate::SimulatedInstance& instance : instances) {
    for (perf::InstanceModel* model : {&instance.iterations.model, &instance.believed.model}) {
      if (a.slots > 0) model->max_sequences = a.slots;
    }
  }
  const double rate = a.rho * a.more_load * capacity(instances, shipped(a.trace).lengths());
  return run({.instances = instances,
              .workload = drawn(
                  a.trace, {.arrivals = "poisson", .requests = a.requests, .rate = rate}, seed),
              .policy = a.policy,
              .seed = seed,
              .faults = {},
              .change = [&](schedule::SchedulerSettings& settings) {
                if (!a.holds) return;
                settings.late_binding = true;
                settings.depth_slack = 0;
              }});
}

double number_again(const Again& a, const std::string& number) {
  double sum = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    for (const auto& [name, value] : online_numbers(run_again(a, seed)))
      sum += name == number ? value : 0;
  }
  return sum / kSeeds;
}

// Why a number differs, and whether that is enough of a reason.
struct Cause {
  std::string text;
  bool is_enough = false;
};

// An instance that gets more than it sustains lets the number grow with the run's length.
Cause by_length(Again a, const std::string& number) {
  a.requests = kRequests / 2;
  const double half = number_again(a, number);
  a.requests = 2 * kRequests;
  const double twice = number_again(a, number);
  return {fmt::format("an instance gets more than it sustains, so this grows with the run: {:.4g} "
                      "for {} requests, {:.4g} for {}",
                      half, kRequests / 2, twice, 2 * kRequests),
          twice > 1.5 * half};
}

// Estimates of what rho 1 is differ by a few per cent: is the printed number reached within ten?
Cause by_load(Again a, const std::string& number, double measured, double printed) {
  const double sign = measured < printed ? 1 : -1;
  a.more_load = 1 + 0.05 * sign;
  const double little = number_again(a, number);
  a.more_load = 1 + 0.1 * sign;
  const double more = number_again(a, number);
  return {fmt::format("{:.4g} with 5 % {} load, {:.4g} with 10 %", little,
                      sign > 0 ? "more" : "less", more),
          sign * more >= sign * (1 - 0.15 * sign) * printed};
}

bool is_near(double measured, double low, double high) {
  return measured >= 0.85 * low && measured <= 1.15 * high;
}

// So many slots give our instances the rates that the pre-study prints for single ones. 64,
// requests a second for conversations: H200 21.9 (printed 21.8), H100 19.4 (19.6), A100 8.2 (8.5),
// L40S 5.7 (5.7), L4 0.50 (0.56). 112, for ShareGPT: 65.7 (62.8), 55.2 (55.6), 27.3 (27.6), 15.4
// (19.2), 2.7 (2.4).
int64_t published_slots(const std::string& trace) { return trace == kConversation ? 64 : 112; }

Cause by_slots(Again a, const std::string& number, double low, double high) {
  a.slots = published_slots(a.trace);
  const double measured = number_again(a, number);
  Cause cause{fmt::format("{:.4g} with {} slots, which give the printed single-instance rates",
                          measured, a.slots),
              is_near(measured, low, high)};
  if (cause.is_enough) return cause;
  const Cause load = by_load(a, number, measured, measured < low ? low : high);
  return {cause.text + ", then " + load.text, load.is_enough};
}

// Every request waits in the central queue until its instance has a free slot.
Cause by_holding(Again a, const std::string& number, double low, double high) {
  a.holds = true;
  const double measured = number_again(a, number);
  return {fmt::format("{:.4g} when requests are held until a slot is free", measured),
          is_near(measured, low, high)};
}

// Causes one after the other until one is enough.
Cause cause_of(const Again& again, const std::string& number, double measured, double low,
               double high) {
  Cause cause = by_load(again, number, measured, measured < low ? low : high);
  if (!cause.is_enough) {
    const Cause slots = by_slots(again, number, low, high);
    cause = {cause.text + "; " + slots.text, slots.is_enough};
  }
  if (!cause.is_enough) {
    const Cause holding = by_holding(again, number, low, high);
    cause = {cause.text + "; " + holding.text, holding.is_enough};
  }
  return cause;
}

// A bound of what one long prompt takes alone on the slowest instance.
std::string by_prompt(const Again& a) {
  double slowest_s = 0;
  for (const auto& instance : cluster_of(a.cluster.devices)) {
    slowest_s = std::max(slowest_s, instance.iterations.model.time.prompt_s(4142));
  }
  return fmt::format(
      "reading 4,142 tokens, the 99th percentile of prompts, takes up to {:.2f} s of it",
      slowest_s);
}

// How long requests stay in the scheduler's own queue, 99th percentile.
std::string by_queue(const Again& a) {
  std::vector<double> waits;
  for (const auto& record : run_again(a, 1).result.records) {
    waits.push_back(simulate::seconds(record.dispatched - record.arrived));
  }
  return fmt::format("{:.3g} s of it in the central queue (p99)",
                     simulate::distribution_of(waits).p99);
}

struct Printed {
  const char *cluster, *policy, *number;
  double value;
};
const Printed kAtFourFifths[] = {{"B", "round_robin", "TTFT p99 s", 51.7},
                                 {"B", "wrr", "TTFT p99 s", 0.65},
                                 {"B", "least_requests", "TTFT p99 s", 0.67},
                                 {"B", "weighted_least_requests", "TTFT p99 s", 0.51},
                                 {"B", "sed", "TTFT p99 s", 0.44},
                                 {"B", "round_robin", "latency p99 s", 82},
                                 {"B", "wrr", "latency p99 s", 28},
                                 {"B", "least_requests", "latency p99 s", 31},
                                 {"B", "weighted_least_requests", "latency p99 s", 23},
                                 {"B", "sed", "latency p99 s", 22.7},
                                 {"B", "round_robin", "TPOT p99 ms", 138},
                                 {"B", "wrr", "TPOT p99 ms", 76},
                                 {"B", "least_requests", "TPOT p99 ms", 83},
                                 {"B", "weighted_least_requests", "TPOT p99 ms", 55},
                                 {"B", "sed", "TPOT p99 ms", 52},
                                 {"C", "round_robin", "TTFT p99 s", 1700},
                                 {"C", "p2c", "TTFT p99 s", 442},
                                 {"C", "least_requests", "TTFT p99 s", 113},
                                 {"C", "wrr", "TTFT p99 s", 0.65},
                                 {"C", "weighted_least_requests", "TTFT p99 s", 0.49},
                                 {"C", "p2c_weighted", "TTFT p99 s", 0.53},
                                 {"C", "sed", "TTFT p99 s", 0.42}};

const Cluster& cluster_named(const std::string& name) {
  const auto& all = clusters_of_table94();
  return *std::find_if(all.begin(), all.end(),
                       [&](const Cluster& cluster) { return cluster.name == name; });
}

void compare_one(Report& report, const Printed& row) {
  const std::string situation = fmt::format("{} {}, rho 0.8", row.cluster, kConversation);
  const double measured = report.mean(kOnlineExperiment, situation, row.policy, row.number);
  std::string text;
  bool holds = std::abs(measured / row.value - 1) <= 0.15;
  const auto add = [&](const Cause& cause) {
    text += "; " + cause.text;
    holds = holds || cause.is_enough;
  };
  if (!holds) {
    const Again again{.cluster = cluster_named(row.cluster),
                      .trace = kConversation,
                      .policy = row.policy,
                      .rho = 0.8};
    if (report.mean(kOnlineExperiment, situation, row.policy, "TTFT p99 s") > 5) {
      add(by_length(again, row.number));
    } else {
      add(cause_of(again, row.number, measured, row.value, row.value));
      if (row.number == std::string("TTFT p99 s")) text += "; " + by_prompt(again);
    }
  }
  report.expect("section 9.4, online",
                fmt::format("{} {} {}: {:.4g} within 15 %, or for a measured reason", situation,
                            row.policy, row.number, row.value),
                holds,
                fmt::format("{:.4g} ({}){}", measured, percent(measured / row.value - 1), text));
}

// "At rho = 0.95 pull has the best p99 TTFT (0.65-0.93 s against 1.1-1.6 for sed; ShareGPT 0.4-0.8
// against about 3)": ranges over clusters, so each cluster's number stands beside the range.
void compare_range(Report& report, const char* trace, const char* policy, double low, double high) {
  for (const Cluster& cluster : clusters_of_table94()) {
    const std::string situation = fmt::format("{} {}, rho 0.95", cluster.name, trace);
    const double measured = report.mean(kOnlineExperiment, situation, policy, "TTFT p99 s");
    bool holds = is_near(measured, low, high);
    std::string text;
    if (!holds) {
      const Again again{.cluster = cluster, .trace = trace, .policy = policy, .rho = 0.95};
      const Cause cause = cause_of(again, "TTFT p99 s", measured, low, high);
      holds = cause.is_enough;
      text = fmt::format("; {}; {}", cause.text, by_queue(again));
    }
    report.expect("section 9.4, online",
                  fmt::format("{} {} TTFT p99 s: {} to {} within 15 %, or for a measured reason",
                              situation, policy, low, high),
                  holds, fmt::format("{:.3g}{}", measured, text));
  }
}

}  // namespace

void compare_with_published(Report& report) {
  for (const Printed& row : kAtFourFifths) compare_one(report, row);
  compare_range(report, kConversation, "pull", 0.65, 0.93);
  compare_range(report, kConversation, "sed", 1.1, 1.6);
  compare_range(report, "sharegpt", "pull", 0.4, 0.8);
  compare_range(report, "sharegpt", "sed", 3, 3);
}

}  // namespace trex::bench
