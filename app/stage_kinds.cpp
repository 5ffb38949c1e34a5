#include "app/stage_kinds.h"

#include "base/error.h"
#include "base/text.h"
#include "data/tokenize_settings.h"
#include "eval/eval_settings.h"
#include "orgen/generate_settings.h"
#include "tokenizer/tokenizer_settings.h"
#include "train/train_settings.h"

namespace trex::app {
namespace {

template <class Settings>
std::vector<config::Field> defaults() {
  static Settings settings;
  settings = Settings{};  // a recipe reads several stages of one verb into it
  return config::fields_of(settings);
}

}  // namespace

std::span<const StageKind> stage_kinds() {
  static const StageKind kKinds[] = {
      {"eval", defaults<eval::EvalSettings>},
      {"data tokenize", defaults<data::TokenizeSettings>},
      {"tokenizer train", defaults<tokenizer::TokenizerSettings>},
      {"train", defaults<train::TrainSettings>},
      {"data generate", defaults<orgen::GenerateSettings>},
  };
  return kKinds;
}

const StageKind& find_stage_kind(std::string_view verb, const std::string& where) {
  std::vector<std::string> verbs;
  for (const StageKind& kind : stage_kinds()) {
    if (kind.verb == verb) return kind;
    verbs.emplace_back(kind.verb);
  }
  throw input_error(where, "verb", "a command with settings", in_quotes(verb),
                    did_you_mean(verb, verbs));
}

}  // namespace trex::app
