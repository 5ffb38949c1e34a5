// A tokenizer for a corpus, with DeepSeek-V4's pre-tokenizer and chat tokens.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/tokenizer_settings.h"
#include "tokenizer/word_counts.h"

namespace trex::tokenizer {

// DeepSeek-V4's three patterns: groups of up to three digits, runs of CJK, words and punctuation.
const std::vector<std::string>& deepseek_patterns();

struct TokenizerShape {
  int64_t vocab_size;
  int64_t numbers_up_to;  // 9 to 999
};

// Ids: the special tokens, the bytes in alphabet order, the numbers from 10 on, learned tokens, the
// chat tokens. The merges that make numbers have the lowest ranks, so nothing can come between.
// Depends on the words alone. Throws Input when vocab_size does not hold the fixed tokens.
Definition learn_tokenizer(const std::vector<CountedWord>& words, const TokenizerShape& shape,
                           Progress& progress);

// Reads the inputs that the settings name. Throws Input when there are none.
Definition train_tokenizer(const TokenizerSettings& settings, Progress& progress);

}  // namespace trex::tokenizer
