#include "plan/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "simulate/cluster_file.h"

namespace trex::plan {
namespace {

// Standard deviation of the logarithm of an iteration's time (section 14.1: 3 to 5 %), so that seeds differ on recorded
// arrivals too.
constexpr double kNoise = 0.04;

// A class at the rate that the plan promises, with its model's index.
struct Demand {
  const RequestClass* request_class = nullptr;
  double requests_per_s = 0;
  simulate::GoodputLimits limits;
  simulate::Trace trace;
};

// A class stated by its means: every request is the mean one.
simulate::Trace trace_of(const RequestClass& c) {
  if (!c.trace.empty()) return simulate::load_trace(simulate::find_trace(c.trace, "class " + c.name));
  const auto whole = [](double tokens) { return std::max<int64_t>(1, std::llround(tokens)); };
  simulate::Trace trace{.name = c.name};
  trace.requests.push_back({.lengths = {whole(c.lengths.mean_input), whole(c.lengths.mean_output)}});
  return trace;
}

std::vector<Demand> demands_of(const ServingPlan& plan) {
  std::vector<Demand> demands;
  for (const RequestClass& c : plan.problem.classes) {
    Demand demand{.request_class = &c, .requests_per_s = plan.selection.scale * nominal_rate(c), .trace = trace_of(c)};
    if (c.limits.first_token_s) demand.limits.ttft_s = *c.limits.first_token_s, demand.limits.ttft_per_prompt_token_s = 0;
    if (c.limits.per_token_s) demand.limits.tpot_s = *c.limits.per_token_s;
    demands.push_back(std::move(demand));
  }
  return demands;
}

// The classes of one model in one stream by time; request_class is the index into `demands`.
simulate::Workload workload_of(const std::vector<const Demand*>& demands, const CheckOptions& options, uint64_t seed) {
  simulate::Workload merged;
  merged.classes.clear();
  double shortest_s = 0;
  for (const Demand* demand : demands) {
    const double span_s = static_cast<double>(options.requests) / demand->requests_per_s;
    shortest_s = shortest_s == 0 ? span_s : std::min(shortest_s, span_s);
  }
  for (size_t c = 0; c < demands.size(); ++c) {
    simulate::ArrivalSettings arrivals{.arrivals = demands[c]->trace.has_arrivals ? "trace" : "poisson",
                                       .requests = std::max<int64_t>(1, std::llround(shortest_s * demands[c]->requests_per_s)),
                                       .rate = demands[c]->requests_per_s, .seed = seed * 1000 + c};
    const simulate::Workload one = simulate::plan_workload(demands[c]->trace, arrivals);
    const bool is_bulk = demands[c]->request_class->is_bulk;
    merged.classes.push_back({demands[c]->request_class->name, is_bulk ? schedule::Priority::Bulk : schedule::Priority::Default, 0});
    for (simulate::PlannedRequest request : one.requests) {
      request.request_class = static_cast<uint32_t>(c);
      request.first_block = request.num_blocks = 0;  // no reuse: the closed form counts none either
      merged.requests.push_back(request);
    }
  }
  std::stable_sort(merged.requests.begin(), merged.requests.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  return merged;
}

std::vector<simulate::SimulatedInstance> simulated(const std::vector<PlannedInstance>& instances, const Problem& problem, size_t model, uint64_t seed) {
  std::vector<simulate::SimulatedInstance> all;
  for (const PlannedInstance& planned : instances) {
    if (problem.shapes[planned.shape].model != model) continue;
    simulate::SimulatedInstance instance;
    instance.iterations.model = planned.model;
    instance.iterations.seed = seed;
    instance.iterations.noise = kNoise;
    instance.believed = {.name = planned.name, .model = planned.model};
    all.push_back(std::move(instance));
  }
  return all;
}

struct Measured {
  double requests = 0, good = 0, completed = 0, span_s = 0, first_token_s = 0, per_token_s = 0, with_tokens = 0;
};

void add_records(const simulate::Workload& workload, const simulate::SimulationResult& result,
                 const std::vector<const Demand*>& demands, Measured& measured) {
  for (size_t i = 0; i < result.records.size(); ++i) {
    const simulate::Record& record = result.records[i];
    ++measured.requests;
    if (record.outcome != simulate::Outcome::Completed) continue;
    ++measured.completed;
    const simulate::PlannedRequest& request = workload.requests[i];
    const simulate::GoodputLimits& limits = demands[request.request_class]->limits;
    const double first_s = simulate::seconds(record.first_token - record.arrived);
    const auto later_tokens = static_cast<double>(request.lengths.output_tokens - 1);
    const double token_s = later_tokens > 0 ? simulate::seconds(record.ended - record.first_token) / later_tokens : 0;
    measured.first_token_s += first_s;
    if (later_tokens > 0) measured.per_token_s += token_s, ++measured.with_tokens;
    const double most_first_s = limits.ttft_s + limits.ttft_per_prompt_token_s * static_cast<double>(request.lengths.prompt_tokens);
    measured.good += first_s <= most_first_s && token_s <= limits.tpot_s ? 1 : 0;
  }
  measured.span_s = std::max(measured.span_s, simulate::seconds(result.makespan));
}

// One seed of one plan: every model has instances, and so a cluster, of its own.
Measured run(const Problem& problem, const std::vector<PlannedInstance>& instances, const std::vector<Demand>& demands,
             const CheckOptions& options, uint64_t seed) {
  Measured measured;
  for (size_t m = 0; m < problem.models.size(); ++m) {
    std::vector<const Demand*> own;
    for (const Demand& demand : demands) {
      if (demand.request_class->model == problem.models[m].name) own.push_back(&demand);
    }
    if (own.empty()) continue;
    const simulate::Workload workload = workload_of(own, options, seed);
    auto cluster = simulated(instances, problem, m, seed);
    if (cluster.empty()) {
      measured.requests += static_cast<double>(workload.requests.size());
      continue;
    }
    simulate::SimulationInput input{.workload = workload, .instances = cluster, .scheduler = simulate::SimulateSettings::patient_scheduler()};
    simulate::fit_to_workload(cluster, input.scheduler, perf::WorkloadMoments::of(workload.lengths()));
    input.scheduler.seed = seed;
    add_records(workload, simulate::simulate(input), own, measured);
  }
  return measured;
}

CheckedPlan checked_plan(const std::string& text, const Selection& selection, const std::vector<Measured>& seeds) {
  std::vector<double> goodput, rate, first, token;
  for (const Measured& m : seeds) {
    goodput.push_back(m.requests > 0 ? m.good / m.requests : 0);
    rate.push_back(m.span_s > 0 ? m.completed / m.span_s : 0);
    first.push_back(m.completed > 0 ? m.first_token_s / m.completed : 0);
    token.push_back(m.with_tokens > 0 ? m.per_token_s / m.with_tokens : 0);
  }
  return {text, selection.scale, selection.cost_usd_h, simulate::estimate_of(goodput), simulate::estimate_of(rate), simulate::estimate_of(first), simulate::estimate_of(token)};
}

const CheckedPlan& chosen_of(const std::vector<CheckedPlan>& checked) {
  return *std::find_if(checked.begin(), checked.end(), [](const CheckedPlan& c) { return c.text == "this plan"; });
}

bool is_beyond(const CheckedPlan& best, const CheckedPlan& chosen) {
  return best.goodput.mean - best.goodput.half_width > chosen.goodput.mean + chosen.goodput.half_width;
}

}  // namespace

std::vector<CheckedPlan> check_by_simulation(const ServingPlan& plan, const CheckOptions& options, Progress& progress) {
  struct Candidate {
    std::string text;
    const Problem* problem;
    const Selection* selection;
  };
  std::vector<Candidate> candidates{{"this plan", &plan.problem, &plan.selection}};
  for (const Alternative& a : plan.alternatives) {
    if (candidates.size() < options.num_plans && a.problem != nullptr) candidates.push_back({a.text, a.problem.get(), &a.selection});
  }
  const std::vector<Demand> demands = demands_of(plan);
  progress.started("checking by simulation", static_cast<int64_t>(candidates.size()) * options.seeds, "runs");
  std::vector<CheckedPlan> checked;
  int64_t done = 0;
  for (const Candidate& candidate : candidates) {
    const auto instances = instances_of(*candidate.problem, *candidate.selection);
    std::vector<Measured> seeds;
    for (int64_t seed = 1; seed <= options.seeds; ++seed) {
      seeds.push_back(run(*candidate.problem, instances, demands, options, static_cast<uint64_t>(seed)));
      progress.advanced(++done, candidate.text);
    }
    checked.push_back(checked_plan(candidate.text, *candidate.selection, seeds));
  }
  progress.finished();
  std::stable_sort(checked.begin(), checked.end(), [](const auto& a, const auto& b) { return a.goodput.mean > b.goodput.mean; });
  return checked;
}

std::string check_table(const std::vector<CheckedPlan>& checked, Objective objective) {
  const bool is_cost = objective == Objective::Cost;
  std::string text = "\ncheck by simulation (same requests at the planned rates; means with 95 % intervals over seeds)\n";
  text += fmt::format("{:>16} {:>18} {:>16} {:>16} {:>8}  {}\n", "good %", "requests/s", "TTFT ms", "TPOT ms", is_cost ? "USD/h" : "scale", "plan");
  const auto cell = [](const simulate::Estimate& e, double unit) { return fmt::format("{:.4g} ±{:.2g}", e.mean * unit, e.half_width * unit); };
  for (const CheckedPlan& c : checked) {
    // "±" is two bytes wide and one column.
    text += fmt::format("{:>17} {:>19} {:>17} {:>17} {:>8.2f}  {}\n", cell(c.goodput, 100), cell(c.requests_per_s, 1),
                        cell(c.first_token_s, 1e3), cell(c.per_token_s, 1e3), is_cost ? c.cost_usd_h : c.scale, c.text);
  }
  const CheckedPlan& chosen = chosen_of(checked);
  if (is_beyond(checked[0], chosen) && is_cost) {
    return text + fmt::format("{} keeps more limits, for {:.2f} USD/h more\n", checked[0].text, checked[0].cost_usd_h - chosen.cost_usd_h);
  }
  if (is_beyond(checked[0], chosen)) {
    return text + fmt::format("the simulation prefers {}: beyond the interval of this plan\n", checked[0].text);
  }
  return text + "the plan stands: no other is better beyond the intervals\n";
}

Json check_json(const std::vector<CheckedPlan>& checked) {
  Json plans = Json::array();
  const auto estimate = [](const simulate::Estimate& e) { return Json{{"mean", e.mean}, {"half_width_95", e.half_width}}; };
  for (const CheckedPlan& c : checked) {
    plans.push_back({{"what", c.text}, {"scale", c.scale}, {"cost_usd_h", c.cost_usd_h}, {"goodput_share", estimate(c.goodput)}, {"requests_per_s", estimate(c.requests_per_s)},
                     {"first_token_s", estimate(c.first_token_s)}, {"per_token_s", estimate(c.per_token_s)}});
  }
  return {{"stands", !is_beyond(checked[0], chosen_of(checked))}, {"plans", plans}};
}

}  // namespace trex::plan
