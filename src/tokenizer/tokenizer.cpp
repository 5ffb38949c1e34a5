#include "tokenizer/tokenizer.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "tokenizer/tokenizer_json.h"
#include "tokenizer/utf8.h"

namespace trex::tokenizer {
namespace {

std::array<int32_t, 256> find_bytes(const Definition& definition, const std::string& where) {
  std::vector<bool> is_added(definition.tokens.size());
  for (const AddedToken& token : definition.added) {
    if (token.id >= 0 && static_cast<size_t>(token.id) < is_added.size()) is_added[token.id] = true;
  }
  std::array<int32_t, 256> ids;
  ids.fill(-1);
  for (size_t id = 0; id < definition.tokens.size(); ++id) {
    const std::string& bytes = definition.tokens[id];
    if (bytes.size() == 1 && !is_added[id]) {
      ids[static_cast<uint8_t>(bytes[0])] = static_cast<int32_t>(id);
    }
  }
  for (int byte = 0; byte < 256; ++byte) {
    if (ids[byte] < 0) {
      throw input_error(where, "model.vocab", "a token for each of the 256 bytes",
                        fmt::format("none for byte 0x{:02X}", byte));
    }
  }
  return ids;
}

void check_ids(const Definition& definition, const std::string& where) {
  const auto size = static_cast<int32_t>(definition.tokens.size());
  const auto check = [&](int32_t id, const std::string& field) {
    if (id < 0 || id >= size) {
      throw input_error(where, field, fmt::format("an id below {}", size), fmt::format("{}", id));
    }
  };
  for (size_t i = 0; i < definition.merges.size(); ++i) {
    const std::string field = fmt::format("model.merges[{}]", i);
    const Merge& merge = definition.merges[i];
    check(merge.left, field);
    check(merge.right, field);
    check(merge.result, field);
  }
  for (const AddedToken& token : definition.added) check(token.id, "added_tokens");
}

}  // namespace

Tokenizer::Tokenizer(Definition definition, const std::string& where)
    : definition_((check_ids(definition, where), std::move(definition))),
      byte_ids_(find_bytes(definition_, where)),
      merges_(definition_.merges),
      patterns_(SplitPatterns::compile(definition_.patterns, where)),
      is_special_(definition_.tokens.size()) {
  for (const AddedToken& token : definition_.added) {
    (token.normalized ? normalized_matcher_ : raw_matcher_).add(token.content, token.id);
    added_ids_.emplace(token.content, token.id);
    if (token.special) is_special_[token.id] = true;
  }
}

Tokenizer Tokenizer::load(const Path& path) {
  return Tokenizer(parse_tokenizer_json(read_file(path), path.string()), path.string());
}

const std::string& Tokenizer::bytes_of(int32_t id) const {
  TREX_CHECK(id >= 0 && id < vocab_size(), "token {} of {}", id, vocab_size());
  return definition_.tokens[id];
}

bool Tokenizer::is_special(int32_t id) const {
  TREX_CHECK(id >= 0 && id < vocab_size(), "token {} of {}", id, vocab_size());
  return is_special_[id];
}

std::optional<int32_t> Tokenizer::added_id(std::string_view content) const {
  const auto found = added_ids_.find(content);
  if (found == added_ids_.end()) return std::nullopt;
  return found->second;
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool with_specials) const {
  std::string bytes;
  for (const int32_t id : ids) {
    if (with_specials || !is_special(id)) bytes += bytes_of(id);
  }
  return bytes;
}

std::string Tokenizer::fingerprint() const {
  ContentHasher hasher;
  for (const std::string& token : definition_.tokens) hasher.add(token);
  hasher.add({reinterpret_cast<const char*>(definition_.merges.data()),
              definition_.merges.size() * sizeof(Merge)});
  for (const AddedToken& token : definition_.added) {
    hasher.add(fmt::format("{} {} {}", token.id, token.special, token.normalized));
    hasher.add(token.content);
  }
  for (const std::string& pattern : definition_.patterns) hasher.add(pattern);
  return hasher.hex();
}

Encoder::Encoder(const Tokenizer& tokenizer)
    : tokenizer_(&tokenizer), splitter_(tokenizer.patterns_), merger_(tokenizer.merges_) {}

std::vector<int32_t> Encoder::encode(std::string_view text, AddedTokens added) {
  std::vector<int32_t> ids;
  encode(text, ids, added);
  return ids;
}

void Encoder::encode(std::string_view text, std::vector<int32_t>& ids, AddedTokens added) {
  if (is_valid_utf8(text)) {
    encode_valid(text, ids, added);
  } else {
    encode_valid(with_replacements(text), ids, added);
  }
}

void Encoder::encode_valid(std::string_view text, std::vector<int32_t>& ids, AddedTokens added) {
  if (added == AddedTokens::AsText) return encode_plain(text, ids);
  // Two passes, as in `tokenizers`: tokens marked "normalized" see only what the others left.
  for (size_t from = 0; from < text.size();) {
    const FoundToken outer = tokenizer_->raw_matcher_.find(text, from);
    const std::string_view between = text.substr(from, outer.begin - from);
    for (size_t inner_from = 0; inner_from < between.size();) {
      const FoundToken inner = tokenizer_->normalized_matcher_.find(between, inner_from);
      encode_plain(between.substr(inner_from, inner.begin - inner_from), ids);
      if (inner.id >= 0) ids.push_back(inner.id);
      inner_from = inner.end;
    }
    if (outer.id >= 0) ids.push_back(outer.id);
    from = outer.end;
  }
}

void Encoder::encode_plain(std::string_view text, std::vector<int32_t>& ids) {
  uint32_t begin = 0;
  for (const uint32_t end : splitter_.split(text)) {
    const std::string_view piece = text.substr(begin, end - begin);
    begin = end;
    const uint64_t hash = hash64(piece);
    if (const auto known = cache_.find(piece, hash)) {
      ids.insert(ids.end(), known->begin(), known->end());
      continue;
    }
    word_.clear();
    for (const char byte : piece)
      word_.push_back(tokenizer_->byte_ids_[static_cast<uint8_t>(byte)]);
    merger_.merge(word_);
    cache_.insert(piece, hash, word_);
    ids.insert(ids.end(), word_.begin(), word_.end());
  }
}

}  // namespace trex::tokenizer
