// H6 of heterogeneous serving, section 17: prompts that begin alike. Does the scheduler find the
// instance that has the beginning in its cache, without overloading it?
#include <fmt/format.h>

#include <algorithm>

#include "bench/serving_support.h"
#include "perf/prefix_blocks.h"
#include "simulate/prefix_cache.h"

namespace trex::bench {
namespace {

using simulate::Workload;

const char* const kName = "H6: shared prefixes, load without any cache";
constexpr double kLoads[] = {0.8, 0.95};
// Who looks at load only: it counts what is in flight against capability. The next two also expect
// work from a prompt's length, but know nothing of caches.
constexpr const char* kLoadOnly = "weighted_least_requests";
constexpr const char* kExpectsWork = "sed";
constexpr const char* kBlind = "cap, blind to prefixes";
constexpr const char* kEverywhere = "cap, prompts without what a pooled cache holds";

// The recorded conversations are 12,000 tokens long: only a model with a compressed cache keeps
// enough of them.
Instances compressed_cache() {
  Instances instances;
  for (const auto& [device, tp] :
       {std::pair{"H200 SXM", 4}, {"H200 SXM", 4}, {"H20", 8}, {"H20", 8}}) {
    simulate::InstanceSettings settings;
    settings.model = "DeepSeek-V4-Flash";
    settings.device = device;
    settings.quantisation = "fp8";
    settings.tp = tp;
    instances.push_back(instance_of(settings, fmt::format("{}-{}", device, instances.size() + 1)));
  }
  return instances;
}

Workload recorded(const std::string& trace, const Instances& instances, double load) {
  simulate::ArrivalSettings settings{.arrivals = "trace", .requests = 0, .rate = 1};
  Workload workload = simulate::plan_workload(shipped(trace), settings);
  settings.rate = load * capacity(instances, workload.lengths());
  workload = simulate::plan_workload(shipped(trace), settings);
  // A few prompts of the synthetic trace are longer than an instance takes.
  std::erase_if(workload.requests,
                [](const auto& request) { return request.lengths.prompt_tokens > 125'000; });
  return workload;
}

// Conversations of six turns behind one system prompt; each turn repeats what was said.
Workload conversations(const Instances& instances, double load) {
  simulate::ArrivalSettings settings{.arrivals = "sessions", .requests = kRequests, .rate = 1};
  settings.turns = 6;
  settings.think_s = 10;
  settings.system_prompt_tokens = 1500;
  Workload workload = simulate::plan_workload(shipped("azure-conv-2023"), settings);
  settings.rate = load * capacity(instances, workload.lengths());
  return simulate::plan_workload(shipped("azure-conv-2023"), settings);
}

// The tokens of each prompt that one cache as large as all of them together would find.
std::vector<int64_t> pooled_tokens(const Instances& instances, const Workload& workload) {
  double capacity_blocks = 0;
  for (const auto& instance : instances) {
    const auto& model = instance.iterations.model;
    capacity_blocks +=
        model.kv_capacity_bytes / perf::cached_block_bytes(model.kv, workload.block_tokens);
  }
  std::vector<int64_t> found;
  simulate::PrefixCache pooled;
  for (const auto& request : workload.requests) {
    const auto blocks = std::span(workload.blocks).subspan(request.first_block, request.num_blocks);
    const auto tokens = static_cast<int64_t>(pooled.match(blocks)) * workload.block_tokens;
    pooled.insert(blocks);
    pooled.shrink_to(static_cast<size_t>(capacity_blocks));
    found.push_back(std::min(tokens, request.lengths.prompt_tokens - 1));
  }
  return found;
}

double share_of_prompts(const std::vector<int64_t>& tokens, const Workload& workload) {
  double sum = 0, prompts = 0;
  for (const int64_t each : tokens) sum += static_cast<double>(each);
  for (const auto& request : workload.requests)
    prompts += static_cast<double>(request.lengths.prompt_tokens);
  return sum / prompts;
}

// As if every instance had in its cache whatever the pooled one has: about the most to be gained.
Workload without(Workload workload, const std::vector<int64_t>& tokens) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    workload.requests[i].lengths.prompt_tokens -= tokens[i];
    workload.requests[i].num_blocks = 0;
  }
  return workload;
}

// The busiest instance's time over the mean.
double imbalance(const Ran& ran) {
  double most = 0, sum = 0;
  for (const auto& instance : ran.result.instances) {
    const double busy = simulate::seconds(instance.totals.busy);
    most = std::max(most, busy);
    sum += busy;
  }
  return most / sum * static_cast<double>(ran.result.instances.size());
}

void compare(Report& report, const std::string& situation, const Instances& instances,
             const Workload& workload) {
  const auto found = pooled_tokens(instances, workload);
  const double pooled = share_of_prompts(found, workload);
  const auto add = [&](const char* row, const char* policy, double expiry_s,
                       const Workload& requests) {
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const auto ran =
          run({.instances = instances,
               .workload = requests,
               .policy = policy,
               .seed = seed,
               .faults = {},
               .change = [&](schedule::SchedulerSettings& s) { s.prefix_expiry_s = expiry_s; }});
      report.add(kName, situation, row,
                 {{"hits %", 100 * ran.summary.cached_share},
                  {"hits % of a pooled cache", 100 * ran.summary.cached_share / pooled},
                  {"max/mean busy", imbalance(ran)},
                  {"TTFT mean s", ran.summary.ttft_s.mean},
                  {"TTFT p99 s", ran.summary.ttft_s.p99}});
    }
  };
  add("cap", "cap", 1e6, workload);
  add("prefix_bounded", "prefix_bounded", 1e6, workload);
  add("lmetric", "lmetric", 1e6, workload);
  add(kLoadOnly, kLoadOnly, -1, workload);
  add(kExpectsWork, kExpectsWork, -1, workload);
  add(kBlind, "cap", -1, workload);
  add(kEverywhere, "cap", 1e6, without(workload, found));
  const auto mean = [&](const char* row, const char* number) {
    return report.mean(kName, situation, row, number);
  };
  const double hits = mean("cap", "hits % of a pooled cache"),
               busiest = mean("cap", "max/mean busy");
  report.expect("H6", situation + ": over 85 % of a pooled cache's hits at max/mean under 1.3",
                hits > 85 && busiest < 1.3,
                fmt::format("{:.1f} % of {:.1f} %, {:.2f}", hits, 100 * pooled, busiest));
  const auto change = [&](const char* row, const char* from) {
    return mean(row, "TTFT mean s") / mean(from, "TTFT mean s") - 1;
  };
  report.expect("H6", situation + ": TTFT 30 % below load only", change("cap", kLoadOnly) <= -0.3,
                fmt::format("{}; below {} {}, below cap made blind {}, where a pooled cache behind "
                            "every instance would give {}",
                            percent(change("cap", kLoadOnly)), kExpectsWork,
                            percent(change("cap", kExpectsWork)), percent(change("cap", kBlind)),
                            percent(change(kEverywhere, kBlind))));
}

}  // namespace

void shared_prefixes(Report& report) {
  const Instances compressed = compressed_cache();
  const Instances plain = cluster_of({"H100 SXM", "H100 SXM", "A100 SXM 80", "A100 SXM 80"});
  for (const double load : kLoads) {
    for (const std::string trace : {"mooncake-conversation", "mooncake-synthetic"}) {
      compare(report, fmt::format("{}, DeepSeek-V4-Flash, load {}", trace, load), compressed,
              recorded(trace, compressed, load));
    }
    compare(report, fmt::format("conversations, Llama-3.1-8B, load {}", load), plain,
            conversations(plain, load));
  }
}

}  // namespace trex::bench
