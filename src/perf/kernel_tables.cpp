#include "perf/kernel_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

#include "base/error.h"
#include "base/text.h"
#include "perf/operator_model.h"

namespace trex::perf {
namespace {

// One data line of a table, by column name.
class Row {
 public:
  Row(const std::vector<std::string>& names, std::string_view line, std::string where)
      : names_(names), values_(split(line, ',')), where_(std::move(where)) {
    if (values_.size() != names_.size()) {
      throw input_error(where_, "columns", std::to_string(names_.size()),
                        std::to_string(values_.size()));
    }
  }

  const std::string& text(const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) throw input_error(where_, name, "a column of that name", "none");
    return values_[static_cast<size_t>(found - names_.begin())];
  }
  double number(const std::string& name) const {
    const auto value = parse_real(text(name));
    if (!value || !(*value >= 0) || std::isinf(*value)) refuse(name, "a finite number, at least 0");
    return *value;
  }
  double positive(const std::string& name) const {
    const double value = number(name);
    if (value <= 0) refuse(name, "a finite number above 0");
    return value;
  }
  [[noreturn]] void refuse(const std::string& name, const std::string& expected) const {
    throw input_error(where_, name, expected, in_quotes(text(name)));
  }
  double seconds() const { return 1e-3 * positive("latency_ms"); }

 private:
  const std::vector<std::string>& names_;
  std::vector<std::string> values_;
  std::string where_;
};

void for_each_row(const Path& file, const std::function<void(const Row&)>& work) {
  const std::string text = read_file(file);
  std::vector<std::string> names;
  size_t line_number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = trimmed(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    ++line_number;
    if (line.empty()) continue;
    if (names.empty())
      names = split(line, ',');
    else
      work(Row(names, line, fmt::format("{}:{}", file.string(), line_number)));
  }
}

int64_t whole(double value) { return static_cast<int64_t>(std::llround(value)); }

struct Device {
  DeviceSpec spec;
  double half_peak = 0;
  double bandwidth = 0;
};

class Reader {
 public:
  explicit Reader(const Catalogue& catalogue) {
    for (const auto& [key, name] : {std::pair{"a100", "A100 SXM 80"}, std::pair{"h100", "H100 SXM"},
                                    std::pair{"h200", "H200 SXM"}, std::pair{"l40s", "L40S"}}) {
      const DeviceSpec& spec = catalogue.device(name, "calibration");
      devices_[key] = {spec, *spec.peak_flops(Arithmetic::Half), spec.memory_bandwidth.value};
    }
  }

  void gemm(const Row& row);
  void prompt_attention(const Row& row);
  void decode_attention(const Row& row);
  void experts(const Row& row);
  void all_reduce(const Row& row);
  std::vector<KernelTable> tables() &&;

 private:
  const Device& device(const Row& row) const {
    const auto found = devices_.find(row.text("device"));
    if (found == devices_.end()) row.refuse("device", "one of a100, h100, h200, l40s");
    return found->second;
  }
  KernelTable& table(Kernel kernel, const std::string& device, const std::string& arithmetic) {
    KernelTable& table = tables_[{kernel, device, arithmetic}];
    if (table.samples.empty())
      table.kernel = kernel, table.device = device, table.arithmetic = arithmetic;
    return table;
  }

  std::map<std::string, Device> devices_;
  std::map<std::tuple<Kernel, std::string, std::string>, KernelTable> tables_;
};

double seconds_of(const ModelSpec& model, const DeviceSpec& device,
                  const Quantisation& quantisation, const Layout& layout, double kv_element_bytes,
                  Operator op, const Iteration& iteration) {
  EngineLimits limits;
  limits.kv_element_bytes = kv_element_bytes;
  return OperatorModel(model, device, quantisation, layout, limits, whole_model(model))
      .iteration(iteration)
      .of(op)
      .total_s;
}

// A model that consists of its logits: one product of n x k.
void Reader::gemm(const Row& row) {
  const Device& d = device(row);
  const double m = row.positive("m"), n = row.positive("n"), k = row.positive("k");
  const bool is_half = row.text("dtype") == "bfloat16";
  const Quantisation quantisation{.name = row.text("dtype"),
                                  .weight_bytes = is_half ? 2.0 : 1.0,
                                  .expert_bytes = 1,
                                  .embedding_bytes = is_half ? 2.0 : 1.0,
                                  .arithmetic = is_half ? Arithmetic::Half : Arithmetic::Fp8};
  const ModelSpec model{
      .name = "one product", .num_layers = 1, .hidden = whole(k), .vocab = whole(n)};
  // Row counts that no tile divides run on other, up to twice slower kernels (257 rows in fp8 on
  // H100: 80 us, 256: 38).
  const double alignment = whole(m) % 128 == 0 ? 0 : whole(m) % 16 == 0 ? 1 : 2;
  KernelSample sample{.features = {std::log2(m), std::log2(n), std::log2(k), alignment},
                      .seconds = row.seconds()};
  sample.model_s =
      seconds_of(model, d.spec, quantisation, {}, 2, Operator::Linear, {.num_decoding = m});
  sample.compute_s = 2 * m * n * k / *d.spec.peak_flops(quantisation.arithmetic);
  sample.memory_s = (quantisation.weight_bytes * (n * k + m * k) + 2 * m * n) / d.bandwidth;
  sample.in_scope = n >= 4096 && k >= 4096;
  table(Kernel::Gemm, d.spec.name, row.text("dtype")).samples.push_back(sample);
}

ModelSpec attention_layer(double heads, double kv_heads, double head_dim) {
  return {.name = "one layer",
          .num_layers = 1,
          .hidden = 1,
          .vocab = 1,
          .num_heads = whole(heads),
          .num_kv_heads = whole(kv_heads),
          .head_dim = whole(head_dim),
          .ffn = whole(heads)};
}

void Reader::prompt_attention(const Row& row) {
  const Device& d = device(row);
  const double batch = row.positive("batch"), length = row.positive("isl"),
               heads = row.positive("heads");
  const double kv_heads = row.positive("kv_heads"), head_dim = row.positive("head_dim");
  if (d.spec.name == "L40S" && row.text("kv_dtype") == "fp8") return;
  const ModelSpec model = attention_layer(heads, kv_heads, head_dim);
  const std::vector<PromptChunk> chunks(static_cast<size_t>(batch),
                                        PromptChunk{row.number("step"), length});
  KernelSample sample{
      .features = {std::log2(length), std::log2(batch * heads), std::log2(kv_heads)},
      .seconds = row.seconds()};
  sample.model_s = seconds_of(model, d.spec, find_quantisation("fp16", "calibration"), {}, 2,
                              Operator::PromptAttention, {.chunks = chunks});
  sample.compute_s = 4 * heads * head_dim * batch * chunks[0].pairs() / d.half_peak;
  sample.memory_s = batch * length * head_dim * 4 * (heads + kv_heads) / d.bandwidth;
  sample.in_scope = length >= 128 && heads >= 8 && batch * heads >= 32;
  table(Kernel::PromptAttention, d.spec.name, row.text("kv_dtype")).samples.push_back(sample);
}

void Reader::decode_attention(const Row& row) {
  const Device& d = device(row);
  const double batch = row.positive("batch"), heads = row.positive("heads"),
               kv_heads = row.positive("kv_heads");
  const double context = row.positive("isl") + row.number("step");
  const double element = row.text("kv_dtype") == "fp8" ? 1 : 2;
  const ModelSpec model = attention_layer(heads, kv_heads, row.positive("head_dim"));
  KernelSample sample{.features = {std::log2(context), std::log2(batch), std::log2(kv_heads),
                                   std::log2(heads / kv_heads)},
                      .seconds = row.seconds()};
  sample.model_s =
      seconds_of(model, d.spec, find_quantisation("fp16", "calibration"), {}, element,
                 Operator::DecodeAttention, {.num_decoding = batch, .context_each = context});
  const double bytes = batch * context * 2 * kv_heads * row.number("head_dim") * element;
  sample.compute_s = 4 * heads * row.number("head_dim") * batch * context / d.half_peak;
  sample.memory_s = bytes / d.bandwidth;
  sample.in_scope =
      kv_heads > 1 && heads > kv_heads && context >= 256 && (bytes < 2e6 || bytes > 120e6);
  table(Kernel::DecodeAttention, d.spec.name, row.text("kv_dtype")).samples.push_back(sample);
}

void Reader::experts(const Row& row) {
  const Device& d = device(row);
  const double tokens = row.positive("tokens"), hidden = row.positive("hidden"),
               inter = row.positive("inter");
  const double top_k = row.positive("topk"), experts = row.positive("experts"),
               tp = row.positive("moe_tp");
  // Ranks of expert parallelism are measured with all tokens on each, unlike the operator model's
  // dispatch.
  if (row.positive("moe_ep") > 1) return;
  const std::string& dtype = row.text("dtype");
  const bool is_half = dtype == "bfloat16";
  const Quantisation quantisation{.name = dtype,
                                  .weight_bytes = is_half ? 2.0 : 1.0,
                                  .expert_bytes = is_half ? 2.0 : 1.0,
                                  .embedding_bytes = 2,
                                  .arithmetic = is_half ? Arithmetic::Half : Arithmetic::Fp8,
                                  .block_scaled = dtype == "fp8_block"};
  ModelSpec model = attention_layer(tp, tp, 1);
  model.hidden = whole(hidden);
  model.expert_ffn = whole(inter);
  model.num_experts = whole(experts);
  model.top_k = whole(top_k);
  const double skew = row.text("distribution") == "balanced"         ? 0
                      : row.text("distribution") == "power_law_1.01" ? 1
                                                                     : 2;
  KernelSample sample{.features = {std::log2(tokens), std::log2(inter / tp), skew,
                                   std::log2(hidden), std::log2(experts)},
                      .seconds = row.seconds()};
  const Layout layout{.tp = whole(tp)};
  sample.model_s = seconds_of(model, d.spec, quantisation, layout, 2, Operator::Experts,
                              {.num_decoding = tokens});
  const double size = 3 * hidden * inter / tp;
  sample.compute_s = 2 * tokens * top_k * size / *d.spec.peak_flops(quantisation.arithmetic);
  sample.memory_s =
      touched_experts(experts, top_k, tokens) * size * quantisation.expert_bytes / d.bandwidth;
  sample.in_scope = experts > 8;
  table(Kernel::Experts, d.spec.name, dtype).samples.push_back(sample);
}

// A layer of hidden size h has two all-reduces of tokens*h*2 bytes: h = 1 makes `elements` the
// tokens.
void Reader::all_reduce(const Row& row) {
  if (row.text("collective") != "all_reduce") return;
  Device d = device(row);
  const double ranks = row.positive("num_gpus"), elements = row.positive("elements");
  const std::string name = d.spec.name;
  if (name == "L40S") {
    // The measured box is not every L40S server: compare with its own line (catalogue, "L40S PCIe
    // measured box").
    d.spec.all_reduce = {{2, {7e-6, 54e-12}}, {4, {12e-6, 292e-12}}, {8, {23e-6, 1113e-12}}};
  }
  const ModelSpec model = attention_layer(ranks, ranks, 1);
  KernelSample sample{.features = {std::log2(elements * 2), std::log2(ranks)},
                      .seconds = row.seconds()};
  sample.model_s =
      seconds_of(model, d.spec, find_quantisation("fp16", "calibration"), {.tp = whole(ranks)}, 2,
                 Operator::TensorParallel, {.num_decoding = elements}) /
      2;
  const Link* link = d.spec.fastest_link("machine");
  sample.memory_s = 2 * (ranks - 1) / ranks * elements * 2 / link->bytes_per_s;
  sample.in_scope = true;
  table(Kernel::AllReduce, name, row.text("dtype")).samples.push_back(sample);
}

std::vector<KernelTable> Reader::tables() && {
  std::vector<KernelTable> result;
  for (auto& [key, table] : tables_) result.push_back(std::move(table));
  return result;
}

}  // namespace

std::string_view to_string(Kernel kernel) {
  static constexpr std::string_view kNames[] = {"GEMM", "prompt attention", "decode attention",
                                                "experts", "all-reduce"};
  return kNames[static_cast<size_t>(kernel)];
}

std::vector<std::string> features_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::Gemm:
      return {"rows", "columns", "depth", "alignment of rows"};
    case Kernel::PromptAttention:
      return {"length", "sequences x heads", "KV heads"};
    case Kernel::DecodeAttention:
      return {"context", "batch", "KV heads", "heads of a KV head"};
    case Kernel::Experts:
      return {"tokens", "expert width on the rank", "skew", "hidden size", "experts"};
    case Kernel::AllReduce:
      return {"bytes", "ranks"};
  }
  return {};
}

std::vector<KernelTable> read_kernel_tables(const Path& folder, const Catalogue& catalogue) {
  Reader reader(catalogue);
  for_each_row(folder / "aic_gemm_ms.csv.zst", [&](const Row& row) { reader.gemm(row); });
  for_each_row(folder / "aic_prefill_attention_ms.csv.zst",
               [&](const Row& row) { reader.prompt_attention(row); });
  for_each_row(folder / "aic_decode_attention_ms.csv.zst",
               [&](const Row& row) { reader.decode_attention(row); });
  for_each_row(folder / "aic_moe_ms.csv.zst", [&](const Row& row) { reader.experts(row); });
  for_each_row(folder / "aic_nccl_ms.csv.zst", [&](const Row& row) { reader.all_reduce(row); });
  return std::move(reader).tables();
}

}  // namespace trex::perf
