#include "perf/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "perf/catalogue_data.h"
#include "perf/device_json.h"
#include "perf/gguf.h"
#include "perf/hf_config.h"

namespace trex::perf {
namespace {

constexpr int64_t kFormatVersion = 1;

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '.') {
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return plain;
}

template <class Spec>
const Spec* find(const std::vector<Spec>& all, const std::string& name) {
  for (const Spec& spec : all) {
    if (plain_name(spec.name) == plain_name(name)) return &spec;
  }
  return nullptr;
}

// The nearest name by edits of the plain forms; else names that begin with the same letters.
template <class Spec>
std::string nearest_hint(const std::vector<Spec>& all, const std::string& name) {
  std::vector<std::string> plain, beginning;
  for (const Spec& spec : all) {
    plain.push_back(plain_name(spec.name));
    if (plain.back().starts_with(plain_name(name)) && !name.empty()) beginning.push_back(spec.name);
  }
  if (!beginning.empty()) return "did you mean " + listed(beginning) + "?";
  if (const auto near = nearest_word(plain_name(name), plain)) {
    const auto place = std::find(plain.begin(), plain.end(), *near) - plain.begin();
    return "did you mean " + in_quotes(all[static_cast<size_t>(place)].name) + "?";
  }
  return "trex perf list shows all";
}

template <class Spec>
void replace_or_add(std::vector<Spec>& all, Spec spec) {
  for (Spec& old : all) {
    if (plain_name(old.name) != plain_name(spec.name)) continue;
    old = std::move(spec);
    return;
  }
  all.push_back(std::move(spec));
}

AttentionKind attention_from_json(const JsonObject& entry) {
  const std::string kind = entry.string_or("attention", "grouped");
  if (kind == "grouped") return AttentionKind::Grouped;
  if (kind == "latent") return AttentionKind::Latent;
  if (kind == "compressed") return AttentionKind::Compressed;
  throw entry.error("attention", "one of grouped, latent, compressed", in_quotes(kind));
}

LatentSizes latent_from_json(const JsonObject& entry) {
  entry.expect_only({"query_rank", "kv_rank", "nope_dim", "rope_dim", "value_dim"});
  return {entry.integer_or("query_rank", 0), entry.integer("kv_rank"), entry.integer("nope_dim"),
          entry.integer("rope_dim"), entry.integer("value_dim")};
}

CompressedSizes compressed_from_json(const JsonObject& entry) {
  entry.expect_only({"layer_ratios", "window", "query_rank", "output_rank", "output_groups",
                     "indexer_heads", "indexer_dim", "indexer_top_k"});
  return {.layer_ratios = entry.integers("layer_ratios"),
          .window = entry.integer("window"),
          .query_rank = entry.integer("query_rank"),
          .output_rank = entry.integer("output_rank"),
          .output_groups = entry.integer("output_groups"),
          .indexer_heads = entry.integer("indexer_heads"),
          .indexer_dim = entry.integer("indexer_dim"),
          .indexer_top_k = entry.integer("indexer_top_k")};
}

void read_moe(const JsonObject& entry, ModelSpec& model) {
  entry.expect_only({"num_experts", "top_k", "expert_ffn", "shared_experts", "dense_layers"});
  model.num_experts = entry.integer("num_experts");
  model.top_k = entry.integer("top_k");
  model.expert_ffn = entry.integer("expert_ffn");
  model.shared_experts = entry.integer_or("shared_experts", 0);
  model.dense_layers = entry.integer_or("dense_layers", 0);
}

}  // namespace

ModelSpec model_from_json(const JsonObject& entry) {
  entry.expect_only({"name", "source", "num_layers", "hidden", "vocab", "num_heads", "num_kv_heads",
                     "head_dim", "ffn", "gated_ffn", "tied_embeddings", "window", "windowed_layers",
                     "max_context", "attention", "latent", "compressed", "moe"});
  ModelSpec model;
  model.name = entry.string("name");
  model.source = entry.string_or("source", "");
  model.num_layers = entry.integer("num_layers");
  model.hidden = entry.integer("hidden");
  model.vocab = entry.integer("vocab");
  model.num_heads = entry.integer("num_heads");
  model.num_kv_heads = entry.integer("num_kv_heads");
  model.head_dim = entry.integer("head_dim");
  model.ffn = entry.integer_or("ffn", 0);
  model.gated_ffn = entry.boolean_or("gated_ffn", true);
  model.tied_embeddings = entry.boolean_or("tied_embeddings", false);
  model.window = entry.integer_or("window", 0);
  model.windowed_layers = entry.integer_or("windowed_layers", 0);
  model.max_context = entry.integer_or("max_context", 0);
  model.attention = attention_from_json(entry);
  if (model.attention == AttentionKind::Latent)
    model.latent = latent_from_json(entry.object("latent"));
  if (model.attention == AttentionKind::Compressed) {
    model.compressed = compressed_from_json(entry.object("compressed"));
  }
  if (entry.has("moe")) read_moe(entry.object("moe"), model);
  validate(model, entry.where());
  return model;
}

Catalogue Catalogue::shipped() {
  Catalogue catalogue;
  const Json devices = parse_json(kShippedDevices, "devices.json");
  const Json models = parse_json(kShippedModels, "models.json");
  catalogue.add_devices(JsonObject(devices, "devices.json"));
  catalogue.add_models(JsonObject(models, "models.json"));
  return catalogue;
}

void Catalogue::add_file(const Path& path) {
  const Json json = parse_json(read_file(path), path.string());
  const JsonObject file(json, path.string());
  const std::string format = file.string("format");
  if (const int64_t version = file.integer("version"); version != kFormatVersion) {
    throw file.error("version", std::to_string(kFormatVersion), std::to_string(version));
  }
  if (format == "trex.devices") return add_devices(file);
  if (format == "trex.models") return add_models(file);
  throw file.error("format", "one of trex.devices, trex.models", in_quotes(format));
}

namespace {

// An entry of a name that the catalogue has replaces it; two in one file cannot both be meant.
void expect_once(const JsonObject& file, const char* key) {
  std::set<std::string> names;
  for (const JsonObject& entry : file.objects(key)) {
    if (!names.insert(entry.string("name")).second)
      throw entry.error("name", "a name of its own", in_quotes(entry.string("name")) + " twice");
  }
}

}  // namespace

void Catalogue::add_devices(const JsonObject& file) {
  file.expect_only({"format", "version", "efficiency", "all_reduce", "devices"});
  expect_once(file, "devices");
  if (file.has("efficiency")) efficiency_entries_.update(file.object("efficiency").json());
  if (file.has("all_reduce")) all_reduce_entries_.update(file.object("all_reduce").json());
  for (const JsonObject& entry : file.objects("devices")) {
    Json complete = entry.json();
    if (entry.has("like")) {
      const std::string like = device(entry.string("like"), file.where()).name;
      complete = device_entries_[like];
      complete.merge_patch(entry.json());
      complete.erase("like");
    }
    const JsonObject whole(complete, file.where(), "devices[" + entry.string("name") + "]");
    DeviceSpec spec = device_from_json(whole, efficiency_entries_, all_reduce_entries_);
    device_entries_[spec.name] = complete;
    replace_or_add(devices_, std::move(spec));
  }
}

void Catalogue::add_models(const JsonObject& file) {
  file.expect_only({"format", "version", "models"});
  expect_once(file, "models");
  for (const JsonObject& entry : file.objects("models"))
    replace_or_add(models_, model_from_json(entry));
}

const DeviceSpec& Catalogue::device(const std::string& name, const std::string& where) const {
  if (const DeviceSpec* found = find(devices_, name)) return *found;
  throw input_error(where, "device", "a device of the catalogue", in_quotes(name),
                    nearest_hint(devices_, name));
}

ModelSpec Catalogue::model(const std::string& name_or_path, const std::string& where) const {
  if (const ModelSpec* found = find(models_, name_or_path)) return *found;
  const Path path = name_or_path;
  if (path.extension() == ".json" || std::filesystem::is_directory(path))
    return model_from_hf_config(path);
  if (path.extension() == ".gguf") return model_from_gguf(path);
  throw input_error(where, "model", "a model of the catalogue, a config.json or a .gguf file",
                    in_quotes(name_or_path), nearest_hint(models_, name_or_path));
}

}  // namespace trex::perf
