// H6 of heterogeneous serving, section 17: prompts that begin alike. Does the scheduler find the
// instance that has the beginning in its cache, without overloading it?
#include <fmt/format.h>

#include <algorithm>

#include "bench/serving_support.h"
#include "simulate/prefix_cache.h"

namespace trex::bench {
namespace {

using simulate::Workload;

const char* const kName = "H6: shared prefixes, rho 0.8 without any cache";
constexpr double kRho = 0.8;

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

Workload recorded(const std::string& trace, const Instances& instances) {
  simulate::ArrivalSettings settings{.arrivals = "trace", .requests = kRequests, .rate = 1};
  Workload workload = simulate::plan_workload(shipped(trace), settings);
  settings.rate = kRho * capacity(instances, workload.lengths());
  workload = simulate::plan_workload(shipped(trace), settings);
  // A few prompts of the synthetic trace are longer than an instance takes.
  std::erase_if(workload.requests,
                [](const auto& request) { return request.lengths.prompt_tokens > 125'000; });
  return workload;
}

// Conversations of six turns behind one system prompt; each turn repeats what was said.
Workload conversations(const Instances& instances) {
  simulate::ArrivalSettings settings{.arrivals = "sessions", .requests = kRequests, .rate = 1};
  settings.turns = 6;
  settings.think_s = 10;
  settings.system_prompt_tokens = 1500;
  Workload workload = simulate::plan_workload(shipped("azure-conv-2023"), settings);
  settings.rate = kRho * capacity(instances, workload.lengths());
  return simulate::plan_workload(shipped("azure-conv-2023"), settings);
}

// The share of prompt tokens that one cache as large as all of them together would find.
double pooled_share(const Instances& instances, const Workload& workload) {
  double capacity_blocks = 0, found = 0, prompts = 0;
  for (const auto& instance : instances) {
    const auto& model = instance.iterations.model;
    capacity_blocks += model.kv_capacity_bytes / model.kv.bytes(workload.block_tokens);
  }
  simulate::PrefixCache pooled;
  for (const auto& request : workload.requests) {
    const auto blocks = std::span(workload.blocks).subspan(request.first_block, request.num_blocks);
    const auto tokens = static_cast<int64_t>(pooled.match(blocks)) * workload.block_tokens;
    pooled.insert(blocks);
    pooled.shrink_to(static_cast<size_t>(capacity_blocks));
    found += static_cast<double>(std::min(tokens, request.lengths.prompt_tokens - 1));
    prompts += static_cast<double>(request.lengths.prompt_tokens);
  }
  return found / prompts;
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
  const double pooled = pooled_share(instances, workload);
  const auto add = [&](const char* row, const char* policy, double expiry_s) {
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const auto ran =
          run({.instances = instances,
               .workload = workload,
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
  add("cap", "cap", 1e6);
  add("prefix_bounded", "prefix_bounded", 1e6);
  add("lmetric", "lmetric", 1e6);
  add("cap, blind to prefixes", "cap", 1e-9);
  const auto mean = [&](const char* row, const char* number) {
    return report.mean(kName, situation, row, number);
  };
  const double hits = mean("cap", "hits % of a pooled cache"),
               busiest = mean("cap", "max/mean busy");
  report.expect("H6", situation + ": over 85 % of a pooled cache's hits at max/mean under 1.3",
                hits > 85 && busiest < 1.3,
                fmt::format("{:.1f} % of {:.1f} %, {:.2f}", hits, 100 * pooled, busiest));
  const double gain =
      1 - mean("cap", "TTFT mean s") / mean("cap, blind to prefixes", "TTFT mean s");
  report.expect("H6", situation + ": TTFT 30 % below load only", gain >= 0.3, percent(-gain));
}

}  // namespace

void shared_prefixes(Report& report) {
  const Instances compressed = compressed_cache();
  for (const std::string trace : {"mooncake-conversation", "mooncake-synthetic"}) {
    compare(report, trace + ", DeepSeek-V4-Flash", compressed, recorded(trace, compressed));
  }
  const Instances plain = cluster_of({"H100 SXM", "H100 SXM", "A100 SXM 80", "A100 SXM 80"});
  compare(report, "conversations, Llama-3.1-8B", plain, conversations(plain));
}

}  // namespace trex::bench
