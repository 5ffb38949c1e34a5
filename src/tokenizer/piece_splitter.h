// Pre-tokenization: cuts a text into the pieces inside which merges happen, by a sequence of
// regular expressions. Each pattern cuts the pieces that the patterns before it left; a match and
// what lies between matches are pieces of their own (behaviour "Isolated" of tokenizer.json).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trex::tokenizer {

// Compiled patterns; safe to share between threads.
class SplitPatterns {
 public:
  // PCRE2 syntax with Unicode classes. Throws Input naming `where`, the pattern and the position in
  // it, when one does not compile.
  static SplitPatterns compile(const std::vector<std::string>& patterns, const std::string& where);
  ~SplitPatterns();
  SplitPatterns(SplitPatterns&&) noexcept;
  SplitPatterns& operator=(SplitPatterns&&) noexcept;

 private:
  friend class PieceSplitter;
  struct Codes;
  explicit SplitPatterns(std::unique_ptr<Codes> codes);
  std::unique_ptr<Codes> codes_;
};

// One thread's working memory for matching. `patterns` must outlive it.
class PieceSplitter {
 public:
  explicit PieceSplitter(const SplitPatterns& patterns);
  ~PieceSplitter();
  PieceSplitter(PieceSplitter&&) noexcept;

  // The end offset of each piece of `text`, which must be valid UTF-8 of at most 2 GiB; increasing,
  // the last is text.size(). Valid until the next call. Throws Failed when a pattern exceeds
  // PCRE2's match limits.
  const std::vector<uint32_t>& split(std::string_view text);

 private:
  struct Scratch;
  const SplitPatterns* patterns_;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace trex::tokenizer
