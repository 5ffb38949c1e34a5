#include "plan/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace trex::plan {
namespace {

constexpr int64_t kFirstPort = 8000;

std::string device_list(const PlannedInstance& instance) {
  std::vector<std::string> ids;
  for (const int64_t id : instance.devices) ids.push_back(std::to_string(id));
  return joined(ids, ",");
}

// Variable that hides the other devices of the machine.
std::string visible(const Problem& problem, const Shape& shape, const PlannedInstance& instance) {
  if (instance.devices.empty()) return "";
  const std::string& vendor = problem.kinds[shape.kind].device.vendor;
  const char* name = vendor == "AMD"      ? "HIP_VISIBLE_DEVICES"
                     : vendor == "Huawei" ? "ASCEND_RT_VISIBLE_DEVICES"
                                          : "CUDA_VISIBLE_DEVICES";
  return fmt::format("{}={} ", name, device_list(instance));
}

bool is_gguf(const perf::Quantisation& quantisation) { return quantisation.name.starts_with("q"); }

// How vLLM and SGLang name the checkpoint's precision; empty when the checkpoint says it itself.
std::string precision_flags(const perf::Quantisation& quantisation) {
  if (quantisation.name == "bf16") return " --dtype bfloat16";
  if (quantisation.name == "fp16") return " --dtype float16";
  if (quantisation.name == "fp8") return " --quantization fp8";
  return "";  // int8, fp8-block, fp8-fp4 and int4 checkpoints carry their own configuration
}

std::string kv_flag(const Shape& shape) {
  return shape.limits.kv_element_bytes < 2 ? " --kv-cache-dtype fp8_e4m3" : "";
}

LaunchLine vllm(const Problem& problem, const Shape& shape, const PlannedInstance& instance,
                int64_t port) {
  if (is_gguf(shape.quantisation)) return {"vllm", "", "GGUF quantisations are llama.cpp's"};
  const perf::Layout& layout = shape.layout;
  const std::string& name = problem.models[shape.model].name;
  std::string line =
      fmt::format("{}vllm serve {} --served-model-name {} --port {} --tensor-parallel-size {}",
                  visible(problem, shape, instance), name, name, port, layout.tp);
  if (layout.pp > 1) line += fmt::format(" --pipeline-parallel-size {}", layout.pp);
  if (layout.dp > 1) line += fmt::format(" --data-parallel-size {}", layout.dp);
  if (layout.ep > 1) line += " --enable-expert-parallel";
  // Each attention replica counts its own sequences, and an iteration must hold a token of each.
  const int64_t sequences = (shape.limits.max_sequences + layout.dp - 1) / layout.dp;
  line += fmt::format(
      " --max-num-seqs {} --max-num-batched-tokens {} --max-model-len {} --gpu-memory-utilization "
      "{:g}",
      sequences, std::max(shape.limits.chunk_tokens, sequences), instance.model.max_context,
      shape.limits.memory_fraction);
  if (instance.machines.size() > 1)
    line += " --distributed-executor-backend ray  # stages: " + joined(instance.machines, ", ");
  const auto& layers = shape.stage_layers;
  if (layout.pp > 1 &&
      std::adjacent_find(layers.begin(), layers.end(), std::not_equal_to<>()) != layers.end()) {
    std::vector<std::string> counts;
    for (const int64_t count : layers) counts.push_back(std::to_string(count));
    line = "VLLM_PP_LAYER_PARTITION=" + joined(counts, ",") + " " + line;
  }
  const size_t comment = line.find("  #");
  line.insert(comment == std::string::npos ? line.size() : comment,
              precision_flags(shape.quantisation) + kv_flag(shape));
  return {"vllm", line, ""};
}

LaunchLine sglang(const Problem& problem, const Shape& shape, const PlannedInstance& instance,
                  int64_t port) {
  if (is_gguf(shape.quantisation)) return {"sglang", "", "GGUF quantisations are llama.cpp's"};
  if (instance.machines.size() > 1)
    return {"sglang", "", "stages of unlike machines need vLLM's layer partition"};
  const perf::Layout& layout = shape.layout;
  // SGLang's --tp counts all ranks; attention replicas are a part of it.
  const std::string& name = problem.models[shape.model].name;
  std::string line = fmt::format(
      "{}python3 -m sglang.launch_server --model-path {} --served-model-name {} --host 0.0.0.0 "
      "--port {} --tp {}",
      visible(problem, shape, instance), name, name, port, layout.tp * layout.dp);
  if (layout.pp > 1) line += fmt::format(" --pp-size {}", layout.pp);
  if (layout.dp > 1) line += fmt::format(" --dp {} --enable-dp-attention", layout.dp);
  if (layout.ep > 1) line += fmt::format(" --ep-size {}", layout.ep);
  // Its fraction is of weights and cache alone; activations and graphs come on top.
  const double fixed_share =
      (shape.memory.weight_bytes + shape.memory.kv_bytes) / shape.memory.device_bytes;
  line += fmt::format(
      " --max-running-requests {} --chunked-prefill-size {} --context-length {} "
      "--mem-fraction-static {:.3f} --enable-metrics",
      shape.limits.max_sequences, shape.limits.chunk_tokens, instance.model.max_context,
      std::floor(1000 * fixed_share) / 1000);
  // vLLM reads it from the checkpoint.
  if (shape.quantisation.name == "int8") line += " --quantization w8a8_int8";
  return {"sglang", line + precision_flags(shape.quantisation) + kv_flag(shape), ""};
}

LaunchLine llamacpp(const Problem& problem, const Shape& shape, const PlannedInstance& instance,
                    int64_t port) {
  if (!is_gguf(shape.quantisation) && shape.quantisation.name != "bf16" &&
      shape.quantisation.name != "fp16") {
    return {"llamacpp", "", "needs a GGUF quantisation"};
  }
  if (shape.layout.devices() > 1 || instance.machines.size() > 1)
    return {"llamacpp", "", "one device an instance"};
  // A fixed context is split over fixed slots: as many as hold a longest sequence each.
  const int64_t slots = std::clamp<int64_t>(
      instance.model.admissible_batch(static_cast<double>(instance.model.max_context)), 1, 64);
  const char* kv = shape.limits.kv_element_bytes < 2 ? " -fa on -ctk q8_0 -ctv q8_0" : "";
  const std::string& name = problem.models[shape.model].name;
  return {"llamacpp",
          fmt::format("{}llama-server -m {}.{}.gguf --alias {} --host 0.0.0.0 --port {} -ngl 999 "
                      "-np {} -c {} -b {}{} --metrics",
                      visible(problem, shape, instance), name, shape.quantisation.name, name, port,
                      slots, slots * instance.model.max_context, shape.limits.chunk_tokens, kv),
          ""};
}

LaunchLine trex_engine(const Problem& problem, const Shape& shape, int64_t port) {
  const ModelChoice& model = problem.models[shape.model];
  if (model.spec.attention != perf::AttentionKind::Compressed)
    return {"trex", "", "serves DeepSeek-V4 models"};
  if (shape.layout.devices() > 1 || shape.crosses_machines())
    return {"trex", "", "one device an instance"};
  return {"trex", fmt::format("trex serve {} --port {}", model.name, port), ""};
}

}  // namespace

int64_t port_of(const ServingPlan& plan, const PlannedInstance& instance) {
  const auto* first = plan.instances.data();
  return kFirstPort + std::count_if(first, &instance, [&](const PlannedInstance& other) {
           return other.machines[0] == instance.machines[0];
         });
}

std::vector<LaunchLine> launch_lines(const ServingPlan& plan, const PlannedInstance& instance) {
  const int64_t port = port_of(plan, instance);
  const Problem& problem = plan.problem;
  const Shape& shape = problem.shapes[instance.shape];
  return {vllm(problem, shape, instance, port), sglang(problem, shape, instance, port),
          llamacpp(problem, shape, instance, port), trex_engine(problem, shape, port)};
}

std::string engine_of(const ServingPlan& plan, const PlannedInstance& instance) {
  const auto lines = launch_lines(plan, instance);
  const auto runs = std::find_if(lines.begin(), lines.end(),
                                 [](const LaunchLine& line) { return !line.command.empty(); });
  return runs == lines.end() ? "openai" : runs->engine;
}

std::string gateway_config(const ServingPlan& plan) {
  const Problem& problem = plan.problem;
  std::string text =
      "# Made by trex plan serve. Replace host names where they differ from the machines' "
      "names.\nversion = 1\n";
  for (const RequestClass& c : problem.classes) {
    text += fmt::format("\n[classes.{}]\npriority = {}\n", in_quotes(c.name), c.is_bulk ? 3 : 1);
    if (c.limits.first_token_s)
      text += fmt::format("ttft_ms = {:g}\n", 1e3 * *c.limits.first_token_s);
    if (c.limits.per_token_s) text += fmt::format("tpot_ms = {:g}\n", 1e3 * *c.limits.per_token_s);
  }
  for (const PlannedInstance& instance : plan.instances) {
    const Shape& shape = problem.shapes[instance.shape];
    const perf::IterationCoefficients& time = instance.model.time;
    const int64_t port = port_of(plan, instance);
    text += fmt::format(
        "\n[[instances]]\nid = {}\nurl = \"http://{}:{}\"\nengine = {}\nmodels = [{}]\n",
        in_quotes(instance.name), instance.machines[0], port, in_quotes(engine_of(plan, instance)),
        in_quotes(problem.models[shape.model].name));
    text += fmt::format("weight = {:.6g}\n", instance.weight);
    text += fmt::format("limits = {{ max_running = {}, context = {}, kv_bytes = {:.0f} }}\n",
                        instance.model.max_sequences, instance.model.max_context,
                        instance.model.kv_capacity_bytes);
    text += fmt::format("labels = {{ device = {}, machine = {} }}\n",
                        in_quotes(problem.kinds[shape.kind].device.name),
                        in_quotes(instance.machines[0]));
    text += fmt::format(
        "[instances.capability]\nbase_s = {}\nper_sequence_s = [{}, {}, {}, "
        "{}]\nper_context_token_s = {}\n"
        "per_prompt_token_s = {}\nper_prompt_pair_s = {}\ncalibrated = {}\n",
        time.base_s, time.per_sequence_s[0], time.per_sequence_s[1], time.per_sequence_s[2],
        time.per_sequence_s[3], time.per_context_token_s, time.per_prompt_token_s,
        time.per_prompt_pair_s, instance.model.evidence.calibrated);
    std::vector<std::string> shares;
    for (size_t c = 0; c < problem.classes.size(); ++c) {
      if (instance.class_share[c] > 0)
        shares.push_back(fmt::format("{} = {:.6g}", in_quotes(problem.classes[c].name),
                                     instance.class_share[c]));
    }
    text += "class_shares = { " + joined(shares, ", ") + " }\n";
  }
  return text;
}

}  // namespace trex::plan
