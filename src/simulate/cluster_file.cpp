#include "simulate/cluster_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "perf/derive.h"
#include "perf/pipeline.h"
#include "perf/throughput.h"

namespace trex::simulate {
namespace {

// A cache that never limits: engines by slots have none to speak of.
constexpr double kNoLimitBytes = 1e15;
constexpr double kUsualContext = 1500;
constexpr int64_t kLongestContext = 131'072;  // if the cache has room for it
// llama.cpp's slots where the file says neither how many nor how long.
constexpr int64_t kSlotContext = 8192;
constexpr int64_t kMostSlots = 64;

perf::InstanceModel model_of_slots(const InstanceSettings& settings) {
  perf::InstanceModel model;
  model.time = perf::IterationCoefficients::line(settings.token_ms * 1e-3, 0, 0,
                                                 1 / settings.prompt_tokens_per_s, 0);
  model.kv.per_token_bytes = 1;
  model.kv_capacity_bytes = kNoLimitBytes;
  model.max_sequences = settings.max_sequences.value_or(8);
  model.max_context = settings.max_context.value_or(1'000'000);
  model.evidence = {true, "cluster file"};
  return model;
}

perf::InstanceModel derived_model(const InstanceSettings& settings,
                                  const perf::Catalogue& catalogue, const std::string& where) {
  if (settings.model.empty() || settings.device.empty()) {
    throw input_error(where, settings.model.empty() ? "model" : "device",
                      "a name of the catalogue, or a profile", "nothing");
  }
  const perf::ModelSpec model = catalogue.model(settings.model, where);
  const perf::DeviceSpec& device = catalogue.device(settings.device, where);
  const perf::Quantisation& quantisation = perf::find_quantisation(settings.quantisation, where);
  const perf::Layout layout{.tp = settings.tp};
  if (const auto problem = perf::layout_problem(model, layout)) {
    throw input_error(where, "tp", "a layout that the model allows", *problem);
  }
  perf::EngineLimits limits;
  limits.memory_fraction = settings.memory_fraction;
  limits.max_sequences = settings.max_sequences.value_or(limits.max_sequences);
  limits.chunk_tokens = settings.chunk_tokens.value_or(limits.chunk_tokens);
  limits.max_context = settings.max_context.value_or(kLongestContext);
  const perf::StageRange stage = perf::whole_model(model);
  const perf::MemoryBudget budget =
      perf::memory_budget(model, device, quantisation, layout, limits, stage);
  // As much as fits is taken; a user who names a context means it.
  const int64_t needed = settings.max_context.value_or(1);
  if (budget.missing_bytes(needed) > 0) {
    throw input_error(where, "device",
                      fmt::format("room for {} tokens of cache beside the weights", needed),
                      fmt::format("{} short", readable_bytes(budget.missing_bytes(needed))),
                      "a larger tp, a smaller quantisation or a larger device");
  }
  perf::PipelineModel pipeline(
      {perf::OperatorModel(model, device, quantisation, layout, limits, stage)}, {});
  return perf::derive_instance_model(
             pipeline, budget, limits, layout, kUsualContext,
             fmt::format("{} on {} {}", model.name, device.name, layout.text()))
      .model;
}

perf::InstanceModel profiled_model(const InstanceSettings& settings, const std::string& where) {
  const std::string name = settings.profile->string();
  const Json json = parse_json(read_file(*settings.profile), name);
  perf::InstanceModel model = perf::instance_model_from_json(JsonObject(json, name));
  const auto reach = static_cast<int64_t>(2 * model.sampled_batch);
  if (settings.max_sequences && reach > 0 && *settings.max_sequences > reach) {
    throw input_error(where, "max_sequences",
                      fmt::format("at most {}, twice the batch that {} was fitted to", reach, name),
                      std::to_string(*settings.max_sequences));
  }
  model.max_sequences = settings.max_sequences.value_or(model.max_sequences);
  model.chunk_tokens = settings.chunk_tokens.value_or(model.chunk_tokens);
  model.max_context = settings.max_context.value_or(model.max_context);
  return model;
}

// llama.cpp gives each slot the same share of the cache, for good: so many slots of so much
// context.
void share_among_slots(perf::InstanceModel& model, const InstanceSettings& settings,
                       const std::string& where) {
  if (model.kv_capacity_bytes <= 0) return;
  const int64_t longest = model.max_context > 0 ? model.max_context : kLongestContext;
  const auto slots_of = [&](int64_t context) {
    return static_cast<int64_t>(model.kv_capacity_bytes / std::max(model.kv.bytes(context), 1.0));
  };
  if (settings.max_sequences && !settings.max_context) {
    const double share = model.kv_capacity_bytes / static_cast<double>(model.max_sequences);
    model.max_context = std::min(longest, model.kv.tokens_within(share));
    if (model.max_context < 2) {
      throw input_error(where, "max_sequences",
                        fmt::format("at most {}, slots of 2 tokens of context", slots_of(2)),
                        std::to_string(model.max_sequences), "fewer slots or a larger device");
    }
    return;
  }
  model.max_context = settings.max_context.value_or(std::min(longest, kSlotContext));
  const int64_t slots = slots_of(model.max_context);
  if (settings.max_sequences.value_or(1) > slots) {
    throw input_error(where, "max_sequences",
                      fmt::format("at most {}, the slots of {} tokens that its cache holds", slots,
                                  model.max_context),
                      std::to_string(settings.max_sequences.value_or(1)),
                      "fewer slots, a shorter max_context or a larger device");
  }
  model.max_sequences = settings.max_sequences.value_or(std::min(slots, kMostSlots));
}

Batching batching_of(const std::string& engine) {
  if (engine == "sglang") return Batching::PromptsFirst;
  return engine == "llama.cpp" ? Batching::FixedSlots : Batching::DecodeFirst;
}

// Names of the tables [KIND.NAME], in the file's order.
std::vector<std::string> tables_of_kind(const Path& path, const std::string& kind) {
  std::vector<std::string> names;
  for (const config::Table& table : config::tables_of(path)) {
    if (table.name != kind) continue;
    for (const auto& [name, values] : table.values.items()) {
      if (!values.is_object()) {
        throw input_error(path.string(), kind + "." + name,
                          fmt::format("a table [{}.{}]", kind, name), json_kind(values));
      }
      names.push_back(name);
    }
  }
  return names;
}

config::Source section_of(const Path& path, const std::string& section) {
  return {.file = path, .sections = {section}, .overrides = {}, .foreign_keys = {}, .folders = {}};
}

Fault::Kind kind_of(const std::string& kind) {
  if (kind == "slowdown") return Fault::Kind::Slowdown;
  if (kind == "partition") return Fault::Kind::Partition;
  return kind == "staleness" ? Fault::Kind::Staleness : Fault::Kind::Crash;
}

// Two faults of one kind at one instance at once have no meaning.
void check_apart(const std::vector<Fault>& faults, const Fault& fault, const std::string& where) {
  const auto end_s = [](const Fault& one) {
    return one.at_s + one.for_s +
           (one.kind == Fault::Kind::Crash ? one.warm_up_s + one.detection_s : 0);
  };
  for (const Fault& other : faults) {
    if (other.kind != fault.kind || other.instance != fault.instance) continue;
    if (fault.at_s >= end_s(other) || other.at_s >= end_s(fault)) continue;
    throw input_error(
        where, "at_s",
        fmt::format("a time outside {} s to {} s, when its instance has another fault of this kind",
                    shortest(other.at_s), shortest(end_s(other))),
        shortest(fault.at_s) + " s", "one fault after the other, or one longer fault");
  }
}

Fault load_fault(const config::Source& source, const std::string& where,
                 const std::vector<std::string>& names) {
  FaultSettings settings;
  config::load(settings, source);
  const auto place = std::find(names.begin(), names.end(), settings.instance);
  if (place == names.end()) {
    throw input_error(where, "instance", "one of " + listed(names), in_quotes(settings.instance),
                      did_you_mean(settings.instance, names));
  }
  return {.kind = kind_of(settings.kind),
          .instance = static_cast<size_t>(place - names.begin()),
          .at_s = settings.at_s,
          .for_s = settings.for_s,
          .factor = settings.factor,
          .warm_up_s = settings.warm_up_s,
          .detection_s = settings.detection_s};
}

}  // namespace

SimulatedInstance make_instance(const InstanceSettings& settings, const perf::Catalogue& catalogue,
                                const std::string& name, const std::string& where) {
  SimulatedInstance instance;
  instance.network_s = settings.network_ms * 1e-3;
  perf::InstanceModel model;
  if (settings.engine == "slots") {
    instance.kind = EngineKind::Slots;
    model = model_of_slots(settings);
    instance.slots = {.token_s = settings.token_ms * 1e-3,
                      .prompt_token_s = 1 / settings.prompt_tokens_per_s,
                      .slots = model.max_sequences};
  } else {
    model = settings.profile ? profiled_model(settings, where)
                             : derived_model(settings, catalogue, where);
    if (batching_of(settings.engine) == Batching::FixedSlots)
      share_among_slots(model, settings, where);
  }
  model.name = name;
  perf::validate(model, where);
  instance.iterations = {.model = model,
                         .batching = batching_of(settings.engine),
                         .block_tokens = settings.block_tokens,
                         .prefix_cache = settings.prefix_cache};
  instance.believed = {.name = name,
                       .model = model.at_speed(settings.believed_speed),
                       .network_s = instance.network_s,
                       .prompts_delay_answers = instance.kind == EngineKind::Iterations};
  return instance;
}

double sustained_rate(const perf::InstanceModel& model, const perf::WorkloadMoments& workload) {
  const int64_t batch = model.admissible_batch(workload.mean_input + workload.mean_output);
  const auto throughput =
      perf::closed_form(perf::seconds_of(model), {batch, model.chunk_tokens}, workload);
  return throughput.requests_per_s * (batch < 32 ? perf::small_batch_correction(batch) : 1);
}

double fit_to_workload(std::vector<SimulatedInstance>& instances,
                       schedule::SchedulerSettings& scheduler,
                       const perf::WorkloadMoments& workload) {
  scheduler.usual_prompt_tokens = std::max(workload.mean_input, 1.0);
  scheduler.usual_output_tokens = std::max(workload.mean_output, 1.0);
  double total = 0;
  for (SimulatedInstance& instance : instances) {
    if (instance.kind == EngineKind::Slots) {
      // Prompts overlap with decoding, so slots are the limit, or the reading of prompts.
      const auto slots_rate = [&](double speed) {
        const double by_slots = static_cast<double>(instance.slots.slots) /
                                (instance.slots.token_s * workload.mean_output +
                                 instance.slots.prompt_token_s * workload.mean_input);
        return speed *
               std::min(by_slots, 1 / (instance.slots.prompt_token_s * workload.mean_input));
      };
      const double believed =
          instance.iterations.model.time.base_s / instance.believed.model.time.base_s;
      instance.believed.weight = slots_rate(believed);
      total += slots_rate(1);
      continue;
    }
    instance.believed.weight = sustained_rate(instance.believed.model, workload);
    total += sustained_rate(instance.iterations.model, workload);
  }
  return total;
}

ClusterFile load_cluster(const Path& path, const std::vector<std::string>& overrides) {
  ClusterFile cluster;
  cluster.name = path.string();
  config::load(cluster.settings, {.file = path,
                                  .sections = {},
                                  .overrides = overrides,
                                  .foreign_keys = {"instance", "fault"},
                                  .folders = {}});
  const perf::Catalogue catalogue = perf::Catalogue::shipped();
  std::vector<std::string> names;
  std::set<std::string> distinct;
  for (const std::string& name : tables_of_kind(path, "instance")) {
    InstanceSettings settings;
    config::load(settings, section_of(path, "instance." + name));
    const std::string where = fmt::format("{}: [instance.{}]", path.string(), name);
    for (int64_t i = 0; i < settings.count; ++i) {
      names.push_back(settings.count == 1 ? name : fmt::format("{}-{}", name, i + 1));
      if (!distinct.insert(names.back()).second) {
        throw input_error(where, "", "a name that no other instance has", in_quotes(names.back()),
                          "rename one of the tables");
      }
      cluster.tables.push_back(name);
      cluster.instances.push_back(make_instance(settings, catalogue, names.back(), where));
    }
  }
  if (cluster.instances.empty()) {
    throw input_error(path.string(), "", "at least one table [instance.NAME]", "none");
  }
  for (const std::string& name : tables_of_kind(path, "fault")) {
    const std::string where = fmt::format("{}: [fault.{}]", path.string(), name);
    const Fault fault = load_fault(section_of(path, "fault." + name), where, names);
    check_apart(cluster.faults, fault, where);
    cluster.faults.push_back(fault);
  }
  for (SimulatedInstance& instance : cluster.instances) {
    instance.iterations.exact = cluster.settings.exact;
    instance.iterations.noise = cluster.settings.noise;
  }
  return cluster;
}

}  // namespace trex::simulate
