#include "train/trainer_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/hash.h"
#include "checkpoint/safetensors.h"

namespace trex::train {
namespace {

constexpr int64_t kVersion = 1;

// Settings that do not change results, or whose content is compared instead of the path.
constexpr std::array kFreeSettings{"init_from",  "tokenizer",        "data.sources", "eval_sources",
                                   "eval_every", "eval_rows",        "steps",        "tokens",
                                   "keep_last",  "checkpoint_every", "log_every",    "threads",
                                   "peak_gflops"};

bool is_free(const std::string& key) {
  return std::find(kFreeSettings.begin(), kFreeSettings.end(), key) != kFreeSettings.end();
}

// A flat array of the run and what its pieces are called in optimizer.safetensors.
struct StatePiece {
  std::string name;
  torch::Tensor tensor;  // shares the flat array's memory
};

std::vector<StatePiece> state_pieces(const Trainer& trainer) {
  std::vector<StatePiece> pieces;
  const auto add = [&pieces](const Extent& extent, const char* what, const torch::Tensor& flat) {
    pieces.push_back({extent.name + what, TrainedParameters::piece(flat, extent)});
  };
  for (const Extent& extent : trainer.parameters().extents()) {
    add(extent, ".first_moment", trainer.optimizer().first_moment());
    add(extent, ".second_moment", trainer.optimizer().second_moment());
    if (extent.is_half) add(extent, ".master", trainer.parameters().master());
  }
  return pieces;
}

Json read_trainer_json(const Path& folder) {
  const Path path = folder / "trainer.json";
  const Json json = parse_json(read_file(path), path.string());
  const JsonObject object(json, path.string());
  if (object.integer("version") != kVersion) {
    throw object.error("version", std::to_string(kVersion),
                       std::to_string(object.integer("version")));
  }
  return json;
}

Error other_run(const Path& folder, const std::string& key, const Json& before, const Json& now) {
  return input_error((folder / "trainer.json").string(), key,
                     fmt::format("{} as when the run began", before.dump()), now.dump(),
                     "give the other run another --out");
}

}  // namespace

Json run_identity(TrainSettings settings, int64_t num_steps) {
  Json values = Json::object();
  for (const config::Field& field : config::fields_of(settings)) {
    if (!is_free(field.key)) values[field.key] = field.value();
  }
  Json inputs = Json::object();
  inputs["tokenizer"] = content_hash(read_file(*settings.tokenizer));
  inputs["init_from"] = settings.init_from ? Json(content_hash_of(*settings.init_from)) : Json();
  return {{"num_steps", num_steps}, {"settings", values}, {"inputs", inputs}};
}

void check_same_run(const Path& folder, const Json& identity) {
  const Json saved = read_trainer_json(folder);
  const Json& before = saved.at("identity");
  for (const char* group : {"settings", "inputs"}) {
    for (const auto& [key, now] : identity.at(group).items()) {
      const Json then = before.at(group).contains(key) ? before.at(group).at(key) : Json();
      if (then != now) throw other_run(folder, key, then, now);
    }
  }
  const Json &steps_then = before.at("num_steps"), &steps_now = identity.at("num_steps");
  const bool is_constant = identity.at("settings").at("schedule.kind") == "constant";
  if (steps_then != steps_now && !is_constant) {
    throw other_run(folder, "steps", steps_then, steps_now);
  }
}

void save_weights(const Trainer& trainer, const Path& tokenizer, const Path& folder) {
  model::save_model(trainer.config(), trainer.parameters().model(), folder);
  write_file(folder / "tokenizer.json", read_file(tokenizer));
}

void save_state(const Trainer& trainer, const data::Loader& loader, const Json& identity,
                const RunTotals& totals, const Path& folder) {
  const std::vector<StatePiece> pieces = state_pieces(trainer);
  std::vector<checkpoint::NamedTensor> tensors;
  for (const auto& [name, tensor] : pieces) tensors.push_back({name, tensor});
  checkpoint::write_safetensors(folder / "optimizer.safetensors", tensors);
  const Json state{{"version", kVersion},
                   {"step", trainer.steps_done()},
                   {"updates", trainer.optimizer().num_updates()},
                   {"tokens", totals.tokens},
                   {"loss", totals.loss},
                   {"next_token_loss", totals.next_token_loss},
                   {"eval_loss", totals.eval_loss ? Json(*totals.eval_loss) : Json()},
                   {"loader", loader.position()},
                   {"identity", identity}};
  write_file(folder / "trainer.json", state.dump(2) + "\n");
}

RunTotals restore_state(Trainer& trainer, data::Loader& loader, const Path& folder) {
  const Json json = read_trainer_json(folder);
  const JsonObject state(json, (folder / "trainer.json").string());
  const auto file = checkpoint::SafetensorsFile::open(folder / "optimizer.safetensors");
  for (StatePiece& piece : state_pieces(trainer)) {
    const torch::Tensor saved = file.read(piece.name);
    if (saved.sizes() != piece.tensor.sizes() ||
        saved.scalar_type() != piece.tensor.scalar_type()) {
      throw input_error((folder / "optimizer.safetensors").string(), piece.name,
                        fmt::format("{} values", piece.tensor.numel()),
                        fmt::format("{} values", saved.numel()));
    }
    piece.tensor.copy_(saved);
  }
  trainer.parameters().publish();
  trainer.optimizer().set_num_updates(state.integer("updates"));
  trainer.resume_at(state.integer("step"));
  loader.seek(state.json().at("loader"));
  RunTotals totals{.tokens = state.integer("tokens"),
                   .loss = state.number("loss"),
                   .next_token_loss = state.number("next_token_loss")};
  if (!state.json().at("eval_loss").is_null()) totals.eval_loss = state.number("eval_loss");
  return totals;
}

}  // namespace trex::train
