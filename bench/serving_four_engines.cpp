// Four unlike engines: what client-side rules reached over sockets, and what `cap` reaches
// (data/traces/four_engines). The rules are written down here, as the experiment defines them; they
// are not among the shipped policies.
#include <fmt/format.h>

#include <cmath>

#include "base/registry.h"
#include "bench/serving_support.h"
#include "schedule/policy.h"

namespace trex::bench {
namespace {

using schedule::Choice;
using schedule::InstanceView;
using schedule::PolicyEntry;

constexpr double kMeanOutput = 211;

class ClientRule final : public schedule::Policy {
 public:
  using Score = double (*)(const InstanceView&);
  explicit ClientRule(Score score) : score_(score) {}

  size_t pick(const Choice& choice, Rng&) override {
    size_t best = 0;
    for (size_t i = 1; i < choice.ready.size(); ++i) {
      if (score_(choice.ready[i]) < score_(choice.ready[best])) best = i;
    }
    return best;
  }
  std::string explain(const Choice& choice, size_t i) const override {
    return fmt::format("{:.3f}", score_(choice.ready[i]));
  }

 private:
  Score score_;
};

double in_flight(const InstanceView& view) { return view.in_flight; }
double per_slot(const InstanceView& view) { return (view.in_flight + 1) / view.slots; }
double expected_delay(const InstanceView& view) {
  const double answer_s = kMeanOutput * view.iteration_s;
  return std::max(0.0, view.in_flight + 1 - view.slots) * answer_s / view.slots + answer_s;
}

const PolicyEntry kInFlight{
    .name = "client: least in flight",
    .summary = "of the experiment",
    .late_binds = false,
    .takes_turns = false,
    .make = [](const schedule::PolicySettings&) -> std::unique_ptr<schedule::Policy> {
      return std::make_unique<ClientRule>(in_flight);
    }};
TREX_REGISTER(kInFlight);
const PolicyEntry kPerSlot{
    .name = "client: least (in flight + 1)/slots",
    .summary = "of the experiment",
    .late_binds = false,
    .takes_turns = false,
    .make = [](const schedule::PolicySettings&) -> std::unique_ptr<schedule::Policy> {
      return std::make_unique<ClientRule>(per_slot);
    }};
TREX_REGISTER(kPerSlot);
const PolicyEntry kExpectedDelay{
    .name = "client: shortest expected delay",
    .summary = "of the experiment",
    .late_binds = false,
    .takes_turns = false,
    .make = [](const schedule::PolicySettings&) -> std::unique_ptr<schedule::Policy> {
      return std::make_unique<ClientRule>(expected_delay);
    }};
TREX_REGISTER(kExpectedDelay);

// Seconds as measured over sockets, from the least to the most over the seeds (README of the data).
struct Measured {
  const char* policy;
  double mean[2], p99[2], ttft[2];
};
constexpr Measured kMeasured[] = {
    {"round_robin", {55, 67}, {226, 283}, {49, 61}},
    {"client: least in flight", {6.0, 6.2}, {37, 43}, {2.5, 2.7}},
    {"client: least (in flight + 1)/slots", {3.05, 3.18}, {17.9, 18.5}, {0.07, 0.10}},
    {"client: shortest expected delay", {3.71, 3.89}, {8.6, 8.8}, {1.51, 1.56}},
};

bool is_within(double value, const double (&range)[2], double tolerance) {
  return value >= range[0] * (1 - tolerance) && value <= range[1] * (1 + tolerance);
}

Instances the_four() {
  return slot_cluster({{10, 32, 40'000}, {20, 16, 20'000}, {35, 8, 11'429}, {45, 8, 8'889}});
}

std::vector<std::pair<std::string, double>> numbers_of(const Ran& ran) {
  int64_t in_window = 0;
  for (const simulate::Record& record : ran.result.records)
    in_window += record.ended <= simulate::nanoseconds(60) ? 1 : 0;
  return {{"requests/s in window", static_cast<double>(in_window) / 60},
          {"latency mean s", ran.summary.latency_s.mean},
          {"latency p99 s", ran.summary.latency_s.p99},
          {"TTFT mean s", ran.summary.ttft_s.mean},
          {"TTFT p99 s", ran.summary.ttft_s.p99}};
}

void recorded(Report& report) {
  const std::string name = "four engines";
  const char* const policies[] = {"round_robin",
                                  "client: least in flight",
                                  "client: least (in flight + 1)/slots",
                                  "client: shortest expected delay",
                                  "cap",
                                  "sed",
                                  "weighted_least_requests",
                                  "pull"};
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Path base = simulate::find_trace("azure-conv-2023", "bench").parent_path();
    const auto trace =
        simulate::load_trace(base / "four_engines" / fmt::format("requests_seed{}.csv.zst", seed));
    const auto workload = simulate::plan_workload(trace, {.arrivals = "trace", .requests = 0});
    for (const char* policy : policies) {
      report.add(
          name, "recorded arrivals, 85 %", policy,
          numbers_of(run(
              {.instances = the_four(), .workload = workload, .policy = policy, .seed = seed})));
    }
  }
  const auto mean = [&](const std::string& policy, const char* number) {
    return report.mean(name, "recorded arrivals, 85 %", policy, number);
  };
  for (const Measured& row : kMeasured) {
    const double latency = mean(row.policy, "latency mean s"),
                 p99 = mean(row.policy, "latency p99 s");
    report.expect(
        name,
        fmt::format("{}: as over sockets, 3 % of the mean and 10 % of p99 ({}-{} / {}-{})",
                    row.policy, row.mean[0], row.mean[1], row.p99[0], row.p99[1]),
        is_within(latency, row.mean, 0.03) && is_within(p99, row.p99, 0.10),
        fmt::format("{:.2f} / {:.1f}", latency, p99));
  }
  const double latency = mean("cap", "latency mean s"), p99 = mean("cap", "latency p99 s"),
               ttft = mean("cap", "TTFT mean s");
  report.expect(name, "cap with its defaults: at most 2.6 / 9.0 / 0.3 s",
                latency <= 2.6 && p99 <= 9.0 && ttft <= 0.3,
                fmt::format("{:.3f} / {:.2f} / {:.3f}", latency, p99, ttft));
}

// The same defaults at other loads and other spreads of speed.
void elsewhere(Report& report, const std::string& situation, const Instances& instances,
               double load) {
  const std::string name = "four engines, elsewhere";
  const char* const policies[] = {"cap",
                                  "sed",
                                  "weighted_least_requests",
                                  "pull",
                                  "least_requests",
                                  "p2c_weighted",
                                  "sed_kv",
                                  "ttft_min",
                                  "wrr"};
  const auto& trace = shipped("azure-conv-2023");
  const double rate = load * capacity(instances, trace.lengths());
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const auto workload = simulate::plan_workload(
        trace, {.arrivals = "poisson", .requests = 3000, .rate = rate, .seed = seed});
    for (const char* policy : policies) {
      report.add(
          name, situation, policy,
          numbers_of(
              run({.instances = instances, .workload = workload, .policy = policy, .seed = seed})));
    }
  }
  double best = 1e300;
  std::string best_policy;
  for (const char* policy : policies) {
    const double latency = report.mean(name, situation, policy, "latency mean s");
    if (latency < best) {
      best = latency;
      best_policy = policy;
    }
  }
  const double cap = report.mean(name, situation, "cap", "latency mean s");
  report.expect(name, situation + ": mean latency of cap within 5 % of the best policy",
                cap <= 1.05 * best,
                fmt::format("{:.3f} s, best {:.3f} s ({})", cap, best, best_policy));
}

}  // namespace

void four_engines(Report& report) {
  recorded(report);
  for (const double load : {0.5, 0.7, 0.95})
    elsewhere(report, fmt::format("load {:.0f} %", 100 * load), the_four(), load);
  for (const double spread : {1.2, 2.0, 8.0}) {
    std::vector<SlotNumbers> engines;
    for (int i = 0; i < 4; ++i) {
      const double slowness = std::pow(spread, i / 3.0);
      engines.push_back({10 * slowness, 16, 40'000 / slowness});
    }
    elsewhere(report, fmt::format("speeds spread {}x, load 85 %", spread), slot_cluster(engines),
              0.85);
  }
}

}  // namespace trex::bench
