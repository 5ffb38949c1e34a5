#include "plan/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/text.h"
#include "plan/what_if.h"
#include "simulate/cluster_file.h"

namespace trex::plan {
namespace {

// Standard deviation of the logarithm of an iteration's time (section 14.1: 3 to 5 %), so that
// seeds differ on recorded arrivals too.
constexpr double kNoise = 0.04;

// Completions are counted while the arrivals are steady.
constexpr double kSteadyFrom = 0.1, kSteadyTo = 0.9;
// A run of six times as many requests as are served at once is more than the filling and the
// emptying of the instances.
constexpr double kTurns = 6;
constexpr double kFewestTurns = 2;
constexpr int64_t kFewestRequests = 2000, kMostRequests = 20'000;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A class at the rate that the plan promises, with its model's index.
struct Demand {
  const RequestClass* request_class = nullptr;
  size_t class_index = 0;
  double requests_per_s = 0;
  simulate::GoodputLimits limits;
  simulate::Trace trace;
};

// A class stated by its means: every request is the mean one.
simulate::Trace trace_of(const RequestClass& c) {
  if (!c.trace.empty())
    return simulate::load_trace(simulate::find_trace(c.trace, "class " + c.name));
  const auto whole = [](double tokens) { return std::max<int64_t>(1, std::llround(tokens)); };
  simulate::Trace trace{.name = c.name};
  trace.requests.push_back(
      {.lengths = {whole(c.lengths.mean_input), whole(c.lengths.mean_output)}});
  return trace;
}

std::vector<Demand> demands_of(const ServingPlan& plan) {
  std::vector<Demand> demands;
  for (const RequestClass& c : plan.problem.classes) {
    Demand demand{.request_class = &c,
                  .class_index = demands.size(),
                  .requests_per_s = plan.selection.scale * nominal_rate(c),
                  .trace = trace_of(c)};
    const bool has_limits = c.limits.first_token_s || c.limits.per_token_s;
    if (c.is_bulk && !has_limits) demand.limits = {kInfinity, 0, kInfinity};
    if (c.limits.first_token_s)
      demand.limits.ttft_s = *c.limits.first_token_s, demand.limits.ttft_per_prompt_token_s = 0;
    if (c.limits.per_token_s) demand.limits.tpot_s = *c.limits.per_token_s;
    demands.push_back(std::move(demand));
  }
  return demands;
}

// Sequences that all instances hold together.
double sequences_at_once(const ServingPlan& plan) {
  double at_once = 0;
  for (size_t s = 0; s < plan.selection.counts.size(); ++s) {
    double batch = 0;
    for (const ClassPerformance& performance : plan.problem.shapes[s].classes)
      batch = std::max(batch, static_cast<double>(performance.closed_form.batch));
    at_once += batch * static_cast<double>(plan.selection.counts[s]);
  }
  return at_once;
}

int64_t enough_requests(const ServingPlan& plan) {
  const double of_class =
      kTurns * sequences_at_once(plan) / static_cast<double>(plan.problem.classes.size());
  return std::clamp(static_cast<int64_t>(of_class), kFewestRequests, kMostRequests);
}

// Runs that end before the instances are full flatter every plan.
std::string warning_of_short_runs(const ServingPlan& plan, int64_t requests) {
  const auto num_classes = static_cast<double>(plan.problem.classes.size());
  const double at_once = sequences_at_once(plan);
  if (static_cast<double>(requests) * num_classes >= kFewestTurns * at_once) return "";
  return fmt::format(
      "\nwarning: the runs are too short to fill the instances, which hold {:.0f} sequences at "
      "once: give --check-requests {:.0f} or more",
      at_once, std::ceil(kFewestTurns * at_once / num_classes));
}

// The beginning of recorded arrivals: it, not the whole trace, is brought to the planned mean rate.
simulate::Trace beginning_of(const simulate::Trace& trace, size_t requests) {
  simulate::Trace beginning = trace;
  if (trace.has_arrivals && requests < trace.requests.size()) beginning.requests.resize(requests);
  return beginning;
}

// The classes of one model in one stream by time; request_class is the index into `demands`.
simulate::Workload workload_of(const std::vector<const Demand*>& demands,
                               const CheckOptions& options, uint64_t seed) {
  simulate::Workload merged;
  merged.classes.clear();
  double shortest_s = 0;
  for (const Demand* demand : demands) {
    const double span_s = static_cast<double>(options.requests) / demand->requests_per_s;
    shortest_s = shortest_s == 0 ? span_s : std::min(shortest_s, span_s);
  }
  for (size_t c = 0; c < demands.size(); ++c) {
    simulate::ArrivalSettings arrivals{
        .arrivals = demands[c]->trace.has_arrivals ? "trace" : "poisson",
        .requests = std::max<int64_t>(1, std::llround(shortest_s * demands[c]->requests_per_s)),
        .rate = demands[c]->requests_per_s,
        .seed = seed * 1000 + c};
    const simulate::Workload one = simulate::plan_workload(
        beginning_of(demands[c]->trace, static_cast<size_t>(arrivals.requests)), arrivals);
    const bool is_bulk = demands[c]->request_class->is_bulk;
    merged.classes.push_back({demands[c]->request_class->name,
                              is_bulk ? schedule::Priority::Bulk : schedule::Priority::Default, 0});
    for (simulate::PlannedRequest request : one.requests) {
      request.request_class = static_cast<uint32_t>(c);
      request.first_block = request.num_blocks = 0;  // no reuse: the closed form counts none either
      merged.requests.push_back(request);
    }
  }
  std::stable_sort(merged.requests.begin(), merged.requests.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  return merged;
}

std::vector<simulate::SimulatedInstance> simulated(const std::vector<PlannedInstance>& instances,
                                                   const Problem& problem, size_t model,
                                                   uint64_t seed) {
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
  std::vector<double> asked_by_class, good_by_class;
  double requests = 0, good = 0, completed = 0, steady_per_s = 0, first_token_s = 0,
         per_token_s = 0, with_tokens = 0;
};

void add_records(const simulate::Workload& workload, const simulate::SimulationResult& result,
                 const std::vector<const Demand*>& demands, Measured& measured) {
  const double span_s =
      workload.requests.empty() ? 0 : simulate::seconds(workload.requests.back().at);
  double steady = 0;
  const auto class_of = [&](size_t i) {
    return demands[workload.requests[i].request_class]->class_index;
  };
  for (size_t i = 0; i < result.records.size(); ++i) {
    const simulate::Record& record = result.records[i];
    ++measured.requests;
    ++measured.asked_by_class[class_of(i)];
    if (record.outcome != simulate::Outcome::Completed) continue;
    ++measured.completed;
    const double end_s = simulate::seconds(record.ended);
    if (end_s >= kSteadyFrom * span_s && end_s <= kSteadyTo * span_s) ++steady;
    const simulate::PlannedRequest& request = workload.requests[i];
    const simulate::GoodputLimits& limits = demands[request.request_class]->limits;
    const double first_s = simulate::seconds(record.first_token - record.arrived);
    const auto later_tokens = static_cast<double>(request.lengths.output_tokens - 1);
    const double token_s =
        later_tokens > 0 ? simulate::seconds(record.ended - record.first_token) / later_tokens : 0;
    measured.first_token_s += first_s;
    if (later_tokens > 0) measured.per_token_s += token_s, ++measured.with_tokens;
    const double most_first_s =
        limits.ttft_s +
        limits.ttft_per_prompt_token_s * static_cast<double>(request.lengths.prompt_tokens);
    const bool is_good = first_s <= most_first_s && token_s <= limits.tpot_s;
    measured.good += is_good ? 1 : 0;
    measured.good_by_class[class_of(i)] += is_good ? 1 : 0;
  }
  if (span_s > 0) measured.steady_per_s += steady / ((kSteadyTo - kSteadyFrom) * span_s);
}

// One seed of one plan: every model has instances, and so a cluster, of its own.
Measured run(const Problem& problem, const std::vector<PlannedInstance>& instances,
             const std::vector<Demand>& demands, const CheckOptions& options, uint64_t seed) {
  Measured measured{.asked_by_class = std::vector<double>(demands.size(), 0),
                    .good_by_class = std::vector<double>(demands.size(), 0)};
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
      for (const simulate::PlannedRequest& request : workload.requests)
        ++measured.asked_by_class[own[request.request_class]->class_index];
      continue;
    }
    simulate::SimulationInput input{.workload = workload,
                                    .instances = cluster,
                                    .scheduler = simulate::SimulateSettings::patient_scheduler()};
    simulate::fit_to_workload(cluster, input.scheduler,
                              perf::WorkloadMoments::of(workload.lengths()));
    input.scheduler.seed = seed;
    add_records(workload, simulate::simulate(input), own, measured);
  }
  return measured;
}

CheckedPlan checked_plan(const std::vector<Measured>& seeds) {
  std::vector<double> goodput, rate, first, token, of_class(seeds[0].asked_by_class.size(), 0);
  for (const Measured& m : seeds) {
    for (size_t c = 0; c < of_class.size(); ++c) {
      if (m.asked_by_class[c] > 0)
        of_class[c] += m.good_by_class[c] / m.asked_by_class[c] / static_cast<double>(seeds.size());
    }
    goodput.push_back(m.requests > 0 ? m.good / m.requests : 0);
    rate.push_back(m.steady_per_s);
    first.push_back(m.completed > 0 ? m.first_token_s / m.completed : 0);
    token.push_back(m.with_tokens > 0 ? m.per_token_s / m.with_tokens : 0);
  }
  return {.goodput = simulate::estimate_of(goodput),
          .class_goodput = of_class,
          .requests_per_s = simulate::estimate_of(rate),
          .first_token_s = simulate::estimate_of(first),
          .per_token_s = simulate::estimate_of(token)};
}

// Instances of each pipeline, to tell plans that are the same.
std::map<const perf::PipelineModel*, int64_t> content_of(const Problem& problem,
                                                         const Selection& selection) {
  std::map<const perf::PipelineModel*, int64_t> content;
  for (size_t s = 0; s < selection.counts.size(); ++s) {
    if (selection.counts[s] > 0) content[problem.shapes[s].pipeline.get()] = selection.counts[s];
  }
  return content;
}

// The shapes that the closed form chose and the other plan does not run, or runs in other numbers.
std::string difference(const ServingPlan& plan, const Alternative& other) {
  const auto others = content_of(*other.problem, other.selection);
  std::vector<std::string> parts;
  for (size_t s = 0; s < plan.selection.counts.size(); ++s) {
    const Shape& shape = plan.problem.shapes[s];
    const auto same = others.find(shape.pipeline.get());
    const int64_t count = plan.selection.counts[s];
    if (count == 0 || (same != others.end() && same->second == count)) continue;
    const std::string place =
        shape.crosses_machines() ? "" : " on " + plan.problem.kinds[shape.kind].device.name;
    parts.push_back(fmt::format("{}x {} {}{}", count, plan.problem.models[shape.model].name,
                                shape.text(), place));
  }
  return parts.empty() ? "fewer instances" : joined(parts, " + ");
}

struct Candidate {
  std::string text;
  const Problem* problem;
  const Selection* selection;
  std::optional<size_t> alternative;  // its number; none: the closed form's best
};

// In the order of the closed form, each once.
std::vector<Candidate> candidates_of(const ServingPlan& plan, size_t most) {
  std::vector<Candidate> candidates{
      {"the closed form's best", &plan.problem, &plan.selection, std::nullopt}};
  std::vector<std::map<const perf::PipelineModel*, int64_t>> seen{
      content_of(plan.problem, plan.selection)};
  for (size_t a = 0; a < plan.alternatives.size() && candidates.size() < most; ++a) {
    const Alternative& alternative = plan.alternatives[a];
    if (alternative.problem == nullptr) continue;
    const auto content = content_of(*alternative.problem, alternative.selection);
    if (std::find(seen.begin(), seen.end(), content) != seen.end()) continue;
    seen.push_back(content);
    candidates.push_back({alternative.text, alternative.problem.get(), &alternative.selection, a});
  }
  return candidates;
}

// The alternative becomes the plan, and the plan an alternative; those that were simulated say what
// came of it.
void take_winner(ServingPlan& plan, size_t number, const std::vector<Candidate>& candidates,
                 const std::vector<CheckedPlan>& checked) {
  const Alternative winner = plan.alternatives[number];
  const auto simulated_reason = [](const CheckedPlan& c) {
    return goodput_text(c) + " of its requests keep their limits in the simulation";
  };
  for (const CheckedPlan& c : checked) {
    const Candidate& candidate = candidates[c.closed_form_rank - 1];
    if (candidate.alternative)
      plan.alternatives[*candidate.alternative].reason = simulated_reason(c);
  }
  const auto& closed_form = *std::find_if(
      checked.begin(), checked.end(), [](const CheckedPlan& c) { return c.closed_form_rank == 1; });
  Alternative former{.text = closed_form.text + ": " + difference(plan, winner),
                     .scale = plan.selection.scale,
                     .cost_usd_h = plan.selection.cost_usd_h,
                     .reason = simulated_reason(closed_form),
                     .problem = std::make_shared<const Problem>(plan.problem),
                     .selection = plan.selection};
  plan.alternatives.erase(plan.alternatives.begin() + static_cast<std::ptrdiff_t>(number));
  plan.alternatives.insert(plan.alternatives.begin(), std::move(former));
  take(plan, winner);
  if (!plan.sensitivity.empty()) plan.sensitivity = sensitivity_of(plan.problem, plan.selection);
  describe_selection(plan);
}

}  // namespace

void decide_by_simulation(ServingPlan& plan, const CheckOptions& given, Progress& progress) {
  CheckOptions options = given;
  if (options.requests == 0) options.requests = enough_requests(plan);
  const std::vector<Candidate> candidates = candidates_of(plan, options.num_plans);
  const std::vector<Demand> demands = demands_of(plan);
  progress.started("checking by simulation",
                   static_cast<int64_t>(candidates.size()) * options.seeds, "runs");
  std::vector<CheckedPlan> checked;
  int64_t done = 0;
  for (const Candidate& candidate : candidates) {
    const auto instances = instances_of(*candidate.problem, *candidate.selection);
    std::vector<Measured> seeds;
    for (int64_t seed = 1; seed <= options.seeds; ++seed) {
      seeds.push_back(
          run(*candidate.problem, instances, demands, options, static_cast<uint64_t>(seed)));
      progress.advanced(++done, candidate.text);
    }
    CheckedPlan& result = checked.emplace_back(checked_plan(seeds));
    result.text = candidate.text;
    result.closed_form_rank = checked.size();
    result.scale = candidate.selection->scale;
    result.cost_usd_h = candidate.selection->cost_usd_h;
  }
  progress.finished();
  std::stable_sort(checked.begin(), checked.end(),
                   [](const auto& a, const auto& b) { return a.goodput.mean > b.goodput.mean; });
  const size_t winner = winner_of(checked, plan.problem.objective);
  checked[winner].is_taken = true;
  plan.verdict = verdict_of(checked, plan.problem) + warning_of_short_runs(plan, options.requests);
  const Candidate& taken = candidates[checked[winner].closed_form_rank - 1];
  if (taken.alternative) take_winner(plan, *taken.alternative, candidates, checked);
  plan.checked = std::move(checked);
}

}  // namespace trex::plan
