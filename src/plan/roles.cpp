#include "plan/roles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "perf/kv_cache.h"

namespace trex::plan {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The classes of one model, by their index.
std::vector<size_t> classes_of(const Problem& problem, size_t model) {
  std::vector<size_t> classes;
  for (size_t c = 0; c < problem.classes.size(); ++c) {
    if (problem.classes[c].model == problem.models[model].name) classes.push_back(c);
  }
  return classes;
}

// The problem of one model alone.
Problem of_model(const Problem& problem, size_t model) {
  Problem own = problem;
  const std::vector<size_t> kept = classes_of(problem, model);
  own.classes.clear();
  for (const size_t c : kept) own.classes.push_back(problem.classes[c]);
  for (size_t s = 0; s < own.shapes.size(); ++s) {
    own.shapes[s].classes.clear();
    for (const size_t c : kept) own.shapes[s].classes.push_back(problem.shapes[s].classes[c]);
  }
  return own;
}

// Seconds of an instance that a second's prompts, or answers, of the whole model take.
double busy_s(const Problem& problem, const Shape& shape, Role role) {
  const auto seconds = seconds_of(shape);
  double busy = 0;
  for (const size_t c : classes_of(problem, shape.model)) {
    const perf::WorkloadMoments& lengths = problem.classes[c].lengths;
    const perf::Throughput& throughput = shape.classes[c].closed_form;
    if (throughput.batch < 1) return kInfinity;
    const double prompt_s = perf::prompt_alone_s(seconds, lengths, shape.limits.chunk_tokens);
    const double answer_s =
        lengths.mean_output * throughput.decode_s /
        (static_cast<double>(throughput.batch) * perf::small_batch_correction(throughput.batch));
    busy += nominal_rate(problem.classes[c]) * (role == Role::Prefill ? prompt_s : answer_s);
  }
  return busy;
}

// The share of the link of one machine that the caches of a second take.
double busy_links(const Problem& problem, size_t model, double element_bytes) {
  double bytes = 0;
  const perf::KvFunction kv = perf::kv_of(problem.models[model].spec, element_bytes);
  for (const size_t c : classes_of(problem, model))
    bytes +=
        nominal_rate(problem.classes[c]) * kv.mean_bytes(problem.classes[c].lengths.mean_input);
  return bytes / problem.network.bytes_per_s;
}

// Of one model with roles.
struct Pools {
  double prefill = 0, decode = 0;  // factors on the rates that each side carries
  double network = kInfinity;
  double carried() const { return std::min({prefill, decode, network}); }
};

Pools pools_of(const Problem& problem, const Duties& duties, size_t model) {
  Pools pools;
  std::set<std::string> prefill_machines, decode_machines;
  double element_bytes = 2;
  for (const auto& [machine, own] : duties) {
    for (const auto& [duty, count] : own) {
      const Shape& shape = problem.shapes[duty.shape];
      if (shape.model != model || duty.role == Role::Both || count == 0) continue;
      const bool is_prefill = duty.role == Role::Prefill;
      const double busy = busy_s(problem, shape, duty.role);
      (is_prefill ? pools.prefill : pools.decode) +=
          planned_utilisation(shape, problem.classes) * static_cast<double>(count) / busy;
      (is_prefill ? prefill_machines : decode_machines).insert(machine);
      element_bytes = shape.limits.kv_element_bytes;
    }
  }
  const bool is_one_machine = prefill_machines.size() == 1 && prefill_machines == decode_machines;
  const size_t links = std::min(prefill_machines.size(), decode_machines.size());
  if (!is_one_machine && links > 0)
    pools.network = static_cast<double>(links) / busy_links(problem, model, element_bytes);
  return pools;
}

bool has_roles(const Problem& problem, const Duties& duties, size_t model) {
  for (const auto& [machine, own] : duties) {
    for (const auto& [duty, count] : own) {
      if (duty.role != Role::Both && problem.shapes[duty.shape].model == model) return true;
    }
  }
  return false;
}

std::vector<int64_t> counts_without_role(const Problem& problem, const Duties& duties) {
  std::vector<int64_t> counts(problem.shapes.size(), 0);
  for (const auto& [machine, own] : duties) {
    for (const auto& [duty, count] : own) counts[duty.shape] += duty.role == Role::Both ? count : 0;
  }
  return counts;
}

double carried_of_model(const Problem& problem, const Duties& duties, size_t model) {
  return scale_of(of_model(problem, model), counts_without_role(problem, duties)) +
         pools_of(problem, duties, model).carried();
}

// Instances of a model with that role.
int64_t count_of(const Problem& problem, const Duties& duties, size_t model, Role role) {
  int64_t total = 0;
  for (const auto& [machine, own] : duties) {
    for (const auto& [duty, count] : own)
      total += duty.role == role && problem.shapes[duty.shape].model == model ? count : 0;
  }
  return total;
}

Role other(Role role) { return role == Role::Prefill ? Role::Decode : Role::Prefill; }

double gain_of(const Problem& problem, const Duties& before, const Duties& after, size_t model) {
  const double carried = carried_of_model(problem, before, model);
  return carried > 0 ? carried_of_model(problem, after, model) / carried - 1 : 0;
}

double load_of(const Pools& pools, Role side) {
  return 1 / (side == Role::Prefill ? pools.prefill : pools.decode);
}

}  // namespace

std::string to_string(Role role) {
  return role == Role::Prefill ? "prefill" : role == Role::Decode ? "decode" : "";
}

Role role_of(const JsonObject& instance) {
  if (!instance.has("role")) return Role::Both;
  const std::string name = instance.string("role");
  if (name == "prefill") return Role::Prefill;
  if (name == "decode") return Role::Decode;
  const std::vector<std::string> known{"prefill", "decode"};
  throw instance.error("role", "prefill or decode, or no role", in_quotes(name),
                       did_you_mean(name, known));
}

double carried_by(const Problem& problem, const Duties& duties) {
  bool any_roles = false;
  for (size_t m = 0; m < problem.models.size(); ++m)
    any_roles = any_roles || has_roles(problem, duties, m);
  if (!any_roles) return scale_of(problem, counts_without_role(problem, duties));
  double least = kInfinity;
  for (size_t m = 0; m < problem.models.size(); ++m) {
    if (!classes_of(problem, m).empty())
      least = std::min(least, carried_of_model(problem, duties, m));
  }
  return least;
}

std::vector<PhaseLoad> phase_loads(const Problem& problem, const Duties& duties) {
  std::vector<PhaseLoad> loads;
  for (size_t m = 0; m < problem.models.size(); ++m) {
    if (!has_roles(problem, duties, m)) continue;
    const Pools pools = pools_of(problem, duties, m);
    loads.push_back(
        {problem.models[m].name, 1 / pools.prefill, 1 / pools.decode, 1 / pools.network});
  }
  return loads;
}

std::optional<RoleFlip> best_flip(const Problem& whole, const std::vector<Problem>& moments,
                                  const Duties& running) {
  std::optional<RoleFlip> best;
  double best_gain = kWorthGain;
  for (const auto& [machine, own] : running) {
    for (const auto& [duty, count] : own) {
      const size_t model = whole.shapes[duty.shape].model;
      if (duty.role == Role::Both || count == 0 || count_of(whole, running, model, duty.role) < 2)
        continue;
      Duties changed = running;
      if (--changed[machine][duty] == 0) changed[machine].erase(duty);
      ++changed[machine][{duty.shape, other(duty.role)}];
      double least = kInfinity;
      for (const Problem& moment : moments)
        least = std::min(least, gain_of(moment, running, changed, model));
      if (least < best_gain || (best && least <= best_gain)) continue;
      best_gain = least;
      const Role to = other(duty.role);
      best = {machine,
              duty,
              to,
              load_of(pools_of(whole, running, model), to),
              load_of(pools_of(whole, changed, model), to),
              gain_of(whole, running, changed, model)};
    }
  }
  return best;
}

}  // namespace trex::plan
