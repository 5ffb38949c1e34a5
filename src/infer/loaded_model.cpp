#include "infer/loaded_model.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "base/error.h"

namespace trex::infer {

LoadedModel load_model(const Path& folder) {
  for (const char* name : {"config.json", "tokenizer.json"}) {
    if (!std::filesystem::exists(folder / name)) {
      throw input_error(folder.string(), "", fmt::format("a checkpoint folder with {}", name),
                        "none");
    }
  }
  const auto config = model::read_config(folder / "config.json");
  LoadedModel loaded{.config = config,
                     .parameters = model::load_parameters(config, folder, torch::kFloat32),
                     .tokenizer = tokenizer::Tokenizer::load(folder / "tokenizer.json")};
  if (loaded.tokenizer.vocab_size() > config.vocab_size) {
    throw input_error(
        (folder / "tokenizer.json").string(), "",
        fmt::format("at most {} tokens (vocab_size of config.json)", config.vocab_size),
        std::to_string(loaded.tokenizer.vocab_size()));
  }
  return loaded;
}

void use_threads(int count) { at::set_num_threads(count); }

}  // namespace trex::infer
