// trex perf show: where the time of an iteration goes, what fits, how fast it is.
#include <fmt/format.h>

#include <algorithm>

#include "app/commands.h"
#include "base/error.h"
#include "base/text.h"
#include "perf/catalogue.h"
#include "perf/pipeline.h"
#include "perf/throughput.h"

namespace trex::app {
namespace {

struct ShowArguments {
  std::string device, model;
  std::vector<Path> catalogue_files;
  std::string quantisation = "bf16";
  std::string kv = "bf16";
  perf::Layout layout;
  int64_t batch = 32;
  int64_t context = 1024;
  int64_t prompt = 2048;
  perf::EngineLimits limits;
  bool json = false;
};

void add_options(CLI::App& options, ShowArguments& a) {
  const auto degree = CLI::Range(1, 1024);
  options.add_option("device", a.device, "Device of the catalogue (trex perf list)")->required();
  options
      .add_option("model", a.model,
                  "Model of the catalogue (trex perf list), a config.json or a .gguf file")
      ->required();
  options.add_option("--catalogue", a.catalogue_files,
                     "Your own devices or models, JSON; repeatable");
  options.add_option("--quantisation", a.quantisation, "How weights are stored")
      ->capture_default_str();
  options.add_option("--kv", a.kv, "Cache elements: bf16 or fp8")
      ->check(CLI::IsMember({"bf16", "fp8"}))
      ->capture_default_str();
  options.add_option("--tp", a.layout.tp, "Tensor-parallel devices")
      ->check(degree)
      ->capture_default_str();
  options.add_option("--pp", a.layout.pp, "Pipeline stages")->check(degree)->capture_default_str();
  options.add_option("--dp", a.layout.dp, "Attention replicas (mixtures of experts)")
      ->check(degree)
      ->capture_default_str();
  options.add_option("--ep", a.layout.ep, "Expert-parallel ranks")
      ->check(degree)
      ->capture_default_str();
  options.add_option("--batch", a.batch, "Sequences decoding at once")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  options.add_option("--context", a.context, "Tokens of each")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  options.add_option("--prompt", a.prompt, "Tokens of the prompt shown")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  options
      .add_option("--max-context", a.limits.max_context,
                  "Tokens that one sequence must be able to reach")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  options.add_flag("--json", a.json, "As JSON");
}

Json time_json(const perf::IterationTime& time) {
  Json operators = Json::array();
  for (size_t i = 0; i < perf::kNumOperators; ++i) {
    const auto op = static_cast<perf::Operator>(i);
    const perf::OperatorTime& t = time.of(op);
    if (t.total_s <= 0) continue;
    operators.push_back({{"operator", perf::to_string(op)},
                         {"seconds", t.total_s},
                         {"bound", t.bound()},
                         {"compute_s", t.compute_s},
                         {"memory_s", t.memory_s},
                         {"communication_s", t.communication_s},
                         {"fixed_s", t.fixed_s}});
  }
  return {{"seconds", time.total_s()}, {"operators", operators}};
}

std::string time_table(const std::string& title, const perf::IterationTime& time) {
  std::string text =
      fmt::format("\n{}: {:.3f} ms\n  {:<18} {:>9} {:>6}  {:<14} {:>9} {:>9} {:>9} {:>9}\n", title,
                  1e3 * time.total_s(), "operator", "ms", "share", "bound by", "compute", "memory",
                  "links", "fixed");
  for (size_t i = 0; i < perf::kNumOperators; ++i) {
    const auto op = static_cast<perf::Operator>(i);
    const perf::OperatorTime& t = time.of(op);
    if (t.total_s <= 0) continue;
    text += fmt::format("  {:<18} {:>9.3f} {:>5.1f}%  {:<14} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f}\n",
                        perf::to_string(op), 1e3 * t.total_s, 100 * t.total_s / time.total_s(),
                        t.bound(), 1e3 * t.compute_s, 1e3 * t.memory_s, 1e3 * t.communication_s,
                        1e3 * t.fixed_s);
  }
  return text;
}

// Everything that is shown.
struct Shown {
  perf::ModelSpec model;
  perf::DeviceSpec device;
  perf::ParameterCounts parameters;
  perf::MemoryBudget memory;
  int64_t kv_tokens = 0;
  int64_t admissible = 0;
  perf::IterationTime decode, prompt;  // of the first stage when pp > 1
  double decode_tokens_per_s = 0;
  double prompt_tokens_per_s = 0;
  double alone_tokens_per_s = 0;  // one sequence
};

Shown compute(const ShowArguments& a) {
  perf::Catalogue catalogue = perf::Catalogue::shipped();
  for (const Path& file : a.catalogue_files) catalogue.add_file(file);
  Shown shown{.model = catalogue.model(a.model, "perf show"),
              .device = catalogue.device(a.device, "perf show")};
  const perf::Quantisation& quantisation =
      perf::find_quantisation(a.quantisation, "--quantisation");
  shown.parameters = perf::count_parameters(shown.model);
  if (const auto problem = perf::layout_problem(shown.model, a.layout)) {
    throw usage_error("--tp, --pp, --dp, --ep", "a layout that suits " + shown.model.name,
                      a.layout.text() + ": " + *problem);
  }
  const perf::Placement placement =
      perf::place(shown.model, shown.device, quantisation, a.layout, a.limits);
  const perf::PipelineModel& pipeline = placement.pipeline;
  shown.memory = placement.memory;
  shown.kv_tokens = shown.memory.kv.tokens_within(shown.memory.kv_bytes);
  shown.admissible =
      perf::admissible_batch(shown.memory, a.layout, a.limits, static_cast<double>(a.context));
  const double batch = static_cast<double>(a.batch);
  const double context = static_cast<double>(a.context);
  const double stage_share = 1 / static_cast<double>(a.layout.pp);
  shown.decode = pipeline.stages()[0].iteration(
      {.num_decoding = batch * stage_share, .context_each = context});
  const perf::PromptChunk chunk{0, static_cast<double>(std::min(a.prompt, a.limits.chunk_tokens))};
  shown.prompt = pipeline.stages()[0].iteration({.chunks = {&chunk, 1}});
  shown.decode_tokens_per_s =
      batch / pipeline.seconds({.num_decoding = batch, .context_each = context});
  shown.alone_tokens_per_s = 1 / pipeline.seconds({.num_decoding = 1, .context_each = context});
  shown.prompt_tokens_per_s =
      static_cast<double>(a.prompt) /
      pipeline.prompt_seconds(static_cast<double>(a.prompt), a.limits.chunk_tokens);
  return shown;
}

Json to_json(const ShowArguments& a, const Shown& s) {
  return {{"device", s.device.name},
          {"model", s.model.name},
          {"quantisation", a.quantisation},
          {"layout", a.layout.text()},
          {"calibrated", s.device.calibrated()},
          {"efficiency_source", s.device.efficiency.source},
          {"parameters", s.parameters.total()},
          {"active_parameters", perf::active_parameters(s.model)},
          {"memory",
           {{"device_bytes", s.memory.device_bytes},
            {"usable_bytes", s.memory.usable_bytes},
            {"weight_bytes", s.memory.weight_bytes},
            {"activation_bytes", s.memory.activation_bytes},
            {"reserve_bytes", s.memory.reserve_bytes},
            {"kv_bytes", s.memory.kv_bytes},
            {"kv_bytes_of_a_sequence", s.memory.kv.bytes(a.context)},
            {"kv_tokens", s.kv_tokens}}},
          {"batch", a.batch},
          {"context", a.context},
          {"admissible_batch", s.admissible},
          {"decode", time_json(s.decode)},
          {"prompt", time_json(s.prompt)},
          {"decode_tokens_per_s", s.decode_tokens_per_s},
          {"one_sequence_tokens_per_s", s.alone_tokens_per_s},
          {"prompt_tokens_per_s", s.prompt_tokens_per_s}};
}

// The least that would make it fit: for each quantisation that the device computes in, the fewest
// devices.
std::string what_fits(const ShowArguments& a, const Shown& s) {
  std::string text;
  for (const perf::Quantisation& quantisation : perf::quantisations()) {
    if (quantisation.arithmetic != perf::Arithmetic::Half &&
        !s.device.peak_flops(quantisation.arithmetic))
      continue;
    for (perf::Layout layout = a.layout; layout.tp <= 16; layout.tp *= 2) {
      if (perf::layout_problem(s.model, layout)) continue;
      const perf::MemoryBudget memory =
          perf::place(s.model, s.device, quantisation, layout, a.limits).memory;
      if (memory.missing_bytes(a.limits.max_context) > 0) continue;
      text += fmt::format("{}--quantisation {} --tp {}", text.empty() ? "" : ", ",
                          quantisation.name, layout.tp);
      break;
    }
  }
  return text.empty() ? "  nothing makes it fit up to 16 of these devices a stage: more stages "
                        "(--pp) or a smaller --max-context might\n"
                      : "  it would fit with " + text + "\n";
}

std::string memory_text(const ShowArguments& a, const Shown& s) {
  const auto gb = [](double bytes) { return bytes * 1e-9; };
  std::string text = fmt::format(
      "memory of one device ({:.1f} GB, {:.1f} usable)\n  weights {:.2f} GB, activations {:.2f}, "
      "reserve {:.2f}, cache {:.2f}\n",
      gb(s.memory.device_bytes), gb(s.memory.usable_bytes), gb(s.memory.weight_bytes),
      gb(s.memory.activation_bytes), gb(s.memory.reserve_bytes), gb(s.memory.kv_bytes));
  if (s.memory.kv_bytes < s.memory.kv.bytes(a.limits.max_context)) {
    return text +
           fmt::format("  DOES NOT FIT: {:.2f} GB more are needed for one sequence of {} tokens\n",
                       gb(s.memory.missing_bytes(a.limits.max_context)), a.limits.max_context) +
           what_fits(a, s);
  }
  return text + fmt::format(
                    "  a sequence of {} tokens takes {:.3f} GB; the cache holds {} such sequences "
                    "at once (at most {}), or one of {} tokens\n",
                    a.context, gb(s.memory.kv.bytes(a.context)), s.admissible,
                    a.limits.max_sequences, s.kv_tokens);
}

}  // namespace

int cmd_perf_show(const Arguments& arguments) {
  CLI::App options("Where the time of an iteration goes on a device", "trex perf show");
  ShowArguments a;
  add_options(options, a);
  if (!parse_arguments(options, arguments)) return 0;
  a.limits.kv_element_bytes = a.kv == "fp8" ? 1 : 2;
  const Shown shown = compute(a);
  if (a.json) {
    fmt::print("{}\n", to_json(a, shown).dump(2));
    return 0;
  }
  fmt::print(
      "{} on {} {}, {}\n{:.2f}e9 parameters, {:.2f}e9 active for a token (without "
      "embeddings)\nefficiencies: {}{}\n\n",
      shown.model.name, a.layout.text(), shown.device.name, a.quantisation,
      shown.parameters.total() * 1e-9, perf::active_parameters(shown.model) * 1e-9,
      shown.device.efficiency.source, shown.device.calibrated() ? "" : " (UNCALIBRATED)");
  fmt::print("{}", memory_text(a, shown));
  const std::string stage = a.layout.pp > 1 ? fmt::format(", stage 1 of {}", a.layout.pp) : "";
  fmt::print("{}", time_table(fmt::format("decoding {} sequences of {} tokens{}", a.batch,
                                          a.context, stage),
                              shown.decode));
  fmt::print("{}", time_table(fmt::format("a chunk of {} prompt tokens{}",
                                          std::min(a.prompt, a.limits.chunk_tokens), stage),
                              shown.prompt));
  fmt::print(
      "\ndecoding {:.0f} tokens/s at batch {}, {:.1f} for one sequence; prompt of {} tokens {:.0f} "
      "tokens/s\n",
      shown.decode_tokens_per_s, a.batch, shown.alone_tokens_per_s, a.prompt,
      shown.prompt_tokens_per_s);
  return 0;
}

}  // namespace trex::app
