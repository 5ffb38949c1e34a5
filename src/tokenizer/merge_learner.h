// Learning the merges of a byte-pair encoding: repeatedly the most frequent pair becomes a token.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "tokenizer/merge_table.h"

namespace trex::tokenizer {

// A word as token ids, with its number of occurrences.
struct LearningWord {
  std::vector<int32_t> ids;
  int64_t count;
};

// Pairs that occur less often are not worth a token.
constexpr int64_t kMinPairCount = 2;

// Appends up to `max_tokens` new tokens to `tokens` (id -> bytes) and gives the merges that make
// them. Of equally frequent pairs the one with the smaller ids wins, as in the `tokenizers`
// package. A merge may give a token that exists already; it is kept but adds none. Deterministic.
std::vector<Merge> learn_merges(std::vector<LearningWord> words, int64_t max_tokens,
                                std::vector<std::string>& tokens, Progress& progress);

}  // namespace trex::tokenizer
