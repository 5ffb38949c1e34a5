// A token shard: the tokens of many documents in one file, read through a memory mapping.
// Format: docs/formats.md, "Token shards".
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/json.h"

namespace trex::data {

// One document; valid as long as its shard lives.
struct DocumentView {
  std::span<const int32_t> tokens;
  std::span<const uint8_t> labels;  // 1 where the token is to be predicted; empty: everywhere
};

// Collects documents and writes them in one go: the file appears whole or not at all.
class TokenShardWriter {
 public:
  // Ids must be in [0, vocab_size). With labels every document has them, without none has.
  TokenShardWriter(int32_t vocab_size, bool has_labels);

  void add(std::span<const int32_t> tokens, std::span<const uint8_t> labels = {});
  int64_t num_tokens() const { return static_cast<int64_t>(tokens_.size()); }
  int64_t num_documents() const { return static_cast<int64_t>(ends_.size()) - 1; }

  // `about` is kept in the file: where the documents come from.
  void write(const Path& path, const Json& about) const;

 private:
  int32_t vocab_size_;
  bool has_labels_;
  std::vector<int32_t> tokens_;
  std::vector<uint8_t> labels_;
  std::vector<uint64_t> ends_{0};
};

// Safe to share between threads.
class TokenShard {
 public:
  // Checks header, index and checksum of the whole file. Throws Input naming the part that is
  // wrong.
  static TokenShard open(const Path& path);

  int64_t num_documents() const { return num_documents_; }
  int64_t num_tokens() const { return num_tokens_; }
  int32_t vocab_size() const { return vocab_size_; }
  uint64_t checksum() const { return checksum_; }
  const Json& about() const { return about_; }

  int64_t length(int64_t document) const;
  DocumentView document(int64_t document) const;

 private:
  explicit TokenShard(MappedFile file) : file_(std::move(file)) {}

  MappedFile file_;
  int32_t vocab_size_ = 0;
  int64_t num_documents_ = 0, num_tokens_ = 0;
  uint64_t checksum_ = 0;
  const uint64_t* ends_ = nullptr;   // num_documents + 1, into the mapping
  const int32_t* tokens_ = nullptr;  // num_tokens
  const uint8_t* labels_ = nullptr;  // num_tokens, or null
  Json about_;
};

}  // namespace trex::data
