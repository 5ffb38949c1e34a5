// trex data tokenize: JSON lines to token shards.
#include <fmt/format.h>

#include "app/commands.h"
#include "app/stage_arguments.h"
#include "data/tokenize.h"

namespace trex::app {

int cmd_data_tokenize(const Arguments& arguments) {
  CLI::App options("JSON lines of texts or conversations to token shards", "trex data tokenize");
  StageArguments stage;
  data::TokenizeSettings settings;
  if (!parse_stage(options, arguments, stage, settings)) return 0;

  const auto progress = progress_on_stderr();
  const auto cards = data::tokenize(settings, stage.out, *progress);
  mark_done(stage.out);
  fmt::print("{:<20} {:>10} {:>10} {:>12} {:>12} {:>9} {:>10}\n", "source", "rows", "documents",
             "tokens", "learned", "too long", "no answer");
  for (const auto& card : cards) {
    fmt::print("{:<20} {:>10} {:>10} {:>12} {:>12} {:>9} {:>10}\n", card.name, card.rows,
               card.documents, card.tokens, card.learned_tokens, card.dropped_too_long,
               card.dropped_without_answer);
  }
  return 0;
}

}  // namespace trex::app
