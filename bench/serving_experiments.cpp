// H1, H4, H5, H7, H8 and H10 of heterogeneous serving, section 17, in simulation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "bench/serving_support.h"

namespace trex::bench {
namespace {

using simulate::ArrivalSettings;
using simulate::nanoseconds;
using simulate::Workload;

// What round robin leaves on the table when it is saturated: mean/min - 1.
double bound(const Instances& instances, const Workload& workload) {
  double sum = 0, least = 1e300;
  for (const auto& instance : instances) {
    const double rate = capacity({instance}, workload.lengths());
    sum += rate;
    least = std::min(least, rate);
  }
  return sum / static_cast<double>(instances.size()) / least - 1;
}

}  // namespace

void paper_pair(Report& report) {
  const auto fast = cluster_of({"H100 SXM"})[0];
  for (const auto& [ratio, target] : {std::pair{3.45, 1.15}, std::pair{1.67, 0.33}}) {
    const Instances pair{fast, slower(fast, ratio)};
    for (const std::string trace : {"azure-conv-2023", "sharegpt"}) {
      const std::string situation = fmt::format("speed ratio {}, {}", ratio, trace);
      for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const Workload workload = offline(trace, seed);
        double round_robin = 0;
        for (const char* policy :
             {"round_robin", "weighted_least_requests", "wrr", "sed", "pull", "cap"}) {
          const auto ran =
              run({.instances = pair, .workload = workload, .policy = policy, .seed = seed});
          const double speed = ran.summary.output_tokens_per_s;
          if (round_robin == 0) round_robin = speed;
          report.add("H1: the paper's pair, offline", situation, policy,
                     {{"tokens/s over makespan", speed},
                      {"steady tokens/s", ran.summary.steady_tokens_per_s},
                      {"gain %", 100 * (speed / round_robin - 1)}});
        }
      }
      if (trace != "azure-conv-2023") continue;
      const double gain =
          report.mean("H1: the paper's pair, offline", situation, "cap", "gain %") / 100;
      report.expect(
          "H1", fmt::format("{}: cap over round robin at least {}", situation, percent(target)),
          gain >= target,
          fmt::format("{} (bound {})", percent(gain), percent(bound(pair, offline(trace, 1)))));
    }
  }
}

void wrong_speeds(Report& report) {
  const Instances truth = cluster_of({"H100 SXM", "A100 SXM 80", "A100 SXM 80", "L40S"});
  const std::string name = "H4: wrong capabilities";
  struct Belief {
    const char* situation;
    size_t instance;
    double slowness;  // believed over true iteration time
  };
  for (const Belief& belief :
       {Belief{"all right", 0, 1}, Belief{"L40S believed 2x too fast", 3, 0.5},
        Belief{"H100 believed 2x too slow", 0, 2}}) {
    Instances instances = truth;
    auto& believed = instances[belief.instance].believed;
    believed.model = slower(instances[belief.instance], belief.slowness).believed.model;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const Workload workload = offline("azure-conv-2023", seed, 3 * kRequests);
      for (const char* policy : {"wrr", "sed", "pull", "cap"}) {
        for (const bool measured : {true, false}) {
          if (!measured && std::string(policy) != "cap") continue;
          const auto ran =
              run({.instances = instances,
                   .workload = workload,
                   .policy = policy,
                   .seed = seed,
                   .change = [&](schedule::SchedulerSettings& s) { s.measure_speed = measured; }});
          report.add(name, belief.situation, measured ? policy : "cap, speeds not measured",
                     {{"tokens/s", ran.summary.output_tokens_per_s},
                      {"steady tokens/s", ran.summary.steady_tokens_per_s}});
        }
      }
    }
    const double loss = 1 - report.mean(name, belief.situation, "cap", "steady tokens/s") /
                                report.mean(name, "all right", "cap", "steady tokens/s");
    report.expect("H4", fmt::format("{}: cap loses under 5 %", belief.situation), loss < 0.05,
                  percent(-loss));
  }
}

// An instance turns slow in the middle of a batch. The oracle is told of the slow speed from the
// start, which is wrong only before the change.
void drift(Report& report) {
  const Instances truth = cluster_of({"H100 SXM", "A100 SXM 80", "A100 SXM 80", "L40S"});
  const simulate::Fault slow{.kind = simulate::Fault::Kind::Slowdown,
                             .instance = 0,
                             .at_s = 60,
                             .for_s = 1e6,
                             .factor = 2};
  Instances told = truth;
  told[0].believed.model = slower(told[0], 2).believed.model;
  const std::string name = "H4: H100 turns 2x slower after 60 s";
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Workload workload = offline("azure-conv-2023", seed, 3 * kRequests);
    const auto add = [&](const char* row, const char* policy, const Instances& instances,
                         bool is_measured) {
      const auto ran =
          run({.instances = instances,
               .workload = workload,
               .policy = policy,
               .seed = seed,
               .faults = {slow},
               .change = [&](schedule::SchedulerSettings& s) { s.measure_speed = is_measured; }});
      report.add(name, "offline", row,
                 {{"tokens/s", ran.summary.output_tokens_per_s},
                  {"steady tokens/s", ran.summary.steady_tokens_per_s}});
    };
    add("wrr", "wrr", truth, true);
    add("cap", "cap", truth, true);
    add("cap, speeds not measured", "cap", truth, false);
    add("cap, told", "cap", told, true);
  }
  const double loss = 1 - report.mean(name, "offline", "cap", "tokens/s") /
                              report.mean(name, "offline", "cap, told", "tokens/s");
  report.expect("H4", "drift: cap loses under 5 % against one that was told", loss < 0.05,
                percent(-loss));
}

// Engines that read prompts apart from answers, the first one three times as slowly as believed:
// only first tokens tell.
void wrong_prompt_speeds(Report& report) {
  const std::string name = "H4: fast engine reads prompts 3x slower than believed";
  const Instances told =
      slot_cluster({{10, 32, 6'000}, {20, 16, 20'000}, {35, 8, 11'429}, {45, 8, 8'889}});
  Instances misled = told;
  misled[0].believed.model.time.per_prompt_token_s /= 3;
  const auto& trace = shipped("azure-conv-2023");
  const double rate = 0.7 * capacity(told, trace.lengths());
  const std::string situation = "azure-conv-2023, load 0.7";
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Workload workload = simulate::plan_workload(
        trace, {.arrivals = "poisson", .requests = kRequests, .rate = rate, .seed = seed});
    const auto add = [&](const char* row, const Instances& instances, bool is_measured) {
      report.add(name, situation, row,
                 online_numbers(run({.instances = instances,
                                     .workload = workload,
                                     .policy = "cap",
                                     .seed = seed,
                                     .change = [&](schedule::SchedulerSettings& s) {
                                       s.measure_speed = is_measured;
                                     }})));
    };
    add("cap, told", told, true);
    add("cap", misled, true);
    add("cap, speeds not measured", misled, false);
  }
  const auto mean = [&](const char* row) {
    return report.mean(name, situation, row, "TTFT p99 s");
  };
  const double loss = mean("cap") / mean("cap, told") - 1;
  report.expect("H4", "slow prompts: p99 TTFT of cap within 5 % of one that was told", loss <= 0.05,
                fmt::format("{} ({} where speeds are not measured)", percent(loss),
                            percent(mean("cap, speeds not measured") / mean("cap, told") - 1)));
}

void bursts(Report& report) {
  const Instances instances = cluster_of({"H100 SXM", "A100 SXM 80", "A100 SXM 80", "L40S"});
  const std::string name = "H5: bursts of azure-code, time compressed";
  for (const double load : {0.3, 0.5}) {
    const std::string situation = fmt::format("load {}", load);
    const double rate = load * capacity(instances, shipped("azure-code-2023").lengths());
    const Workload workload = simulate::plan_workload(
        shipped("azure-code-2023"), {.arrivals = "trace", .requests = 0, .rate = rate});
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      for (const char* policy : {"least_requests", "weighted_least_requests", "sed", "cap"}) {
        report.add(
            name, situation, policy,
            online_numbers(run(
                {.instances = instances, .workload = workload, .policy = policy, .seed = seed})));
      }
    }
    const double gain = 1 - report.mean(name, situation, "cap", "TTFT p99 s") /
                                report.mean(name, situation, "least_requests", "TTFT p99 s");
    report.expect("H5", situation + ": p99 TTFT at least 20 % below least requests", gain >= 0.2,
                  percent(-gain));
  }
}

// A third of the requests is interactive and must have its first token within 2 s.
void mixed_classes(Report& report) {
  const std::string name = "H7: interactive and bulk, rho 0.9";
  const Instances instances = cluster_of({"H100 SXM", "A100 SXM 80", "A100 SXM 80", "L40S"});
  const double rate = 0.9 * capacity(instances, shipped("azure-conv-2023").lengths());
  constexpr double kLimit_s = 2;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Workload workload = drawn(
        "azure-conv-2023", {.arrivals = "poisson", .requests = 2 * kRequests, .rate = rate}, seed);
    workload.classes = {{"bulk", schedule::Priority::Bulk, 0},
                        {"interactive", schedule::Priority::Interactive, 0}};
    Rng rng(seed, "classes");
    for (auto& request : workload.requests) request.request_class = rng.chance(1.0 / 3) ? 1 : 0;
    for (const char* policy : {"weighted_least_requests", "sed", "slo", "cap"}) {
      const auto ran =
          run({.instances = instances, .workload = workload, .policy = policy, .seed = seed});
      // Between the fifth of the arrivals' time and its end: after the start, before the queue
      // drains.
      const simulate::Nanoseconds to = workload.requests.back().at, from = to / 5;
      const auto is_between = [&](simulate::Nanoseconds at) { return at >= from && at <= to; };
      double met = 0, interactive = 0, offered = 0, served = 0;
      for (size_t i = 0; i < workload.requests.size(); ++i) {
        const auto& request = workload.requests[i];
        const auto& record = ran.result.records[i];
        if (request.request_class == 0) {
          const auto tokens = static_cast<double>(request.lengths.output_tokens);
          offered += is_between(request.at) ? tokens : 0;
          served += is_between(record.ended) ? tokens : 0;
          continue;
        }
        ++interactive;
        met += simulate::seconds(record.first_token - record.arrived) <= kLimit_s ? 1 : 0;
      }
      report.add(name, "one third interactive", policy,
                 {{"interactive within 2 s %", 100 * met / interactive},
                  {"bulk tokens/s", served / simulate::seconds(to - from)},
                  {"offered bulk tokens/s", offered / simulate::seconds(to - from)}});
    }
  }
  const auto mean = [&](const char* number) {
    return report.mean(name, "one third interactive", "cap", number);
  };
  report.expect("H7", "interactive over 99 % while bulk keeps 95 %",
                mean("interactive within 2 s %") > 99 &&
                    mean("bulk tokens/s") >= 0.95 * mean("offered bulk tokens/s"),
                fmt::format("{:.2f} %, {:.1f} %", mean("interactive within 2 s %"),
                            100 * mean("bulk tokens/s") / mean("offered bulk tokens/s")));
}

// Two tenants of equal weight send more than their half; a third floods with ten times as much.
void fairness(Report& report) {
  const std::string name = "H8: one tenant floods";
  const Instances instances = cluster_of({"H100 SXM", "A100 SXM 80"});
  const double rate = 4 * capacity(instances, shipped("azure-conv-2023").lengths());
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Workload workload = drawn(
        "azure-conv-2023", {.arrivals = "poisson", .requests = 4 * kRequests, .rate = rate}, seed);
    workload.tenants = {"flood", "one", "two"};
    Rng rng(seed, "tenants");
    for (auto& request : workload.requests) {
      const double u = rng.uniform();
      request.tenant = u < 0.5 ? 0 : u < 0.75 ? 1 : 2;
    }
    // Every tenant is backlogged from the first moments until the arrivals end.
    const double from_s = 0.3 * simulate::seconds(workload.requests.back().at),
                 to_s = simulate::seconds(workload.requests.back().at);
    for (const char* policy : {"cap", "vtc"}) {
      const auto ran =
          run({.instances = instances, .workload = workload, .policy = policy, .seed = seed});
      double served[3] = {};
      for (size_t i = 0; i < workload.requests.size(); ++i) {
        const double at_s = simulate::seconds(ran.result.records[i].dispatched);
        const auto& request = workload.requests[i];
        if (at_s < from_s || at_s > to_s) continue;
        served[request.tenant] +=
            static_cast<double>(request.lengths.prompt_tokens + 2 * request.lengths.output_tokens);
      }
      report.add(name, "weights 1:1:1, sent 2:1:1", policy,
                 {{"flood / mean of the others", 2 * served[0] / (served[1] + served[2])},
                  {"one / two", served[1] / served[2]}});
    }
  }
  const double ratio =
      report.mean(name, "weights 1:1:1, sent 2:1:1", "cap", "flood / mean of the others");
  const double others = report.mean(name, "weights 1:1:1, sent 2:1:1", "cap", "one / two");
  report.expect("H8", "service of backlogged tenants within 5 % of their weights",
                std::abs(ratio - 1) <= 0.05 && std::abs(others - 1) <= 0.05,
                fmt::format("{:.3f}, {:.3f}", ratio, others));
}

// Shares of two equally frequent classes on two instances that let most requests through: the least
// load of the busier one, over a grid (a linear program in the planner).
std::vector<std::vector<double>> best_shares(const Instances& instances, const Workload& workload) {
  double seconds[2][2];  // of an instance, by class and instance
  for (size_t c = 0; c < 2; ++c) {
    std::vector<perf::RequestLengths> lengths;
    for (const auto& request : workload.requests) {
      if (request.request_class == c) lengths.push_back(request.lengths);
    }
    for (size_t i = 0; i < 2; ++i) seconds[c][i] = 1 / capacity({instances[i]}, lengths);
  }
  double least = 1e300, first = 0, second = 0;
  for (double a = 0; a <= 1; a += 0.02) {
    for (double b = 0; b <= 1; b += 0.02) {
      const double busier = std::max(a * seconds[0][0] + b * seconds[1][0],
                                     (1 - a) * seconds[0][1] + (1 - b) * seconds[1][1]);
      if (busier < least) least = busier, first = a, second = b;
    }
  }
  return {{first, 1 - first}, {second, 1 - second}};
}

// Prompt-heavy and decode-heavy classes on a compute-rich and a bandwidth-rich device.
void unlike_strengths(Report& report) {
  const std::string name = "H10: unlike strengths, offline";
  const Instances instances = cluster_of({"L40S", "H20"});
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Workload workload =
        drawn("azure-conv-2023", {.arrivals = "offline", .requests = kRequests}, seed);
    workload.classes = {{"prompts", schedule::Priority::Default, 0},
                        {"answers", schedule::Priority::Default, 0}};
    Rng rng(seed, "classes");
    for (auto& request : workload.requests) {
      request.request_class = rng.chance(0.5) ? 1 : 0;
      request.lengths = request.request_class == 0
                            ? perf::RequestLengths{4000 + rng.between(0, 2000), rng.between(8, 48)}
                            : perf::RequestLengths{rng.between(100, 300), rng.between(300, 900)};
    }
    double scalar = 0;
    const auto shares = best_shares(instances, workload);
    struct Row {
      const char* policy;
      bool has_plan;
    };
    for (const auto& [policy, has_plan] :
         {Row{"wrr", true}, Row{"weighted_least_requests", true}, Row{"sed", true},
          Row{"class_lp", true}, Row{"cap", false}, Row{"cap", true}}) {
      const auto ran = run({.instances = instances,
                            .workload = workload,
                            .policy = policy,
                            .seed = seed,
                            .change = [&](schedule::SchedulerSettings& s) {
                              if (has_plan) s.policy_settings.class_shares = shares;
                            }});
      if (scalar == 0) scalar = ran.summary.requests_per_s;
      const bool is_planned_cap = has_plan && std::string(policy) == "cap";
      report.add(name, "L40S and H20, half prompts, half answers",
                 is_planned_cap ? "cap with the plan's shares" : policy,
                 {{"requests/s", ran.summary.requests_per_s},
                  {"gain over wrr %", 100 * (ran.summary.requests_per_s / scalar - 1)}});
    }
  }
  const char* const situation = "L40S and H20, half prompts, half answers";
  const double best = std::max(report.mean(name, situation, "cap", "gain over wrr %"),
                               report.mean(name, situation, "class_lp", "gain over wrr %"));
  report.expect("H10", "class_lp or cap at least +10 % over scalar weights", best >= 10,
                fmt::format("{:+.1f} %", best));
}

}  // namespace trex::bench
