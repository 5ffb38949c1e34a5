// Texts that say the same: exactly, nearly (but for names and numbers), or too much like a
// benchmark's question.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/files.h"

namespace trex::orgen {

// Lower case, one blank between words, none at the ends; numbers and punctuation are kept.
std::string normalised_text(std::string_view text);

// Words in lower case without punctuation, numbers kept.
std::vector<std::string> words_of(std::string_view text);

// words_of with every number replaced by "#" and every name of the lexicon by "@" and its list.
std::vector<std::string> masked_words(std::string_view text);

// Hashes of all runs of `length` words, sorted, each once; of the whole text when it is shorter.
std::vector<uint64_t> shingles(const std::vector<std::string>& words, size_t length);

// |A and B| / |A or B| of two sorted sets; 1 for two empty ones.
double jaccard(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b);

// Near duplicates among texts added one by one. Word 5-shingles of the masked text (3-shingles
// below 60 words), 128 minima in 16 bands of 8 rows find candidates; exact Jaccard of 0.8 (0.7
// below 60 words) decides. Only verified pairs count; likeness is not passed on from one to the
// next.
class NearDuplicates {
 public:
  // Whether the text is like one added before. It joins the collection unless it is.
  bool add(std::string_view text);

 private:
  std::vector<std::vector<uint64_t>> kept_;  // shingles of each kept text
  std::array<std::unordered_map<uint64_t, std::vector<uint32_t>>, 16> bands_;
};

// Questions that no training text may resemble: a shared run of 13 words, or Jaccard of word
// 5-shingles above 0.3. Fixed after construction; any thread may ask.
class Contamination {
 public:
  // JSON-lines files whose rows have the text in `question`, `en_question` or `problem`. Throws
  // Input for a row without any of them.
  static Contamination read(const std::vector<Path>& files);

  bool resembles(std::string_view text) const;
  int64_t num_questions() const { return static_cast<int64_t>(sizes_.size()); }

 private:
  std::unordered_set<uint64_t> long_runs_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> questions_with_;  // shingle -> questions
  std::vector<size_t> sizes_;                                           // shingles of each
};

// Hashes of the normalised texts of rows in files of ours or benchmarks'. Same rows, same errors.
std::unordered_set<uint64_t> text_hashes(const std::vector<Path>& files);

}  // namespace trex::orgen
