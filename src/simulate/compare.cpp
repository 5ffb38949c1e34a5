#include "simulate/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include "base/error.h"
#include "base/parallel_for.h"
#include "base/registry.h"
#include "base/text.h"
#include "schedule/policy.h"

namespace trex::simulate {
namespace {

Workload workload_of_seed(const ClusterFile& cluster, const Trace& trace, double rate,
                          uint64_t seed) {
  ArrivalSettings arrivals = cluster.settings.arrivals;
  arrivals.seed = seed;
  if (rate > 0) arrivals.rate = rate;
  return plan_workload(trace, arrivals, cluster.name);
}

int64_t longest_context(const std::vector<SimulatedInstance>& instances) {
  int64_t longest = 0;
  for (const SimulatedInstance& instance : instances) {
    const int64_t context = instance.iterations.model.max_context;
    longest = std::max(longest, context > 0 ? context : std::numeric_limits<int64_t>::max());
  }
  return longest;
}

// What the requests that can be served will be like. The prompts of sessions grow beyond those of
// the trace.
perf::WorkloadMoments moments_of(const ClusterFile& cluster, const Trace& trace) {
  const bool grows = cluster.settings.arrivals.arrivals == "sessions";
  auto lengths = grows ? workload_of_seed(cluster, trace, 1, 1).lengths() : trace.lengths();
  const int64_t longest = longest_context(cluster.instances);
  std::erase_if(lengths, [&](const perf::RequestLengths& request) {
    return request.prompt_tokens >= longest;
  });
  return perf::WorkloadMoments::of(lengths);
}

// Requests/s, from `load` where it is given.
double rate_of(const ClusterFile& cluster, double capacity_per_s) {
  const SimulateSettings& settings = cluster.settings;
  const std::string& arrivals = settings.arrivals.arrivals;
  if (!settings.load) return settings.arrivals.rate;
  if (settings.arrivals.rate > 0) {
    throw input_error(cluster.name, "load", "either load or rate", "both",
                      "set one of them, load = \"auto\" or rate = 0");
  }
  if (arrivals == "offline" || arrivals == "closed") {
    throw input_error(cluster.name, "load", "auto with arrivals = " + arrivals,
                      shortest(*settings.load),
                      "nothing sets their rate; leave load out, or set it to auto");
  }
  return *settings.load * capacity_per_s;
}

void count_what_is_too_long(const std::vector<SimulatedInstance>& instances,
                            const std::string& where, Comparison& comparison) {
  comparison.longest_context = longest_context(instances);
  const auto& requests = comparison.first_workload.requests;
  int64_t shortest_tokens = std::numeric_limits<int64_t>::max();
  for (const PlannedRequest& request : requests) {
    comparison.too_long += request.lengths.prompt_tokens >= comparison.longest_context ? 1 : 0;
    shortest_tokens = std::min(shortest_tokens, request.lengths.prompt_tokens);
  }
  if (comparison.too_long == static_cast<int64_t>(requests.size())) {
    throw input_error(
        where, "max_context",
        fmt::format("more than {} tokens somewhere, the shortest prompt", shortest_tokens),
        std::to_string(comparison.longest_context), "instances with longer contexts");
  }
}

// Counts what has ended in all runs. Runs may report from different threads.
class SharedProgress {
 public:
  explicit SharedProgress(Progress& progress) : progress_(progress) {}
  void advanced(int64_t more, const std::string& note) {
    const std::lock_guard guard(mutex_);
    done_ += more;
    progress_.advanced(done_, note);
  }

 private:
  std::mutex mutex_;  // guards the rest
  Progress& progress_;
  int64_t done_ = 0;
};

double offered_rate(const Workload& workload, const ArrivalSettings& settings) {
  if (settings.arrivals == "closed") return 0;
  Nanoseconds last = 0;
  for (const PlannedRequest& request : workload.requests)
    last = std::max(last, request.is_chained ? 0 : request.at);
  return last > 0 ? static_cast<double>(workload.requests.size()) / seconds(last) : 0;
}

// What all runs share.
struct Prepared {
  const ClusterFile& cluster;
  const std::vector<SimulatedInstance>& instances;
  const schedule::SchedulerSettings& scheduler;
  const std::vector<Workload>& workloads;  // by seed
};

// Runs of different policies or seeds may go on at once: each writes places of its own.
void run_one(const Prepared& prepared, size_t policy, size_t seed, Comparison& comparison,
             SharedProgress& progress) {
  PolicyRuns& runs = comparison.policies[policy];
  const Workload& workload = prepared.workloads[seed];
  const SimulateSettings& settings = prepared.cluster.settings;
  std::vector<SimulatedInstance> seeded = prepared.instances;
  for (SimulatedInstance& instance : seeded) instance.iterations.seed = seed + 1;
  SimulationInput input{.workload = workload,
                        .instances = seeded,
                        .scheduler = prepared.scheduler,
                        .faults = prepared.cluster.faults};
  input.scheduler.policy = runs.policy;
  input.scheduler.seed = seed + 1;
  const auto requests = static_cast<int64_t>(workload.requests.size());
  if (seed == 0) {
    const double rate =
        comparison.offered_per_s > 0 ? comparison.offered_per_s : comparison.capacity_per_s;
    input.sample_every_s =
        static_cast<double>(requests) / rate / static_cast<double>(settings.samples);
    input.most_samples = 2 * static_cast<size_t>(settings.samples);
  }
  int64_t reported = 0;
  input.on_progress = [&](int64_t ended) {
    progress.advanced(ended - reported, runs.policy);
    reported = ended;
  };
  SimulationResult result = simulate(input);
  runs.by_seed[seed] = summarize(workload, result, settings.goodput);
  if (seed == 0) runs.first = std::move(result);
  progress.advanced(requests - reported, runs.policy);
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
      throw usage_error("--policies", "all, or some of " + listed(names, 20), in_quotes(name),
                        did_you_mean(name, names));
    }
    chosen.push_back(name);
  }
  return chosen;
}

Comparison compare(const ClusterFile& cluster, const std::vector<std::string>& policies,
                   int64_t seeds, Progress& progress) {
  const SimulateSettings& settings = cluster.settings;
  const Trace trace = load_trace(find_trace(settings.trace, cluster.name));
  Comparison comparison;
  std::vector<SimulatedInstance> instances = cluster.instances;
  schedule::SchedulerSettings scheduler = settings.scheduler;
  comparison.capacity_per_s = fit_to_workload(instances, scheduler, moments_of(cluster, trace));
  const double rate = rate_of(cluster, comparison.capacity_per_s);

  std::vector<Workload> workloads;
  for (int64_t seed = 1; seed <= seeds; ++seed) {
    workloads.push_back(workload_of_seed(cluster, trace, rate, static_cast<uint64_t>(seed)));
    comparison.offered_per_s +=
        offered_rate(workloads.back(), settings.arrivals) / static_cast<double>(seeds);
  }
  comparison.offered = comparison.offered_per_s > 0
                           ? fmt::format("{:.2f} requests/s", comparison.offered_per_s)
                       : settings.arrivals.arrivals == "closed"
                           ? fmt::format("by {} clients", settings.arrivals.clients)
                           : "all at once";
  for (const std::string& policy : policies) {
    comparison.policies.push_back({policy, std::vector<Summary>(static_cast<size_t>(seeds)), {}});
  }
  comparison.first_workload = workloads[0];
  count_what_is_too_long(instances, cluster.name, comparison);
  const auto runs = static_cast<int64_t>(policies.size()) * seeds;
  progress.started("simulating", runs * static_cast<int64_t>(workloads[0].requests.size()),
                   "requests");
  SharedProgress shared(progress);
  const Prepared prepared{cluster, instances, scheduler, workloads};
  parallel_for(runs, static_cast<int>(settings.threads), [&](int64_t run) {
    run_one(prepared, static_cast<size_t>(run / seeds), static_cast<size_t>(run % seeds),
            comparison, shared);
  });
  progress.finished();
  return comparison;
}

}  // namespace trex::simulate
