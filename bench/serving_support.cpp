#include "bench/serving_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/text.h"

namespace trex::bench {

simulate::SimulatedInstance instance_of(const simulate::InstanceSettings& settings,
                                        const std::string& name) {
  static const perf::Catalogue catalogue = perf::Catalogue::shipped();
  return simulate::make_instance(settings, catalogue, name, "bench");
}

Instances cluster_of(const std::vector<std::string>& devices) {
  Instances instances;
  for (const std::string& device : devices) {
    simulate::InstanceSettings settings;
    settings.model = "Llama-3.1-8B";
    settings.device = device;
    instances.push_back(instance_of(settings, fmt::format("{}-{}", device, instances.size() + 1)));
  }
  return instances;
}

Instances slot_cluster(const std::vector<SlotNumbers>& engines) {
  Instances instances;
  for (const SlotNumbers& engine : engines) {
    simulate::InstanceSettings settings;
    settings.engine = "slots";
    settings.token_ms = engine.token_ms;
    settings.max_sequences = engine.slots;
    settings.prompt_tokens_per_s = engine.prompt_tokens_per_s;
    instances.push_back(
        instance_of(settings, std::string(1, static_cast<char>('A' + instances.size()))));
  }
  return instances;
}

simulate::SimulatedInstance slower(const simulate::SimulatedInstance& instance, double ratio) {
  simulate::SimulatedInstance slow = instance;
  for (perf::InstanceModel* model : {&slow.iterations.model, &slow.believed.model}) {
    model->time.base_s *= ratio;
    for (double& slope : model->time.per_sequence_s) slope *= ratio;
    model->time.per_context_token_s *= ratio;
    model->time.per_prompt_token_s *= ratio;
    model->time.per_prompt_pair_s *= ratio;
  }
  slow.believed.name += " slow";
  return slow;
}

Ran run(const Setup& setup) {
  Instances instances = setup.instances;
  schedule::SchedulerSettings scheduler = simulate::SimulateSettings::patient_scheduler();
  Ran ran;
  ran.capacity_per_s = simulate::fit_to_workload(
      instances, scheduler, perf::WorkloadMoments::of(setup.workload.lengths()));
  scheduler.policy = setup.policy;
  scheduler.seed = setup.seed;
  if (setup.change) setup.change(scheduler);
  ran.result = simulate::simulate({.workload = setup.workload,
                                   .instances = instances,
                                   .scheduler = scheduler,
                                   .faults = setup.faults});
  ran.summary = simulate::summarize(setup.workload, ran.result, {});
  // A bench that loses requests measures nothing.
  TREX_CHECK(!setup.faults.empty() || ran.summary.completed == ran.summary.requests,
             "{}: {} of {} completed", setup.policy, ran.summary.completed, ran.summary.requests);
  return ran;
}

simulate::Workload drawn(const std::string& trace, simulate::ArrivalSettings settings,
                         uint64_t seed) {
  settings.seed = seed;
  if (settings.arrivals == "trace") settings.arrivals = "poisson";
  return simulate::plan_workload(shipped(trace), settings);
}

simulate::Workload offline(const std::string& trace, uint64_t seed, int64_t requests) {
  simulate::Workload workload = drawn(trace, {.arrivals = "offline", .requests = requests}, seed);
  workload.classes = {{"bulk", schedule::Priority::Bulk, 0}};
  return workload;
}

std::string percent(double share) { return fmt::format("{:+.1f} %", 100 * share); }

std::vector<std::pair<std::string, double>> online_numbers(const Ran& ran) {
  const auto& s = ran.summary;
  return {{"TTFT p99 s", s.ttft_s.p99},
          {"TPOT p99 ms", 1e3 * s.tpot_s.p99},
          {"latency mean s", s.latency_s.mean},
          {"latency p99 s", s.latency_s.p99},
          {"goodput /s", s.goodput_per_s}};
}

double capacity(Instances instances, const std::vector<perf::RequestLengths>& lengths) {
  schedule::SchedulerSettings scheduler;
  return simulate::fit_to_workload(instances, scheduler, perf::WorkloadMoments::of(lengths));
}

const simulate::Trace& shipped(const std::string& name) {
  static std::map<std::string, simulate::Trace> traces;
  const auto found = traces.find(name);
  if (found != traces.end()) return found->second;
  return traces[name] = simulate::load_trace(simulate::find_trace(name, "bench"));
}

Report::Row* Report::find(const std::string& experiment, const std::string& situation,
                          const std::string& policy) {
  for (Row& row : rows_) {
    if (row.experiment == experiment && row.situation == situation && row.policy == policy)
      return &row;
  }
  return nullptr;
}

void Report::add(const std::string& experiment, const std::string& situation,
                 const std::string& policy,
                 const std::vector<std::pair<std::string, double>>& numbers) {
  Row* row = find(experiment, situation, policy);
  if (row == nullptr) {
    rows_.push_back({experiment, situation, policy, {}, {}});
    row = &rows_.back();
  }
  for (const auto& [name, value] : numbers) {
    if (std::find(row->names.begin(), row->names.end(), name) == row->names.end())
      row->names.push_back(name);
    row->values[name].push_back(value);
  }
}

double Report::mean(const std::string& experiment, const std::string& situation,
                    const std::string& policy, const std::string& number) const {
  return simulate::estimate_of(values(experiment, situation, policy, number)).mean;
}

const std::vector<double>& Report::values(const std::string& experiment,
                                          const std::string& situation, const std::string& policy,
                                          const std::string& number) const {
  const Row* row = const_cast<Report*>(this)->find(experiment, situation, policy);
  TREX_CHECK(row != nullptr && row->values.contains(number), "no {} of {} / {} / {}", number,
             experiment, situation, policy);
  return row->values.at(number);
}

void Report::expect(const std::string& experiment, const std::string& statement, bool holds,
                    const std::string& measured) {
  statements_.push_back({experiment, statement, measured, holds});
}

void Report::compare(const std::string& experiment, const std::string& what, double published,
                     double measured, const std::string& reason) {
  const bool is_near = std::abs(measured / published - 1) <= 0.15;
  const std::string why = is_near || reason.empty() ? "" : fmt::format("; {}", reason);
  expect(experiment, fmt::format("{}: {:.4g} within 15 %, or explained", what, published),
         is_near || !reason.empty(),
         fmt::format("{:.4g} ({}){}", measured, percent(measured / published - 1), why));
}

void Report::print_json_lines() const {
  for (const Row& row : rows_) {
    Json numbers = Json::object();
    for (const std::string& name : row.names) {
      const auto estimate = simulate::estimate_of(row.values.at(name));
      numbers[name] = {{"mean", estimate.mean},
                       {"half_width_95", estimate.half_width},
                       {"seeds", row.values.at(name).size()}};
    }
    fmt::print("{}\n", to_line({{"experiment", row.experiment},
                                {"situation", row.situation},
                                {"policy", row.policy},
                                {"numbers", numbers}}));
  }
  for (const Statement& statement : statements_) {
    fmt::print("{}\n", to_line({{"experiment", statement.experiment},
                                {"expected", statement.text},
                                {"measured", statement.measured},
                                {"holds", statement.holds}}));
  }
}

void Report::print_markdown() const {
  std::string experiment;
  for (const Row& row : rows_) {
    if (row.experiment != experiment) {
      experiment = row.experiment;
      fmt::print("\n### {}\n\n| situation | policy | {} |\n|---|---|", experiment,
                 joined(row.names, " | "));
      for (size_t i = 0; i < row.names.size(); ++i) fmt::print("---|");
      fmt::print("\n");
    }
    fmt::print("| {} | {} |", row.situation, row.policy);
    for (const std::string& name : row.names) {
      const auto estimate = simulate::estimate_of(row.values.at(name));
      fmt::print(" {:.4g} ± {:.2g} |", estimate.mean, estimate.half_width);
    }
    fmt::print("\n");
  }
  fmt::print("\n| experiment | expected | measured | holds |\n|---|---|---|---|\n");
  for (const Statement& s : statements_)
    fmt::print("| {} | {} | {} | {} |\n", s.experiment, s.text, s.measured,
               s.holds ? "yes" : "**no**");
}

bool Report::all_hold() const {
  return std::all_of(statements_.begin(), statements_.end(),
                     [](const Statement& statement) { return statement.holds; });
}

}  // namespace trex::bench
