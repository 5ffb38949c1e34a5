#include "perf/device_json.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace trex::perf {
namespace {

// A number with its origin: {"value": 1e12, "source": "...", "calibrated": true}, or bare.
Sourced sourced(const JsonObject& object, const std::string& key) {
  if (object.has(key) && object.json()[key].is_number()) {
    return {object.number(key), object.where(), false};
  }
  const JsonObject entry = object.object(key);
  entry.expect_only({"value", "source", "calibrated"});
  return {entry.number("value"), entry.string_or("source", object.where()),
          entry.boolean_or("calibrated", false)};
}

// The table that `key` names, or the object that stands there itself.
JsonObject named_table(const JsonObject& entry, const std::string& key, const Json& tables) {
  if (!entry.json()[key].is_string()) return entry.object(key);
  const std::string name = entry.string(key);
  if (tables.contains(name)) return JsonObject(tables[name], entry.where(), key + "[" + name + "]");
  std::vector<std::string> names;
  for (const auto& [known, table] : tables.items()) names.push_back(known);
  throw entry.error(key, "the name of a table, or a table", in_quotes(name),
                    did_you_mean(name, names));
}

template <size_t N>
std::array<double, N> numbers_of(const JsonObject& object, const std::string& key) {
  const auto numbers = object.numbers(key);
  if (numbers.size() != N) {
    throw object.error(key, fmt::format("{} numbers", N), std::to_string(numbers.size()));
  }
  std::array<double, N> result{};
  std::copy(numbers.begin(), numbers.end(), result.begin());
  return result;
}

KernelEfficiency kernel_from_json(const JsonObject& object) {
  object.expect_only({"stream", "compute"});
  return {object.number("stream"), object.number("compute")};
}

Efficiency efficiency_from_json(const JsonObject& table, const std::string& name) {
  table.expect_only({"source", "calibrated", "gemm_stream", "gemm_compute", "fp8_gemm",
                     "fp8_gemm_compute", "prompt_attention", "prompt_sequences", "decode_layer_us",
                     "decode_sequence_us", "kv_stream", "fp8_kv_layer_us", "fp8_kv_stream", "moe"});
  Efficiency e;
  e.name = name;
  e.source = table.string_or("source", "");
  e.calibrated = table.boolean_or("calibrated", false);
  e.gemm_stream = table.number("gemm_stream");
  e.gemm_compute = numbers_of<8>(table, "gemm_compute");
  e.fp8_gemm = kernel_from_json(table.object("fp8_gemm"));
  if (table.has("fp8_gemm_compute")) e.fp8_gemm_compute = numbers_of<8>(table, "fp8_gemm_compute");
  e.prompt_attention = numbers_of<7>(table, "prompt_attention");
  if (table.has("prompt_sequences")) e.prompt_sequences = numbers_of<9>(table, "prompt_sequences");
  e.decode_layer_s = table.number("decode_layer_us") * 1e-6;
  e.decode_sequence_s = table.number("decode_sequence_us") * 1e-6;
  e.kv_stream = table.number("kv_stream");
  e.fp8_kv_layer_s = table.number_or("fp8_kv_layer_us", table.number("decode_layer_us")) * 1e-6;
  e.fp8_kv_stream = table.number_or("fp8_kv_stream", e.kv_stream);
  const JsonObject moe = table.object("moe");
  moe.expect_only({"half", "fp8", "fp8_block"});
  e.moe_half = kernel_from_json(moe.object("half"));
  e.moe_fp8 = kernel_from_json(moe.object("fp8"));
  e.moe_fp8_block = kernel_from_json(moe.object("fp8_block"));
  return e;
}

void read_peak(const JsonObject& peak, DeviceSpec& device) {
  static const std::vector<std::pair<std::string, Arithmetic>> kKeys{{"bf16", Arithmetic::Bf16},
                                                                     {"fp16", Arithmetic::Fp16},
                                                                     {"fp8", Arithmetic::Fp8},
                                                                     {"int8", Arithmetic::Int8},
                                                                     {"fp4", Arithmetic::Fp4}};
  peak.expect_only({"bf16", "fp16", "fp8", "int8", "fp4"});
  for (const auto& [key, arithmetic] : kKeys) {
    if (peak.has(key)) device.peak[arithmetic] = sourced(peak, key);
  }
}

Price price_from_json(const JsonObject& price) {
  price.expect_only({"low_usd_h", "high_usd_h", "source", "date"});
  return {price.number("low_usd_h"), price.number("high_usd_h"), price.string_or("source", ""),
          price.string_or("date", "")};
}

void read_all_reduce(const JsonObject& table, DeviceSpec& device) {
  table.expect_only({"source", "calibrated", "ranks"});
  device.all_reduce_calibrated = table.boolean_or("calibrated", false);
  const JsonObject ranks = table.object("ranks");
  for (const auto& [key, value] : ranks.json().items()) {
    const auto count = parse_integer(key);
    if (!count || *count < 2)
      throw ranks.error(key, "a number of ranks, at least 2", in_quotes(key));
    const JsonObject fit = ranks.object(key);
    device.all_reduce[*count] = {fit.number("alpha_us") * 1e-6,
                                 fit.number("beta_us_per_mb") * 1e-12};
  }
}

bool is_given(const JsonObject& entry, const std::string& key) {
  return entry.has(key) && !entry.json()[key].is_null();
}

}  // namespace

DeviceSpec device_from_json(const JsonObject& entry, const Json& efficiency,
                            const Json& all_reduce) {
  entry.expect_only({"name", "vendor", "architecture", "peak", "memory_bytes", "memory_bandwidth",
                     "links", "peer_access", "graphs", "power_w", "price", "efficiency",
                     "all_reduce", "kernels_assumed", "step_overhead_ms", "layer_overhead_us",
                     "note"});
  DeviceSpec device;
  device.name = entry.string("name");
  device.vendor = entry.string_or("vendor", "");
  device.architecture = entry.string_or("architecture", "");
  read_peak(entry.object("peak"), device);
  device.memory_bytes = sourced(entry, "memory_bytes");
  device.memory_bandwidth = sourced(entry, "memory_bandwidth");
  if (is_given(entry, "links")) {
    for (const JsonObject& link : entry.objects("links")) {
      link.expect_only({"kind", "scope", "bytes_per_s", "latency_us", "source"});
      device.links.push_back({link.string("kind"), link.string("scope"), link.number("bytes_per_s"),
                              link.number_or("latency_us", 5) * 1e-6,
                              link.string_or("source", "")});
    }
  }
  device.peer_access = entry.boolean_or("peer_access", true);
  device.graphs = entry.boolean_or("graphs", true);
  device.power_w = entry.number_or("power_w", 0);
  if (is_given(entry, "price")) device.price = price_from_json(entry.object("price"));
  const bool is_named = entry.has("efficiency") && entry.json()["efficiency"].is_string();
  device.efficiency = efficiency_from_json(named_table(entry, "efficiency", efficiency),
                                           is_named ? entry.string("efficiency") : device.name);
  if (entry.boolean_or("kernels_assumed", false)) {
    device.efficiency.calibrated = false;
    device.efficiency.source = "as measured on a relative, assumed: " + device.efficiency.source;
  }
  if (is_given(entry, "all_reduce"))
    read_all_reduce(named_table(entry, "all_reduce", all_reduce), device);
  device.step_overhead_s = entry.number_or("step_overhead_ms", 0.3) * 1e-3;
  device.layer_overhead_s = entry.number_or("layer_overhead_us", 6) * 1e-6;
  validate(device, entry.where());
  return device;
}

}  // namespace trex::perf
