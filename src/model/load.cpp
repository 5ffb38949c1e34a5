// Parameters from and to checkpoint folders.
#include <torch/types.h>

#include <fmt/format.h>

#include <set>

#include "base/error.h"
#include "base/text.h"
#include "checkpoint/weights.h"
#include "model/parameters.h"

namespace trex::model {
namespace {

// How transformers' save_pretrained spells an official name (4.3).
std::string transformers_name(const std::string& official) {
  if (official == "head.weight") return official;
  if (official == "embed.weight") return "model.embed_tokens.weight";
  if (official.starts_with("hc_head_")) return "model.hc_head.hc_" + official.substr(8);
  std::string name = "model." + official;
  const std::string_view ending = ".attn.kv_norm.weight";
  if (name.ends_with(ending))
    name.replace(name.size() - ending.size(), ending.size(), ".attn.norm.weight");
  return name;
}

std::string name_in(const checkpoint::WeightFolder& weights, const std::string& official) {
  if (weights.has(official)) return official;
  const std::string other = transformers_name(official);
  if (weights.has(other)) return other;
  const std::string hint =
      official.starts_with("mtp.")
          ? "transformers saves no MTP block: set num_nextn_predict_layers to 0 in config.json"
          : fmt::format("nor {}; does config.json belong to these weights?", in_quotes(other));
  throw input_error(weights.folder().string(), official, "a tensor of this name", "none", hint);
}

torch::Tensor checked(const torch::Tensor& tensor, const checkpoint::TensorSpec& spec,
                      const std::string& where) {
  const checkpoint::TensorSpec got{spec.name, tensor.scalar_type(), tensor.sizes().vec()};
  const bool same_kind = tensor.is_floating_point() == c10::isFloatingType(spec.dtype) &&
                         c10::elementSize(tensor.scalar_type()) > 1;
  if (got.shape != spec.shape || !same_kind) {
    throw input_error(where, spec.name, spec.text(), got.text());
  }
  return tensor.to(spec.dtype);
}

void expect_nothing_else(const checkpoint::WeightFolder& weights, const std::set<std::string>& used,
                         const ModelConfig& config) {
  for (const auto& spec : weights.specs()) {
    const bool is_unused_mtp =
        config.num_nextn_predict_layers == 0 && spec.name.find("mtp.") != std::string::npos;
    if (!used.contains(spec.name) && !is_unused_mtp) {
      throw input_error(weights.folder().string(), spec.name,
                        "only tensors that config.json implies", spec.text());
    }
  }
}

}  // namespace

Parameters load_parameters(const ModelConfig& config, const Path& folder, torch::Dtype dtype) {
  const auto weights = checkpoint::WeightFolder::open(folder);
  Parameters parameters;
  std::set<std::string> used;
  for (const auto& spec : expected_specs(config, dtype)) {
    const std::string name = name_in(weights, spec.name);
    used.insert(name);
    parameters.add(spec.name, checked(weights.read(name), spec, folder.string()));
  }
  expect_nothing_else(weights, used, config);
  return parameters;
}

void save_model(const ModelConfig& config, const Parameters& parameters, const Path& folder) {
  std::vector<checkpoint::NamedTensor> tensors;
  for (const auto& [name, tensor] : parameters.entries()) tensors.push_back({name, tensor});
  checkpoint::write_safetensors(folder / "model.safetensors", tensors, {{"format", "pt"}});
  write_file(folder / "config.json", to_json(config).dump(2) + "\n");
}

}  // namespace trex::model
