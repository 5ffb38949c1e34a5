#include "simulate/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/check.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/text.h"

namespace trex::simulate {
namespace {

// Marsaglia and Tsang, "A simple method for generating gamma variables", 2000.
double gamma_draw(Rng& rng, double shape) {
  if (shape < 1) return gamma_draw(rng, shape + 1) * std::pow(1 - rng.uniform(), 1 / shape);
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = rng.normal();
    const double v = std::pow(1 + c * x, 3);
    if (v <= 0) continue;
    if (std::log(1 - rng.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

// Gaps between arrivals, one call each.
class Gaps {
 public:
  Gaps(const ArrivalSettings& settings, double rate)
      : settings_(settings), rate_(rate), rng_(settings.seed, "arrivals") {}

  double next() {
    if (settings_.arrivals == "gamma") {
      const double shape = 1 / (settings_.cv * settings_.cv);
      return gamma_draw(rng_, shape) / (shape * rate_);
    }
    if (settings_.arrivals == "mmpp") return modulated();
    if (settings_.diurnal_swing > 0) return diurnal();
    return rng_.exponential(rate_);
  }

 private:
  // Two states; the rate outside bursts makes the mean come out.
  double modulated() {
    const double share = settings_.burst_share;
    const double burst_rate = rate_ * settings_.burst_factor;
    const double calm_rate =
        std::max(rate_ * (1 - share * settings_.burst_factor) / (1 - share), 0.0);
    const double calm_s = settings_.burst_s * (1 - share) / share;
    double gap = 0;
    while (true) {
      if (left_s_ <= 0) {
        in_burst_ = !in_burst_;
        left_s_ = rng_.exponential(1 / (in_burst_ ? settings_.burst_s : calm_s));
      }
      const double rate = in_burst_ ? burst_rate : calm_rate;
      const double step = rate > 0 ? rng_.exponential(rate) : left_s_ + 1;
      if (step <= left_s_) {
        left_s_ -= step;
        return gap + step;
      }
      gap += left_s_;
      left_s_ = 0;
    }
  }

  // Lewis and Shedler's thinning of a process at the peak rate.
  double diurnal() {
    const double swing = settings_.diurnal_swing, from = now_s_;
    while (true) {
      now_s_ += rng_.exponential(rate_ * (1 + swing));
      const double share =
          (1 + swing * std::sin(2 * M_PI * now_s_ / settings_.day_s)) / (1 + swing);
      if (rng_.chance(share)) return now_s_ - from;
    }
  }

  const ArrivalSettings& settings_;
  double rate_;
  Rng rng_;
  bool in_burst_ = true;
  double left_s_ = 0, now_s_ = 0;
};

void copy_row(const Trace& trace, size_t row, Workload& workload, PlannedRequest& request) {
  const TraceRequest& source = trace.requests[row];
  request.lengths = source.lengths;
  request.lengths.output_tokens = std::max<int64_t>(request.lengths.output_tokens, 1);
  request.first_block = static_cast<uint32_t>(workload.blocks.size());
  request.num_blocks = static_cast<uint32_t>(source.prefix_blocks.size());
  workload.blocks.insert(workload.blocks.end(), source.prefix_blocks.begin(),
                         source.prefix_blocks.end());
}

// Names of a trace's classes and tenants become indices.
class Names {
 public:
  explicit Names(std::vector<std::string>& list) : list_(list) {}
  uint32_t index(const std::string& name) {
    if (name.empty()) return 0;
    const auto [place, is_new] = index_.try_emplace(name, static_cast<uint32_t>(list_.size()));
    if (is_new) list_.push_back(name);
    return place->second;
  }

 private:
  std::vector<std::string>& list_;
  std::map<std::string, uint32_t> index_;
};

RequestClass class_named(const std::string& name) {
  using schedule::Priority;
  if (name == "system") return {name, Priority::System};
  if (name == "interactive") return {name, Priority::Interactive};
  if (name == "bulk") return {name, Priority::Bulk};
  return {name, Priority::Default};
}

void from_trace(const Trace& trace, const ArrivalSettings& settings, Workload& workload) {
  Rng rng(settings.seed, "thinning");
  const double recorded = arrival_statistics(trace).requests_per_s;
  const double scale = settings.rate > 0 && recorded > 0 ? recorded / settings.rate : 1;
  const double keep = settings.thin ? std::min(1 / scale, 1.0) : 1;
  Names tenants(workload.tenants);
  std::vector<std::string> class_names{"default"};
  Names classes(class_names);
  for (size_t row = 0; row < trace.requests.size(); ++row) {
    if (settings.requests > 0 &&
        static_cast<int64_t>(workload.requests.size()) >= settings.requests)
      break;
    if (settings.thin && !rng.chance(keep)) continue;
    PlannedRequest request;
    request.at = nanoseconds(trace.requests[row].arrival_s * (settings.thin ? 1 : scale));
    request.tenant = tenants.index(trace.requests[row].tenant);
    request.request_class = classes.index(trace.requests[row].request_class);
    copy_row(trace, row, workload, request);
    workload.requests.push_back(request);
  }
  workload.classes.clear();
  for (const std::string& name : class_names) workload.classes.push_back(class_named(name));
}

int64_t count_of(const Trace& trace, const ArrivalSettings& settings) {
  return settings.requests > 0 ? settings.requests : static_cast<int64_t>(trace.requests.size());
}

void open_loop(const Trace& trace, const ArrivalSettings& settings, Workload& workload) {
  Rng rows(settings.seed, "lengths");
  Gaps gaps(settings, settings.rate);
  double now_s = 0;
  for (int64_t i = 0; i < count_of(trace, settings); ++i) {
    PlannedRequest request;
    if (settings.arrivals != "offline") now_s += gaps.next();
    request.at = nanoseconds(now_s);
    copy_row(trace, rows.below(trace.requests.size()), workload, request);
    workload.requests.push_back(request);
  }
}

void closed_loop(const Trace& trace, const ArrivalSettings& settings, Workload& workload) {
  Rng rows(settings.seed, "lengths"), think(settings.seed, "think");
  const int64_t count = count_of(trace, settings);
  for (int64_t i = 0; i < count; ++i) {
    PlannedRequest request;
    request.is_chained = i >= settings.clients;
    request.at = settings.think_s > 0 ? nanoseconds(think.exponential(1 / settings.think_s)) : 0;
    if (i + settings.clients < count)
      request.successor = static_cast<uint32_t>(i + settings.clients);
    copy_row(trace, rows.below(trace.requests.size()), workload, request);
    workload.requests.push_back(request);
  }
}

// Each turn's prompt is the system prompt, all turns before and a new question; block ids follow
// the text, so turns of one session share their beginnings, and all sessions the system prompt.
void sessions(const Trace& trace, const ArrivalSettings& settings, Workload& workload) {
  constexpr int64_t kBlockTokens = 64;
  workload.block_tokens = kBlockTokens;
  Rng rows(settings.seed, "lengths"), think(settings.seed, "think"), turns(settings.seed, "turns");
  ArrivalSettings starts = settings;
  starts.arrivals = "poisson";
  Gaps gaps(starts, settings.rate / static_cast<double>(settings.turns));
  const int64_t count = count_of(trace, settings);
  double start_s = 0;
  int64_t session = 0;
  while (static_cast<int64_t>(workload.requests.size()) < count) {
    start_s += gaps.next();
    ++session;
    int64_t history = settings.system_prompt_tokens;
    const double stop = 1 / static_cast<double>(settings.turns);
    for (bool is_first = true;; is_first = false) {
      PlannedRequest request;
      copy_row(trace, rows.below(trace.requests.size()), workload, request);
      workload.blocks.resize(request.first_block);  // the trace's own prefixes do not apply
      request.lengths.prompt_tokens += history;
      request.is_chained = !is_first;
      request.at =
          nanoseconds(is_first ? start_s : think.exponential(1 / std::max(settings.think_s, 1e-6)));
      const int64_t num_blocks = request.lengths.prompt_tokens / kBlockTokens;
      for (int64_t block = 0; block < num_blocks; ++block) {
        const bool is_system = (block + 1) * kBlockTokens <= settings.system_prompt_tokens;
        workload.blocks.push_back(
            static_cast<uint64_t>(is_system ? block : session * (int64_t{1} << 20) + block));
      }
      request.num_blocks = static_cast<uint32_t>(num_blocks);
      history = request.lengths.prompt_tokens + request.lengths.output_tokens;
      if (!is_first)
        workload.requests.back().successor = static_cast<uint32_t>(workload.requests.size());
      workload.requests.push_back(request);
      if (turns.chance(stop) || static_cast<int64_t>(workload.requests.size()) >= count) break;
    }
  }
}

void spread_over_tenants(const ArrivalSettings& settings, Workload& workload) {
  if (settings.num_tenants <= 1) return;
  Rng rng(settings.seed, "tenants");
  std::vector<double> up_to;
  double total = 0;
  workload.tenants.clear();
  for (int64_t i = 0; i < settings.num_tenants; ++i) {
    total += std::pow(static_cast<double>(i + 1), -settings.tenant_skew);
    up_to.push_back(total);
    workload.tenants.push_back("tenant-" + std::to_string(i));
  }
  for (PlannedRequest& request : workload.requests) {
    const auto place = std::upper_bound(up_to.begin(), up_to.end(), rng.uniform() * total);
    request.tenant =
        static_cast<uint32_t>(std::min<ptrdiff_t>(place - up_to.begin(), settings.num_tenants - 1));
  }
}

// A setting that would have no effect is refused: its author expects one.
void check_arrivals(const Trace& trace, const ArrivalSettings& settings, const std::string& where) {
  const std::string& arrivals = settings.arrivals;
  const bool is_drawn = arrivals != "trace" && arrivals != "closed" && arrivals != "offline";
  if (arrivals == "trace" && !trace.has_arrivals) {
    throw input_error(where, "arrivals", "arrival times in the trace",
                      trace.name + ", a list of lengths",
                      "set arrivals to poisson and a rate, or to offline");
  }
  if (is_drawn && settings.rate <= 0) {
    throw input_error(where, "rate", "requests/s above 0 for " + arrivals + " arrivals",
                      shortest(settings.rate), "or give load");
  }
  if (arrivals == "mmpp" && settings.burst_share * settings.burst_factor > 1) {
    throw input_error(where, "burst_factor",
                      "at most 1 / burst_share = " + shortest(1 / settings.burst_share),
                      shortest(settings.burst_factor));
  }
  if (settings.diurnal_swing > 0 && arrivals != "poisson" && arrivals != "sessions") {
    throw input_error(where, "diurnal_swing", "0 with arrivals = " + arrivals,
                      shortest(settings.diurnal_swing),
                      "only poisson arrivals and sessions follow the day");
  }
  if (!settings.thin) return;
  if (arrivals != "trace")
    throw input_error(where, "thin", "false with arrivals = " + arrivals, "true",
                      "only a trace can be thinned");
  const double recorded = arrival_statistics(trace).requests_per_s;
  if (settings.rate > recorded) {
    throw input_error(where, "thin",
                      fmt::format("at most the {:.4g} requests/s of the trace", recorded),
                      fmt::format("{:.4g}", settings.rate), "without thin, time is compressed");
  }
}

}  // namespace

std::vector<perf::RequestLengths> Workload::lengths() const {
  std::vector<perf::RequestLengths> all;
  all.reserve(requests.size());
  for (const PlannedRequest& request : requests) all.push_back(request.lengths);
  return all;
}

Workload plan_workload(const Trace& trace, const ArrivalSettings& settings,
                       const std::string& where) {
  check_arrivals(trace, settings, where);
  Workload workload;
  workload.block_tokens = trace.block_tokens;
  if (settings.arrivals == "trace") {
    from_trace(trace, settings, workload);
  } else if (settings.arrivals == "closed") {
    closed_loop(trace, settings, workload);
  } else if (settings.arrivals == "sessions") {
    sessions(trace, settings, workload);
  } else {
    open_loop(trace, settings, workload);
  }
  if (workload.requests.empty()) {
    throw input_error(where, "rate", "so many requests/s that some of the trace's remain",
                      shortest(settings.rate), "thin less, or give the trace more rows");
  }
  spread_over_tenants(settings, workload);
  return workload;
}

}  // namespace trex::simulate
