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
const char* const kOnline = kOnlineExperiment;

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

// Seeds have the same arrivals under every policy, so they are compared one by one.
simulate::Estimate cap_ahead_of_median(const Report& report, const std::string& situation,
                                       const std::string& number) {
  std::vector<double> ahead;
  for (size_t seed = 0; seed < kSeeds; ++seed) {
    std::vector<double> others;
    for (const char* policy : kPolicies) {
      if (policy != std::string("cap"))
        others.push_back(report.values(kOnline, situation, policy, number)[seed]);
    }
    std::sort(others.begin(), others.end());
    const double median = (others[others.size() / 2 - 1] + others[others.size() / 2]) / 2;
    ahead.push_back(report.values(kOnline, situation, "cap", number)[seed] - median);
  }
  return simulate::estimate_of(ahead);
}

// At half load all sane policies complete what comes: equal means within half a percent, or within
// what the seeds leave open.
void conclude_online(Report& report, const std::string& situation) {
  constexpr double kEqual = 0.005;
  const Beside latency(report, kOnline, situation, "latency mean s", false);
  const Beside goodput(report, kOnline, situation, "goodput /s", true);
  const simulate::Estimate ahead = cap_ahead_of_median(report, situation, "goodput /s");
  const bool is_no_less =
      goodput.cap >= (1 - kEqual) * goodput.median || ahead.mean + ahead.half_width >= 0;
  report.expect("H2", situation + ": cap's latency below the median policy's, goodput no less",
                latency.cap < latency.median && is_no_less,
                fmt::format("{}; {}, cap over the median of each seed {:+.3g} ± {:.2g}",
                            latency.text("latency s"), goodput.text("goodput /s"), ahead.mean,
                            ahead.half_width));
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
const char* const kWideSpread =
    "at the limit: the pre-study's H200 does 3.3 times its L40S on short chats, ours 4.2 times, "
    "and "
    "the gain over round robin follows mean/min";
const char* const kSlotsBind =
    "short prompts: our engines stop at 256 sequences with a third of the cache in use, so its "
    "price is near 0 and sed_kv "
    "does as sed does";

void compare_offline(Report& report) {
  struct Printed {
    const char *situation, *policy;
    double gain;
    const char* reason = "";
  };
  const Printed printed[] = {{"A azure-conv-2023", "wrr", 134},
                             {"A azure-conv-2023", "weighted_least_requests", 133},
                             {"A azure-conv-2023", "p2c_weighted", 141},
                             {"A azure-conv-2023", "sed", 139},
                             {"A azure-conv-2023", "sed_kv", 140},
                             {"A azure-conv-2023", "pull", 120},
                             {"A sharegpt", "wrr", 90, kWideSpread},
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

}  // namespace

void unlike_clusters(Report& report) {
  Verdicts verdicts;
  for (const Cluster& cluster : clusters_of_table94()) {
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
  compare_with_published(report);
  verdicts.conclude(report);
}

}  // namespace trex::bench
