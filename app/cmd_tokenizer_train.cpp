// trex tokenizer train: a byte-level BPE vocabulary from a corpus.
#include <fmt/format.h>

#include "app/commands.h"
#include "app/stage_arguments.h"
#include "tokenizer/tokenizer_json.h"
#include "tokenizer/train_tokenizer.h"

namespace trex::app {

int cmd_tokenizer_train(const Arguments& arguments) {
  CLI::App options("A byte-level BPE tokenizer from a corpus of JSON lines",
                   "trex tokenizer train");
  StageArguments stage;
  tokenizer::TokenizerSettings settings;
  if (!parse_stage(options, arguments, stage, settings)) return 0;

  const auto progress = progress_on_stderr();
  const auto definition = tokenizer::train_tokenizer(settings, *progress);
  const Path file = stage.out / "tokenizer.json";
  write_file(file, tokenizer::tokenizer_json(definition));
  mark_done(stage.out);
  fmt::print("{}: {} tokens, {} merges\n", file.string(), definition.tokens.size(),
             definition.merges.size());
  return 0;
}

}  // namespace trex::app
