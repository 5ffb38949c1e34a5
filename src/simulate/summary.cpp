#include "simulate/summary.h"

#include <algorithm>
#include <cmath>

namespace trex::simulate {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<size_t>(position);
  const size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (position - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

// Two-sided 95 % of Student's t by degrees of freedom.
double t_value(size_t degrees) {
  static constexpr double kTable[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                      2.306,  2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
                                      2.131,  2.120, 2.110, 2.101, 2.093, 2.086};
  return degrees <= std::size(kTable) ? kTable[degrees - 1]
                                      : 1.96 + 2.5 / static_cast<double>(degrees);
}

// Output tokens of one answer that fall into [from, to], as if they came evenly.
double tokens_within(const Record& record, double tokens, double from_s, double to_s) {
  const double begin = seconds(record.first_token), end = seconds(record.ended);
  if (end <= begin) return end >= from_s && end <= to_s ? tokens : 0;
  const double overlap = std::min(end, to_s) - std::max(begin, from_s);
  return overlap > 0 ? tokens * overlap / (end - begin) : 0;
}

Nanoseconds last_arrival(const SimulationResult& result) {
  Nanoseconds last = 0;
  for (const Record& record : result.records) last = std::max(last, record.arrived);
  return last;
}

}  // namespace

Distribution distribution_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  double sum = 0;
  for (const double value : values) sum += value;
  return {sum / static_cast<double>(values.size()), quantile(values, 0.5), quantile(values, 0.9),
          quantile(values, 0.99)};
}

Summary summarize(const Workload& workload, const SimulationResult& result,
                  const GoodputLimits& limits) {
  Summary summary;
  summary.requests = static_cast<int64_t>(result.records.size());
  summary.makespan_s = seconds(result.makespan);
  // An offline batch has no arrivals to speak of: its steady window is that of the whole run.
  const double span_s =
      last_arrival(result) > 0 ? seconds(last_arrival(result)) : summary.makespan_s;
  const double from_s = 0.1 * span_s, to_s = 0.9 * span_s;
  std::vector<double> latencies, ttfts, tpots;
  double tokens = 0, steady_tokens = 0, steady_ends = 0, good = 0, steady_good = 0,
         prompt_tokens = 0, cached = 0;
  for (size_t i = 0; i < result.records.size(); ++i) {
    const Record& record = result.records[i];
    switch (record.outcome) {
      case Outcome::Completed:
        ++summary.completed;
        break;
      case Outcome::Refused:
        ++summary.refused;
        continue;
      case Outcome::Expired:
        ++summary.expired;
        continue;
      case Outcome::Failed:
        ++summary.failed;
        continue;
    }
    const auto& lengths = workload.requests[i].lengths;
    const auto output = static_cast<double>(record.output_tokens);
    summary.cut += record.output_tokens < lengths.output_tokens ? 1 : 0;
    const double ttft_s = seconds(record.first_token - record.arrived);
    const double end_s = seconds(record.ended);
    latencies.push_back(seconds(record.ended - record.arrived));
    ttfts.push_back(ttft_s);
    const double tpot_s =
        output > 1 ? seconds(record.ended - record.first_token) / (output - 1) : 0;
    if (output > 1) tpots.push_back(tpot_s);
    tokens += output;
    steady_tokens += tokens_within(record, output, from_s, to_s);
    const bool is_steady = end_s >= from_s && end_s <= to_s;
    steady_ends += is_steady ? 1 : 0;
    const double ttft_limit =
        limits.ttft_s + limits.ttft_per_prompt_token_s * static_cast<double>(lengths.prompt_tokens);
    const bool is_good = ttft_s <= ttft_limit && tpot_s <= limits.tpot_s;
    good += is_good ? 1 : 0;
    steady_good += is_good && is_steady ? 1 : 0;
    prompt_tokens += static_cast<double>(lengths.prompt_tokens);
    cached += static_cast<double>(record.cached_tokens);
  }
  summary.latency_s = distribution_of(std::move(latencies));
  summary.ttft_s = distribution_of(std::move(ttfts));
  summary.tpot_s = distribution_of(std::move(tpots));
  if (summary.makespan_s > 0) {
    summary.requests_per_s = static_cast<double>(summary.completed) / summary.makespan_s;
    summary.output_tokens_per_s = tokens / summary.makespan_s;
    summary.steady_requests_per_s = steady_ends / (to_s - from_s);
    summary.steady_tokens_per_s = steady_tokens / (to_s - from_s);
    summary.goodput_per_s = steady_good / (to_s - from_s);
  }
  if (summary.requests > 0) summary.goodput_share = good / static_cast<double>(summary.requests);
  if (prompt_tokens > 0) summary.cached_share = cached / prompt_tokens;
  for (const InstanceResult& instance : result.instances)
    summary.preemptions += instance.totals.preemptions;
  return summary;
}

std::vector<std::pair<std::string, double>> named_numbers(const Summary& s) {
  return {{"requests", static_cast<double>(s.requests)},
          {"completed", static_cast<double>(s.completed)},
          {"refused", static_cast<double>(s.refused)},
          {"expired", static_cast<double>(s.expired)},
          {"failed", static_cast<double>(s.failed)},
          {"cut", static_cast<double>(s.cut)},
          {"makespan_s", s.makespan_s},
          {"requests_per_s", s.requests_per_s},
          {"output_tokens_per_s", s.output_tokens_per_s},
          {"steady_requests_per_s", s.steady_requests_per_s},
          {"steady_output_tokens_per_s", s.steady_tokens_per_s},
          {"goodput_per_s", s.goodput_per_s},
          {"goodput_share", s.goodput_share},
          {"latency_mean_s", s.latency_s.mean},
          {"latency_p50_s", s.latency_s.p50},
          {"latency_p99_s", s.latency_s.p99},
          {"ttft_mean_s", s.ttft_s.mean},
          {"ttft_p50_s", s.ttft_s.p50},
          {"ttft_p99_s", s.ttft_s.p99},
          {"tpot_mean_s", s.tpot_s.mean},
          {"tpot_p50_s", s.tpot_s.p50},
          {"tpot_p99_s", s.tpot_s.p99},
          {"cached_share", s.cached_share},
          {"preemptions", static_cast<double>(s.preemptions)}};
}

Estimate estimate_of(std::span<const double> values) {
  if (values.empty()) return {};
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  Estimate estimate{.mean = sum / n};
  if (values.size() < 2) return estimate;
  double squares = 0;
  for (const double value : values) squares += (value - estimate.mean) * (value - estimate.mean);
  estimate.half_width = t_value(values.size() - 1) * std::sqrt(squares / (n - 1) / n);
  return estimate;
}

std::string record_line(const Workload& workload, const SimulationResult& result, size_t index) {
  const Record& record = result.records[index];
  const PlannedRequest& planned = workload.requests[index];
  const auto time = [](Nanoseconds at) { return at == kNever ? Json(nullptr) : Json(seconds(at)); };
  Json line = {
      {"arrival_s", seconds(record.arrived)},
      {"prompt_tokens", planned.lengths.prompt_tokens},
      {"output_tokens", record.output_tokens},
      {"class", workload.classes[planned.request_class].name},
      {"tenant", workload.tenants[planned.tenant]},
      {"outcome", to_string(record.outcome)},
      {"instance", record.instance == UINT32_MAX ? Json(nullptr)
                                                 : Json(result.instances[record.instance].name)},
      {"dispatched_s", time(record.dispatched)},
      {"first_token_s", time(record.first_token)},
      {"ended_s", time(record.ended)},
      {"cached_tokens", record.cached_tokens},
      {"retries", record.retries}};
  return to_line(line);
}

}  // namespace trex::simulate
