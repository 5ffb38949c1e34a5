#include "perf/instance_model.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "base/text.h"

namespace trex::perf {
namespace {

constexpr int64_t kFormatVersion = 1;

void require_at_least_zero(const std::string& where, const std::string& field, double value) {
  if (!(value >= 0) || std::isinf(value)) {
    throw input_error(where, field, "a finite number, at least 0", shortest(value));
  }
}

Json kv_to_json(const KvFunction& kv) {
  Json entries = Json::array();
  for (const auto& [ratio, bytes] : kv.compressed) {
    if (ratio > 0) entries.push_back({{"ratio", ratio}, {"bytes", bytes}});
  }
  return {{"fixed_bytes", kv.fixed_bytes},
          {"per_token_bytes", kv.per_token_bytes},
          {"window", kv.window},
          {"window_token_bytes", kv.window_token_bytes},
          {"compressed", entries}};
}

KvFunction kv_from_json(const JsonObject& object) {
  object.expect_only(
      {"fixed_bytes", "per_token_bytes", "window", "window_token_bytes", "compressed"});
  KvFunction kv;
  kv.fixed_bytes = object.number_or("fixed_bytes", 0);
  kv.per_token_bytes = object.number_or("per_token_bytes", 0);
  kv.window = object.integer_or("window", 0);
  kv.window_token_bytes = object.number_or("window_token_bytes", 0);
  if (!object.has("compressed")) return kv;
  const auto entries = object.objects("compressed");
  if (entries.size() > kv.compressed.size()) {
    throw object.error("compressed", "at most 2 entries", std::to_string(entries.size()));
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    kv.compressed[i] = {entries[i].integer("ratio"), entries[i].number("bytes")};
  }
  return kv;
}

IterationCoefficients coefficients_from_json(const JsonObject& object) {
  object.expect_only(
      {"base", "per_sequence", "per_context_token", "per_prompt_token", "per_prompt_pair"});
  IterationCoefficients time;
  time.base_s = object.number("base");
  time.per_context_token_s = object.number("per_context_token");
  time.per_prompt_token_s = object.number("per_prompt_token");
  time.per_prompt_pair_s = object.number_or("per_prompt_pair", 0);
  if (object.has("per_sequence") && object.json()["per_sequence"].is_number()) {
    time.per_sequence_s.fill(object.number("per_sequence"));
    return time;
  }
  const auto slopes = object.numbers("per_sequence");
  if (slopes.size() != time.per_sequence_s.size()) {
    throw object.error("per_sequence", "one number or 4 (up to 8, 32, 128 sequences, and beyond)",
                       fmt::format("{} numbers", slopes.size()));
  }
  std::copy(slopes.begin(), slopes.end(), time.per_sequence_s.begin());
  return time;
}

}  // namespace

IterationCoefficients IterationCoefficients::line(double base_s, double per_sequence_s,
                                                  double per_context_token_s,
                                                  double per_prompt_token_s,
                                                  double per_prompt_pair_s) {
  IterationCoefficients time;
  time.base_s = base_s;
  time.per_sequence_s.fill(per_sequence_s);
  time.per_context_token_s = per_context_token_s;
  time.per_prompt_token_s = per_prompt_token_s;
  time.per_prompt_pair_s = per_prompt_pair_s;
  return time;
}

int64_t InstanceModel::admissible_batch(double tokens_each) const {
  const double bytes = kv.bytes(static_cast<int64_t>(std::ceil(tokens_each)));
  if (bytes <= 0) return max_sequences;
  const double fits = std::floor(kv_capacity_bytes / bytes);
  return fits >= static_cast<double>(max_sequences) ? max_sequences : static_cast<int64_t>(fits);
}

bool InstanceModel::is_extrapolation(double num_decoding, double context_each) const {
  return num_decoding > 2 * sampled_batch || context_each > 2 * sampled_context;
}

InstanceModel InstanceModel::at_speed(double speed) const {
  InstanceModel model = *this;
  model.time.base_s /= speed;
  for (double& slope : model.time.per_sequence_s) slope /= speed;
  model.time.per_context_token_s /= speed;
  model.time.per_prompt_token_s /= speed;
  model.time.per_prompt_pair_s /= speed;
  return model;
}

void validate(const InstanceModel& model, const std::string& where) {
  const IterationCoefficients& time = model.time;
  require_at_least_zero(where, "seconds.base", time.base_s);
  for (const double slope : time.per_sequence_s) {
    require_at_least_zero(where, "seconds.per_sequence", slope);
  }
  require_at_least_zero(where, "seconds.per_context_token", time.per_context_token_s);
  require_at_least_zero(where, "seconds.per_prompt_token", time.per_prompt_token_s);
  require_at_least_zero(where, "seconds.per_prompt_pair", time.per_prompt_pair_s);
  if (time.iteration_s(1, 1, 0) <= 0) {
    throw input_error(where, "seconds", "an iteration that takes time", "all coefficients 0");
  }
  require_at_least_zero(where, "kv.fixed_bytes", model.kv.fixed_bytes);
  require_at_least_zero(where, "kv.per_token_bytes", model.kv.per_token_bytes);
  require_at_least_zero(where, "kv_capacity_bytes", model.kv_capacity_bytes);
  if (model.max_sequences < 1) {
    throw input_error(where, "max_sequences", "at least 1", std::to_string(model.max_sequences));
  }
  if (model.chunk_tokens < 1) {
    throw input_error(where, "chunk_tokens", "at least 1", std::to_string(model.chunk_tokens));
  }
  if (model.kv_capacity_bytes < model.kv.bytes(model.max_context)) {
    throw input_error(
        where, "kv_capacity_bytes",
        fmt::format("room for one sequence of max_context = {} tokens, {}", model.max_context,
                    readable_bytes(model.kv.bytes(model.max_context))),
        readable_bytes(model.kv_capacity_bytes));
  }
}

Json to_json(const InstanceModel& model) {
  return {{"format", "trex.instance_model"},
          {"version", kFormatVersion},
          {"name", model.name},
          {"seconds",
           {{"base", model.time.base_s},
            {"per_sequence", model.time.per_sequence_s},
            {"per_context_token", model.time.per_context_token_s},
            {"per_prompt_token", model.time.per_prompt_token_s},
            {"per_prompt_pair", model.time.per_prompt_pair_s}}},
          {"kv", kv_to_json(model.kv)},
          {"kv_capacity_bytes", model.kv_capacity_bytes},
          {"max_sequences", model.max_sequences},
          {"chunk_tokens", model.chunk_tokens},
          {"max_context", model.max_context},
          {"sampled_batch", model.sampled_batch},
          {"sampled_context", model.sampled_context},
          {"calibrated", model.evidence.calibrated},
          {"source", model.evidence.source}};
}

InstanceModel instance_model_from_json(const JsonObject& object) {
  object.expect_only({"format", "version", "name", "seconds", "kv", "kv_capacity_bytes",
                      "max_sequences", "chunk_tokens", "max_context", "sampled_batch",
                      "sampled_context", "calibrated", "source", "deployment", "fit"});
  if (const int64_t version = object.integer("version"); version != kFormatVersion) {
    throw object.error("version", std::to_string(kFormatVersion), std::to_string(version));
  }
  InstanceModel model;
  model.name = object.string("name");
  model.time = coefficients_from_json(object.object("seconds"));
  model.kv = kv_from_json(object.object("kv"));
  model.kv_capacity_bytes = object.number("kv_capacity_bytes");
  model.max_sequences = object.integer("max_sequences");
  model.chunk_tokens = object.integer_or("chunk_tokens", model.chunk_tokens);
  model.max_context = object.integer_or("max_context", 0);
  model.sampled_batch = object.number_or("sampled_batch", 0);
  model.sampled_context = object.number_or("sampled_context", 0);
  model.evidence = {object.boolean_or("calibrated", false), object.string_or("source", "")};
  validate(model, object.where());
  return model;
}

}  // namespace trex::perf
