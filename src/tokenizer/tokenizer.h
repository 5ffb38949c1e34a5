// Byte-level byte-pair encoding as DeepSeek-V4 uses it (deepseek-v4.md 5.6): added tokens are found
// first, the rest is cut by regular expressions, and inside each piece bytes merge by rank.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "tokenizer/added_token_matcher.h"
#include "tokenizer/merge_table.h"
#include "tokenizer/piece_cache.h"
#include "tokenizer/piece_splitter.h"
#include "tokenizer/word_merger.h"

namespace trex::tokenizer {

// A token that is matched as a whole before anything else.
struct AddedToken {
  int32_t id = 0;
  std::string content;
  bool special = true;      // left out when decoding without specials
  bool normalized = false;  // matched only in what the others have left
};

// A tokenizer as data: what tokenizer.json says.
struct Definition {
  std::vector<std::string> tokens;  // id -> bytes
  std::vector<Merge> merges;        // in order of rank
  std::vector<AddedToken> added;
  std::vector<std::string> patterns;  // pre-tokenizer, in order
};

// Immutable and safe to share between threads.
class Tokenizer {
 public:
  // Throws Input at `where` when a byte has no token, ids are out of range or a pattern is wrong.
  Tokenizer(Definition definition, const std::string& where);

  // Reads a tokenizer.json (.zst too).
  static Tokenizer load(const Path& path);

  const Definition& definition() const { return definition_; }
  int32_t vocab_size() const { return static_cast<int32_t>(definition_.tokens.size()); }

  // The bytes of a token; ids must be in [0, vocab_size).
  const std::string& bytes_of(int32_t id) const;
  bool is_special(int32_t id) const;

  // The id of an added token by its content; nothing when there is none.
  std::optional<int32_t> added_id(std::string_view content) const;

  // The bytes of all tokens in a row. May be no valid UTF-8 when ids are not a whole text.
  std::string decode(std::span<const int32_t> ids, bool with_specials = true) const;

  // Changes with anything that changes ids: vocabulary, merges, added tokens, patterns.
  std::string fingerprint() const;

 private:
  friend class Encoder;

  Definition definition_;
  std::array<int32_t, 256> byte_ids_;
  MergeTable merges_;
  SplitPatterns patterns_;
  AddedTokenMatcher raw_matcher_, normalized_matcher_;
  std::map<std::string, int32_t, std::less<>> added_ids_;
  std::vector<bool> is_special_;
};

// Whether added tokens in a text are what they say or just characters.
enum class AddedTokens { Match, AsText };

// Encodes on one thread; keeps a cache. `tokenizer` must outlive it.
class Encoder {
 public:
  explicit Encoder(const Tokenizer& tokenizer);

  // Appends the ids of `text`. Ill-formed UTF-8 is read as U+FFFD (tokenizer/utf8.h), which is what
  // the `tokenizers` package sees after Python's decoding with errors="replace". Ids equal those of
  // that package. Longest text: 2 GiB.
  void encode(std::string_view text, std::vector<int32_t>& ids,
              AddedTokens added = AddedTokens::Match);

  std::vector<int32_t> encode(std::string_view text, AddedTokens added = AddedTokens::Match);

 private:
  void encode_valid(std::string_view text, std::vector<int32_t>& ids, AddedTokens added);
  void encode_plain(std::string_view text, std::vector<int32_t>& ids);

  const Tokenizer* tokenizer_;
  PieceSplitter splitter_;
  WordMerger merger_;
  PieceCache cache_;
  std::vector<int32_t> word_;
};

}  // namespace trex::tokenizer
