#include "plan/inventory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "config/toml.h"
#include "simulate/traces.h"

namespace trex::plan {
namespace {

constexpr int64_t kMostDevices = 1024;  // of one machine
constexpr int64_t kMostCopies = 100'000;
constexpr double kMostTokens = 1 << 24;  // as --max-context
constexpr double kMostNumber = 1e9;      // of a rate or a price: beyond it the solver loses digits

std::string name_of(const JsonObject& entry) {
  const std::string name = entry.string("name");
  if (name.empty()) throw entry.error("name", "a name", "\"\"");
  return name;
}

double number_within(const JsonObject& entry, const char* key, double value, double least,
                     double most) {
  if (!(value >= least && value <= most))
    throw entry.error(key, fmt::format("{} to {}", shortest(least), shortest(most)),
                      shortest(value));
  return value;
}

int64_t count_of(const JsonObject& entry, const char* key, int64_t fallback, int64_t most) {
  const int64_t count = entry.integer_or(key, fallback);
  if (count < 1 || count > most) {
    throw entry.error(key, fmt::format("1 to {}", most), std::to_string(count));
  }
  return count;
}

std::optional<double> limit_of(const JsonObject& entry, const char* key) {
  if (!entry.has(key)) return std::nullopt;
  const double ms = entry.number(key);
  if (!(ms > 0)) throw entry.error(key, "milliseconds above 0", shortest(ms));
  return ms * 1e-3;
}

void add_machines(const JsonObject& entry, const perf::Catalogue& catalogue, Inventory& inventory) {
  entry.expect_only({"name", "device", "count", "copies", "price_usd_h"});
  const std::string name = name_of(entry);
  const std::string where = entry.where();
  const perf::DeviceSpec& device = catalogue.device(entry.string("device"), where);
  const int64_t count = count_of(entry, "count", 1, kMostDevices);
  const int64_t copies = count_of(entry, "copies", 1, kMostCopies);
  const double list_price = device.price ? device.price->low_usd_h * static_cast<double>(count) : 0;
  const double price = number_within(entry, "price_usd_h",
                                     entry.number_or("price_usd_h", list_price), 0, kMostNumber);
  for (int64_t i = 1; i <= copies; ++i) {
    inventory.machines.push_back({copies == 1 ? name : fmt::format("{}-{}", name, i), device.name,
                                  count, price, device.price || entry.has("price_usd_h")});
  }
}

void read_lengths(const JsonObject& entry, RequestClass& request_class) {
  if (entry.has("trace")) {
    if (entry.has("mean_input") || entry.has("mean_output")) {
      throw entry.error("trace", "either a trace or mean_input and mean_output", "both");
    }
    const RequestClass traced =
        class_of_trace(entry.string("trace"), request_class.model, entry.where());
    request_class.trace = traced.trace;
    request_class.lengths = traced.lengths;
    request_class.arrival_cv2 = traced.arrival_cv2;
    request_class.longest_tokens = traced.longest_tokens;
    return;
  }
  if (!entry.has("mean_input") && !entry.has("mean_output"))
    throw entry.error("trace", "a trace, or mean_input and mean_output", "none of them");
  const double input =
      number_within(entry, "mean_input", entry.number("mean_input"), 1, kMostTokens);
  const double output =
      number_within(entry, "mean_output", entry.number("mean_output"), 1, kMostTokens);
  request_class.lengths = perf::WorkloadMoments::of_means(input, output);
  request_class.longest_tokens = static_cast<int64_t>(std::ceil(input + output));
}

RequestClass class_of(const JsonObject& entry) {
  entry.expect_only({"name", "model", "trace", "mean_input", "mean_output", "requests_per_s",
                     "first_token_ms", "per_token_ms", "bulk"});
  RequestClass request_class;
  request_class.name = name_of(entry);
  request_class.model = entry.string("model");
  read_lengths(entry, request_class);
  request_class.requests_per_s =
      number_within(entry, "requests_per_s", entry.number_or("requests_per_s", 0), 0, kMostNumber);
  request_class.limits = {limit_of(entry, "first_token_ms"), limit_of(entry, "per_token_ms")};
  request_class.is_bulk = entry.boolean_or("bulk", false);
  return request_class;
}

// The tables of an array such as [[machine]].
std::vector<JsonObject> tables(const config::TomlLeaf& leaf, const Path& file) {
  std::vector<JsonObject> all;
  const std::string where = fmt::format("{}:{}", file.string(), leaf.line);
  if (!leaf.value.is_array())
    throw input_error(where, leaf.key, "tables [[" + leaf.key + "]]", json_kind(leaf.value));
  for (size_t i = 0; i < leaf.value.size(); ++i) {
    if (!leaf.value[i].is_object())
      throw input_error(where, leaf.key, "tables [[" + leaf.key + "]]", json_kind(leaf.value[i]));
    all.emplace_back(leaf.value[i], where, fmt::format("{}[{}]", leaf.key, i));
  }
  return all;
}

double positive_number(const config::TomlLeaf& leaf, const Path& file) {
  const std::string where = fmt::format("{}:{}", file.string(), leaf.line);
  if (!leaf.value.is_number() || !(leaf.value.get<double>() > 0) ||
      std::isinf(leaf.value.get<double>())) {
    throw input_error(where, leaf.key, "a finite number above 0", json_kind(leaf.value));
  }
  return leaf.value.get<double>();
}

template <class Item>
void refuse_duplicates(const std::vector<Item>& items, const std::string& where, const char* what) {
  std::vector<std::string> names;
  for (const Item& item : items) names.push_back(item.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    throw input_error(where, what, "a name for each of its own", in_quotes(*twice) + " twice");
  }
}

}  // namespace

RequestClass class_of_trace(const std::string& trace_name, const std::string& model,
                            const std::string& where) {
  const simulate::Trace trace = simulate::load_trace(simulate::find_trace(trace_name, where));
  const auto lengths = trace.lengths();
  const auto arrivals = simulate::arrival_statistics(trace);
  RequestClass request_class{.name = "all", .model = model, .trace = trace_name};
  request_class.lengths = perf::WorkloadMoments::of(lengths);
  if (arrivals.gap_cv2 > 0) request_class.arrival_cv2 = arrivals.gap_cv2;
  for (const auto& request : lengths) {
    request_class.longest_tokens =
        std::max(request_class.longest_tokens, request.prompt_tokens + request.output_tokens);
  }
  return request_class;
}

Inventory load_inventory(const Path& file, const perf::Catalogue& catalogue) {
  Inventory inventory;
  for (const config::TomlLeaf& leaf : config::toml_leaves(file, "")) {
    if (leaf.key == "machine") {
      for (const JsonObject& entry : tables(leaf, file)) add_machines(entry, catalogue, inventory);
    } else if (leaf.key == "class") {
      for (const JsonObject& entry : tables(leaf, file))
        inventory.classes.push_back(class_of(entry));
    } else if (leaf.key == "network.gigabytes_per_s") {
      inventory.network.bytes_per_s = positive_number(leaf, file) * 1e9;
    } else if (leaf.key == "network.latency_us") {
      inventory.network.latency_s = positive_number(leaf, file) * 1e-6;
    } else {
      const std::vector<std::string> known{"machine", "class", "network.gigabytes_per_s",
                                           "network.latency_us"};
      throw input_error(fmt::format("{}:{}", file.string(), leaf.line), leaf.key,
                        "one of " + listed(known), in_quotes(leaf.key),
                        did_you_mean(leaf.key, known));
    }
  }
  if (inventory.machines.empty())
    throw input_error(file.string(), "machine", "at least one [[machine]]", "none");
  validate(inventory, file.string());
  return inventory;
}

void validate(const Inventory& inventory, const std::string& where) {
  refuse_duplicates(inventory.machines, where, "machine");
  refuse_duplicates(inventory.classes, where, "class");
  const auto has_rate = [](const RequestClass& c) { return c.requests_per_s > 0; };
  const auto with_rate =
      std::count_if(inventory.classes.begin(), inventory.classes.end(), has_rate);
  if (with_rate != 0 && with_rate != static_cast<std::ptrdiff_t>(inventory.classes.size())) {
    throw input_error(where, "class.requests_per_s", "a rate for every class or for none",
                      fmt::format("{} of {}", with_rate, inventory.classes.size()));
  }
}

}  // namespace trex::plan
