// H2 and H3 of heterogeneous serving, section 17, and its table 9.4: three clusters of unlike
// instances, offline and at three loads, under every policy that one might choose instead of `cap`.
#include <fmt/format.h>

#include <algorithm>

#include "base/rng.h"
#include "bench/serving_support.h"

namespace trex::bench {
namespace {

using simulate::Workload;

const char* const kOffline = "table 9.4, offline";
const char* const kOnline = "H2/H3, online";

constexpr const char* kPolicies[] = {"round_robin",
                                     "wrr",
                                     "weighted_least_requests",
                                     "p2c_weighted",
                                     "sed",
                                     "sed_kv",
                                     "pull",
                                     "least_requests",
                                     "p2c",
                                     "lmetric",
                                     "dynamo_cost",
                                     "ttft_min",
                                     "cap"};

struct Cluster {
  const char* name;
  std::vector<std::string> devices;
};
const Cluster kClusters[] = {{"A", {"H200 SXM", "L40S"}},
                             {"B", {"H100 SXM", "A100 SXM 80", "A100 SXM 80", "L40S"}},
                             {"C", {"H200 SXM", "A100 SXM 80", "L40S", "L4"}}};

// How cap stands to the best policy of each cell. A cell is one number of one situation.
class Verdicts {
 public:
  // A larger number is better, or a smaller one.
  void add(const Report& report, const std::string& experiment, const std::string& situation,
           const std::string& number, bool more_is_better) {
    double best = 0;
    std::string winner;
    const auto merit = [&](const char* policy) {
      const double value = report.mean(experiment, situation, policy, number);
      return more_is_better ? value : 1 / value;
    };
    for (const char* policy : kPolicies) {
      if (merit(policy) > best) best = merit(policy), winner = policy;
    }
    const double behind = best / merit("cap") - 1;
    ++cells_;
    near_ += behind <= 0.03 ? 1 : 0;
    equal_ += behind <= 0.005 ? 1 : 0;
    if (behind > 0.005)
      losing_.push_back({fmt::format("{}, {}", situation, number), winner, behind});
  }

  // The cells that cap loses are published, the worst first.
  void conclude(Report& report) {
    report.expect("H3", "cap within 3 % of the best in every cell", near_ == cells_,
                  fmt::format("{} of {}", near_, cells_));
    report.expect("H3", "cap best or equal (0.5 %) in 70 % of cells", equal_ >= 0.7 * cells_,
                  fmt::format("{} of {}", equal_, cells_));
    std::stable_sort(losing_.begin(), losing_.end(),
                     [](const Losing& a, const Losing& b) { return a.behind > b.behind; });
    for (const Losing& cell : losing_) {
      report.add("H3, cells that cap loses", cell.what, cell.winner,
                 {{"cap behind by %", 100 * cell.behind}});
    }
  }

 private:
  struct Losing {
    std::string what, winner;
    double behind;
  };
  int cells_ = 0, near_ = 0, equal_ = 0;
  std::vector<Losing> losing_;
};

// One number of one situation: cap's beside those of the twelve others.
struct Beside {
  double cap, median, best, round_robin;
  std::string winner;  // the best of the others

  Beside(const Report& report, const std::string& experiment, const std::string& situation,
         const std::string& number, bool more_is_better) {
    const auto mean = [&](const char* policy) {
      return report.mean(experiment, situation, policy, number);
    };
    std::vector<std::pair<double, std::string>> others;  // the best first
    for (const char* policy : kPolicies) {
      if (policy != std::string("cap")) others.emplace_back(mean(policy), policy);
    }
    std::sort(others.begin(), others.end());
    if (more_is_better) std::reverse(others.begin(), others.end());
    cap = mean("cap");
    round_robin = mean("round_robin");
    best = others.front().first;
    winner = others.front().second;
    const size_t half = others.size() / 2;
    median = (others[half - 1].first + others[half].first) / 2;
  }

  std::string text(const char* number) const {
    return fmt::format(
        "{} {:.4g}; of the others: median {:.4g}, best {:.4g} ({}), round_robin {:.4g}", number,
        cap, median, best, winner, round_robin);
  }
};

void conclude_offline(Report& report, const std::string& situation) {
  const Beside speed(report, kOffline, situation, "tokens/s", true);
  report.expect("H2", situation + ", offline: cap above the median policy",
                speed.cap > speed.median, speed.text("tokens/s"));
}

// At half load all sane policies complete what comes: equal means within half a percent.
void conclude_online(Report& report, const std::string& situation) {
  constexpr double kEqual = 0.005;
  const Beside latency(report, kOnline, situation, "latency mean s", false);
  const Beside goodput(report, kOnline, situation, "goodput /s", true);
  report.expect("H2", situation + ": cap's latency below the median policy's, goodput no less",
                latency.cap < latency.median && goodput.cap >= (1 - kEqual) * goodput.median,
                latency.text("latency s") + "; " + goodput.text("goodput /s"));
}

void run_offline(Report& report, const Instances& instances, const std::string& trace,
                 const std::string& situation) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Workload workload = offline(trace, seed);
    double round_robin = 0;
    for (const char* policy : kPolicies) {
      const auto ran =
          run({.instances = instances, .workload = workload, .policy = policy, .seed = seed});
      const double speed = ran.summary.output_tokens_per_s;
      if (round_robin == 0) round_robin = speed;
      report.add(kOffline, situation, policy,
                 {{"tokens/s", speed}, {"gain %", 100 * (speed / round_robin - 1)}});
    }
  }
}

void run_online(Report& report, const Instances& instances, const std::string& trace, double rho,
                const std::string& situation) {
  const double rate = rho * capacity(instances, shipped(trace).lengths());
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Workload workload =
        drawn(trace, {.arrivals = "poisson", .requests = kRequests, .rate = rate}, seed);
    for (const char* policy : kPolicies) {
      report.add(
          kOnline, situation, policy,
          online_numbers(
              run({.instances = instances, .workload = workload, .policy = policy, .seed = seed})));
    }
  }
}

// Why numbers of the pre-study are not met.
const char* const kSmallCache =
    "round robin ends when the L4 has served its quarter; beside the weights the L4 has 1.9 GB for "
    "about ten sequences, and "
    "its speed follows that room in proportion: 0.3 GB more reserved is the difference";
const char* const kSlotsBind =
    "short prompts: our engines stop at 256 sequences with a third of the cache in use, so its "
    "price is near 0 and sed_kv "
    "does as sed does";
const char* const kOverloaded =
    "an instance that gets more than it sustains: its wait is (offered/sustained - 1) x the run's "
    "length, so a tenth of "
    "speed is a quarter of the wait";
const char* const kSharper =
    "the pre-study predicted every answer by the mean; ours by the prompt's length, which sends "
    "long answers to fast "
    "instances";
const char* const kOnePrompt =
    "about half a second is the reading of one or two long prompts: 4,142 tokens, the 99th "
    "percentile, take 0.23 s on "
    "our A100 and L40S, and the pre-study's must have been slower at it";

void compare_offline(Report& report) {
  struct Printed {
    const char *situation, *policy;
    double gain;
    const char* reason = nullptr;
  };
  const Printed printed[] = {{"A azure-conv-2023", "wrr", 134},
                             {"A azure-conv-2023", "weighted_least_requests", 133},
                             {"A azure-conv-2023", "p2c_weighted", 141},
                             {"A azure-conv-2023", "sed", 139},
                             {"A azure-conv-2023", "sed_kv", 140},
                             {"A azure-conv-2023", "pull", 120},
                             {"A sharegpt", "wrr", 90},
                             {"A sharegpt", "weighted_least_requests", 98},
                             {"A sharegpt", "sed", 105},
                             {"B azure-conv-2023", "wrr", 79},
                             {"B azure-conv-2023", "weighted_least_requests", 75},
                             {"B azure-conv-2023", "p2c_weighted", 84},
                             {"B azure-conv-2023", "sed", 85},
                             {"B azure-conv-2023", "sed_kv", 86},
                             {"B azure-conv-2023", "pull", 73},
                             {"B sharegpt", "wrr", 51},
                             {"B sharegpt", "p2c_weighted", 57},
                             {"B sharegpt", "sed", 49},
                             {"B sharegpt", "sed_kv", 42, kSlotsBind},
                             {"C azure-conv-2023", "sed", 1400, kSmallCache},
                             {"C sharegpt", "sed", 700, kSmallCache}};
  for (const Printed& row : printed) {
    const double measured = report.mean(kOffline, row.situation, row.policy, "gain %");
    report.compare("table 9.4",
                   fmt::format("{} {} over round robin, times", row.situation, row.policy),
                   1 + row.gain / 100, 1 + measured / 100, row.reason);
  }
}

void compare_online(Report& report) {
  struct Printed {
    const char *situation, *policy, *number;
    double value;
    const char* reason = nullptr;
  };
  const char *const b = "B azure-conv-2023, rho 0.8", *const c = "C azure-conv-2023, rho 0.8";
  const char *const ttft = "TTFT p99 s", *const latency = "latency p99 s",
                    *const tpot = "TPOT p99 ms";
  const Printed printed[] = {{b, "round_robin", ttft, 51.7, kOverloaded},
                             {b, "wrr", ttft, 0.65, kOnePrompt},
                             {b, "least_requests", ttft, 0.67, kOnePrompt},
                             {b, "weighted_least_requests", ttft, 0.51, kOnePrompt},
                             {b, "sed", ttft, 0.44, kOnePrompt},
                             {b, "round_robin", latency, 82, kOverloaded},
                             {b, "wrr", latency, 28},
                             {b, "least_requests", latency, 31},
                             {b, "weighted_least_requests", latency, 23},
                             {b, "sed", latency, 22.7, kSharper},
                             {b, "round_robin", tpot, 138},
                             {b, "wrr", tpot, 76},
                             {b, "least_requests", tpot, 83},
                             {b, "weighted_least_requests", tpot, 55},
                             {b, "sed", tpot, 52},
                             {c, "round_robin", ttft, 1700, kOverloaded},
                             {c, "p2c", ttft, 442, kOverloaded},
                             {c, "least_requests", ttft, 113, kOverloaded},
                             {c, "wrr", ttft, 0.65, kOnePrompt},
                             {c, "weighted_least_requests", ttft, 0.49, kOnePrompt},
                             {c, "p2c_weighted", ttft, 0.53, kOnePrompt},
                             {c, "sed", ttft, 0.42, kOnePrompt}};
  for (const Printed& row : printed) {
    report.compare("section 9.4, online",
                   fmt::format("{} {} {}", row.situation, row.policy, row.number), row.value,
                   report.mean(kOnline, row.situation, row.policy, row.number), row.reason);
  }
}

}  // namespace

void unlike_clusters(Report& report) {
  Verdicts verdicts;
  for (const Cluster& cluster : kClusters) {
    const Instances instances = cluster_of(cluster.devices);
    for (const std::string trace : {"azure-conv-2023", "sharegpt"}) {
      const std::string situation = std::string(cluster.name) + " " + trace;
      run_offline(report, instances, trace, situation);
      verdicts.add(report, kOffline, situation, "tokens/s", true);
      conclude_offline(report, situation);
      for (const double rho : {0.5, 0.8, 0.95}) {
        const std::string loaded = fmt::format("{}, rho {}", situation, rho);
        run_online(report, instances, trace, rho, loaded);
        verdicts.add(report, kOnline, loaded, "goodput /s", true);
        verdicts.add(report, kOnline, loaded, "latency mean s", false);
        conclude_online(report, loaded);
      }
    }
  }
  compare_offline(report);
  compare_online(report);
  verdicts.conclude(report);
}

}  // namespace trex::bench
