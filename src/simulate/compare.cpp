#include "simulate/compare.h"

#include <algorithm>
#include <mutex>

#include "base/error.h"
#include "base/parallel_for.h"
#include "base/registry.h"
#include "base/text.h"
#include "schedule/policy.h"

namespace trex::simulate {
namespace {

Workload workload_of_seed(const ClusterFile& cluster, const Trace& trace, double rate, uint64_t seed) {
  ArrivalSettings arrivals = cluster.settings.arrivals;
  arrivals.seed = seed;
  if (rate > 0) arrivals.rate = rate;
  return plan_workload(trace, arrivals);
}

double offered_rate(const Workload& workload) {
  Nanoseconds last = 0;
  for (const PlannedRequest& request : workload.requests) last = std::max(last, request.is_chained ? 0 : request.at);
  return last > 0 ? static_cast<double>(workload.requests.size()) / seconds(last) : 0;
}

}  // namespace

Estimate PolicyRuns::estimate(const std::string& number) const {
  std::vector<double> values;
  for (const Summary& summary : by_seed) {
    for (const auto& [name, value] : named_numbers(summary)) {
      if (name == number) values.push_back(value);
    }
  }
  return estimate_of(values);
}

std::vector<std::string> policies_from(const std::string& text) {
  const auto names = Registry<schedule::PolicyEntry>::instance().names();
  if (text == "all") return names;
  std::vector<std::string> chosen;
  for (const std::string& part : split(text, ',')) {
    const std::string name(trimmed(part));
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw usage_error("--policies", "all, or some of " + listed(names, 20), in_quotes(name), did_you_mean(name, names));
    }
    chosen.push_back(name);
  }
  return chosen;
}

Comparison compare(const ClusterFile& cluster, const std::vector<std::string>& policies, int64_t seeds,
                   Progress& progress) {
  const SimulateSettings& settings = cluster.settings;
  const Trace trace = load_trace(find_trace(settings.trace, "cluster file"));
  Comparison comparison;
  std::vector<SimulatedInstance> instances = cluster.instances;
  schedule::SchedulerSettings scheduler = settings.scheduler;
  comparison.capacity_per_s =
      fit_to_workload(instances, scheduler, perf::WorkloadMoments::of(trace.lengths()));
  const double rate = settings.load ? *settings.load * comparison.capacity_per_s : 0;

  std::vector<Workload> workloads;
  for (int64_t seed = 1; seed <= seeds; ++seed) {
    workloads.push_back(workload_of_seed(cluster, trace, rate, static_cast<uint64_t>(seed)));
    comparison.offered_per_s += offered_rate(workloads.back()) / static_cast<double>(seeds);
  }
  for (const std::string& policy : policies) {
    comparison.policies.push_back({policy, std::vector<Summary>(static_cast<size_t>(seeds)), {}});
  }
  const auto per_run = static_cast<int64_t>(workloads[0].requests.size());
  const auto runs = static_cast<int64_t>(policies.size()) * seeds;
  progress.started("simulating", runs * per_run, "requests");
  std::mutex mutex;  // guards `done` and `progress`
  int64_t done = 0;
  parallel_for(runs, static_cast<int>(settings.threads), [&](int64_t run) {
    const auto policy = static_cast<size_t>(run / seeds), seed = static_cast<size_t>(run % seeds);
    std::vector<SimulatedInstance> seeded = instances;
    for (SimulatedInstance& instance : seeded) instance.iterations.seed = seed + 1;
    SimulationInput input{.workload = workloads[seed], .instances = seeded, .scheduler = scheduler, .faults = cluster.faults};
    input.scheduler.policy = policies[policy];
    input.scheduler.seed = seed + 1;
    if (seed == 0) {
      const double span_s = comparison.offered_per_s > 0
                                ? static_cast<double>(per_run) / comparison.offered_per_s
                                : static_cast<double>(per_run) / comparison.capacity_per_s;
      input.sample_every_s = span_s / static_cast<double>(settings.samples);
    }
    SimulationResult result = simulate(input);
    PolicyRuns& runs_of = comparison.policies[policy];
    runs_of.by_seed[seed] = summarize(workloads[seed], result, settings.goodput);
    if (seed == 0) runs_of.first = std::move(result);
    const std::lock_guard guard(mutex);
    done += per_run;
    progress.advanced(done, policies[policy]);
  });
  progress.finished();
  comparison.first_workload = std::move(workloads[0]);
  return comparison;
}

}  // namespace trex::simulate
