#include "train/run_inputs.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace trex::train {
namespace {

constexpr const char* kBeginOfSentence = "<｜begin▁of▁sentence｜>";
constexpr const char* kEndOfSentence = "<｜end▁of▁sentence｜>";

int64_t special_token(const JsonObject& tokenizer, const std::string& content) {
  for (const JsonObject& token : tokenizer.objects("added_tokens")) {
    if (token.string("content") == content) return token.integer("id");
  }
  throw tokenizer.error("added_tokens", fmt::format("the token {}", in_quotes(content)), "none");
}

model::ModelConfig new_config(const TrainSettings& settings, int64_t vocab_size) {
  const Json json = parse_json(read_file(*settings.tokenizer), settings.tokenizer->string());
  const JsonObject tokenizer(json, settings.tokenizer->string());
  model::ModelConfig config = settings.model.config;
  config.vocab_size = vocab_size;
  config.bos_token_id = special_token(tokenizer, kBeginOfSentence);
  config.eos_token_id = special_token(tokenizer, kEndOfSentence);
  return model::config_from_json(model::to_json(config), "[model]");
}

}  // namespace

int64_t num_steps_of(const TrainSettings& settings) {
  if (settings.steps.has_value() == settings.tokens.has_value()) {
    throw input_error("train", "steps", "either steps or tokens",
                      settings.steps ? "both" : "neither");
  }
  if (settings.steps) return *settings.steps;
  const int64_t step_tokens = settings.seq_len * settings.micro_batch * settings.accumulation;
  return (*settings.tokens + step_tokens - 1) / step_tokens;
}

model::ModelConfig model_config_of(const TrainSettings& settings, int64_t vocab_size) {
  const model::ModelConfig config = settings.init_from
                                        ? model::read_config(*settings.init_from / "config.json")
                                        : new_config(settings, vocab_size);
  if (vocab_size > config.vocab_size) {
    throw input_error(
        "train", "data.sources",
        fmt::format("token ids below the model's vocabulary of {}", config.vocab_size),
        fmt::format("a vocabulary of {}", vocab_size), "use the tokenizer of the checkpoint");
  }
  if (settings.seq_len > config.max_position_embeddings) {
    throw input_error(
        "train", "seq_len",
        fmt::format("at most the model's {} positions", config.max_position_embeddings),
        std::to_string(settings.seq_len));
  }
  return config;
}

}  // namespace trex::train
