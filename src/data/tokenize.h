// From JSON lines to token shards.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/progress.h"
#include "data/tokenize_settings.h"

namespace trex::data {

// What became of one source's rows.
struct SourceCard {
  std::string name;
  int64_t rows = 0;
  int64_t documents = 0;
  int64_t tokens = 0;
  int64_t learned_tokens = 0;  // with loss
  int64_t dropped_too_long = 0;
  int64_t dropped_without_answer = 0;  // mode chat: nothing to learn from
  int64_t shards = 0;
};

// Writes OUT/<source>/part-00000.tokens, ... and OUT/card.json. Finished shards of an earlier run
// with the same settings, tokenizer and inputs are kept, so a killed run goes on where it was. The
// files do not depend on the number of workers. Throws Input at the first row that is wrong, or
// when a source leaves no document.
std::vector<SourceCard> tokenize(const TokenizeSettings& settings, const Path& out,
                                 Progress& progress);

}  // namespace trex::data
