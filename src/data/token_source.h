// One source of a blend: a set of token shards seen as one list of documents.
#pragma once

#include <string>
#include <vector>

#include "data/token_shard.h"

namespace trex::data {

// Immutable and safe to share between threads.
class TokenSource {
 public:
  // A shard, or a folder with shards (.tokens) below it. Throws Input when there are none, one is
  // damaged, or two are of different vocabularies.
  static TokenSource open(const Path& path);

  const std::string& name() const { return name_; }
  int64_t num_documents() const { return static_cast<int64_t>(lengths_.size()); }
  int64_t num_tokens() const { return num_tokens_; }
  int32_t vocab_size() const { return vocab_size_; }
  const std::vector<int64_t>& lengths() const { return lengths_; }
  uint64_t checksum() const { return checksum_; }  // of all tokens and labels

  DocumentView document(int64_t document) const;

 private:
  std::string name_;
  std::vector<TokenShard> shards_;
  std::vector<int64_t> first_document_;  // of each shard
  std::vector<int64_t> lengths_;
  int64_t num_tokens_ = 0;
  int32_t vocab_size_ = 0;
  uint64_t checksum_ = 0;
};

}  // namespace trex::data
