// How often each pre-tokenized piece occurs in a corpus: all that merge learning needs to know.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "tokenizer/tokenizer_settings.h"

namespace trex::tokenizer {

struct CountedWord {
  std::string bytes;
  int64_t count;
};

// Sorted by bytes, whatever the number of threads. Ill-formed UTF-8 counts as U+FFFD.
std::vector<CountedWord> count_words(const std::vector<std::string>& texts,
                                     const std::vector<std::string>& patterns, int threads);

// Over the files of `settings.inputs`, block by block. Throws as text_files.h says.
std::vector<CountedWord> count_words_in_files(const TokenizerSettings& settings,
                                              const std::vector<std::string>& patterns,
                                              Progress& progress);

}  // namespace trex::tokenizer
