#include "perf/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "perf/derive.h"

namespace trex::perf {
namespace {

constexpr int64_t kUsualSequences = 256;
constexpr double kReach = 2;  // times what was measured: as far as a fit is believed

double at_least_zero(const JsonObject& line, const char* key) {
  const double value = line.number_or(key, 0);
  if (value < 0) throw line.error(key, "at least 0", shortest(value));
  return value;
}

void add_measurement(const JsonObject& line, int64_t chunk_tokens, Profile& profile) {
  line.expect_only({"sequences", "context", "prompt_tokens", "cached_tokens", "seconds"});
  IterationSample sample{.num_decoding = at_least_zero(line, "sequences")};
  const double context =
      sample.num_decoding > 0 ? line.number("context") : at_least_zero(line, "context");
  if (context < 0) throw line.error("context", "at least 0", shortest(context));
  const double prompt = at_least_zero(line, "prompt_tokens");
  const double cached = at_least_zero(line, "cached_tokens");
  const double seconds = line.number("seconds");
  if (seconds <= 0) throw line.error("seconds", "above 0", shortest(seconds));
  if (sample.num_decoding + prompt == 0)
    throw line.error("sequences", "sequences or prompt_tokens above 0", "neither");
  const double iterations = std::max(1.0, std::ceil(prompt / static_cast<double>(chunk_tokens)));
  sample.context_tokens = sample.num_decoding * context;
  sample.prompt_tokens = prompt / iterations;
  sample.prompt_pairs = PromptChunk{cached, prompt}.pairs() / iterations;
  sample.seconds = seconds / iterations;
  profile.samples.push_back(sample);
  profile.longest_context =
      std::max({profile.longest_context, sample.num_decoding > 0 ? context : 0, cached + prompt});
}

// A slope needs two points.
void expect_two(const std::set<double>& values, const char* what, const std::string& where) {
  if (values.size() >= 2) return;
  throw input_error(where, what, "measurements at two values or more",
                    values.empty() ? "none" : fmt::format("{} only", shortest(*values.begin())));
}

void expect_spread(const std::vector<IterationSample>& samples, const std::string& where) {
  std::set<double> sequences, contexts, prompts;
  for (const IterationSample& s : samples) {
    if (s.prompt_tokens > 0) prompts.insert(s.prompt_tokens);
    if (s.num_decoding <= 0) continue;
    sequences.insert(s.num_decoding);
    contexts.insert(s.context_tokens / s.num_decoding);
  }
  expect_two(sequences, "sequences", where);
  expect_two(contexts, "context", where);
  expect_two(prompts, "prompt_tokens", where);
}

// A limit of the engine, at most twice what was measured: beyond it a prediction is a guess.
int64_t limit_within(std::optional<int64_t> stated, int64_t usual, double measured,
                     const char* what, const std::string& where) {
  const auto reach = static_cast<int64_t>(kReach * measured);
  if (stated && *stated > reach) {
    throw input_error(where, what, fmt::format("at most {}, twice what was measured", reach),
                      std::to_string(*stated), "measure farther, or state a smaller limit");
  }
  return stated.value_or(std::min(usual, reach));
}

Json error_json(const FitError& error) {
  return {{"measurements", error.num_samples},
          {"median_error", error.median},
          {"p90_error", error.p90},
          {"worst_error", error.worst}};
}

}  // namespace

std::string Deployment::text() const {
  return fmt::format("{} {} {} on {}", model, quantisation, layout.text(), device);
}

Profile load_profile(const Path& path, int64_t chunk_tokens) {
  LineReader reader(path);
  Profile profile;
  while (const auto line = reader.next()) add_measurement(line->object(), chunk_tokens, profile);
  if (profile.samples.empty())
    throw input_error(path.string(), "", "at least one measurement", "none");
  return profile;
}

ProfileFit fit_profile(const Profile& profile, const Deployment& deployment,
                       const Catalogue& catalogue, const ProfileOptions& options,
                       const std::string& where) {
  const std::vector<IterationSample>& samples = profile.samples;
  expect_spread(samples, where);
  const ModelSpec model = catalogue.model(deployment.model, "--model");
  const DeviceSpec& device = catalogue.device(deployment.device, "--device");
  const Quantisation& quantisation = find_quantisation(deployment.quantisation, "--quantisation");
  if (const auto problem = layout_problem(model, deployment.layout)) {
    throw input_error("--tp, --pp, --dp, --ep", "", "a layout that suits " + model.name,
                      deployment.layout.text() + ": " + *problem);
  }
  double batch = 0;
  for (const IterationSample& s : samples) batch = std::max(batch, s.num_decoding);
  EngineLimits limits{.chunk_tokens = options.chunk_tokens,
                      .kv_element_bytes = options.kv_element_bytes};
  limits.max_sequences =
      limit_within(options.max_sequences, kUsualSequences, batch, "--max-sequences", where);
  limits.max_context =
      limit_within(options.max_context, INT64_MAX, profile.longest_context, "--max-context", where);
  const Placement placement = place(model, device, quantisation, deployment.layout, limits);
  if (const double missing = placement.memory.missing_bytes(options.max_context.value_or(1));
      missing > 0) {
    throw input_error(
        where, "--device", fmt::format("a device that can hold {}", model.name),
        readable_bytes(missing) + " short",
        "name the device, layout, quantisation and --chunk-tokens that were measured");
  }
  Derived derived =
      derive_instance_model(placement.pipeline, placement.memory, limits, deployment.layout,
                            profile.longest_context / 2, model.name);
  ProfileFit fit;
  fit.operator_model_error = error_of(derived.model.time, samples).median;
  fit.report = fit_iterations(samples, {.prior = derived.model.time}, where);
  fit.measured.deployment = {model.name, device.name, quantisation.name, deployment.layout};
  fit.measured.error = error_of(fit.report.time, samples);
  fit.measured.model = derived.model;
  fit.measured.model.name = fit.measured.deployment.text();
  fit.measured.model.time = fit.report.time;
  fit.measured.model.sampled_batch = fit.report.sampled_batch;
  fit.measured.model.sampled_context = profile.longest_context;
  fit.measured.model.evidence = {true, "profile " + Path(where).filename().string()};
  validate(fit.measured.model, where);
  return fit;
}

Json to_json(const MeasuredModel& measured) {
  Json json = to_json(measured.model);
  const Deployment& d = measured.deployment;
  json["deployment"] = {
      {"model", d.model},
      {"device", d.device},
      {"quantisation", d.quantisation},
      {"layout",
       {{"tp", d.layout.tp}, {"pp", d.layout.pp}, {"dp", d.layout.dp}, {"ep", d.layout.ep}}}};
  json["fit"] = error_json(measured.error);
  return json;
}

MeasuredModel load_measured(const Path& path) {
  const std::string name = path.string();
  const Json json = parse_json(read_file(path), name);
  const JsonObject object(json, name);
  MeasuredModel measured{.model = instance_model_from_json(object)};
  const JsonObject deployment = object.object("deployment");
  deployment.expect_only({"model", "device", "quantisation", "layout"});
  const JsonObject layout = deployment.object("layout");
  measured.deployment = {
      deployment.string("model"),
      deployment.string("device"),
      deployment.string("quantisation"),
      {layout.integer("tp"), layout.integer("pp"), layout.integer("dp"), layout.integer("ep")}};
  const JsonObject fit = object.object("fit");
  measured.error = {.num_samples = static_cast<size_t>(fit.integer("measurements")),
                    .median = fit.number("median_error"),
                    .p90 = fit.number("p90_error"),
                    .worst = fit.number("worst_error")};
  return measured;
}

}  // namespace trex::perf
