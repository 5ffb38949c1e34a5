#include "data/token_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/error.h"
#include "base/hash.h"

namespace trex::data {

TokenSource TokenSource::open(const Path& path) {
  if (!std::filesystem::exists(path)) {
    throw environment_error(path.string(), "a token shard or a folder of them", "nothing");
  }
  TokenSource source;
  source.name_ =
      path.filename().empty() ? path.parent_path().filename().string() : path.stem().string();
  for (const Path& file : files_below(path)) {
    if (file.extension() != ".tokens" && file != path) continue;
    TokenShard shard = TokenShard::open(file);
    if (!source.shards_.empty() && shard.vocab_size() != source.vocab_size_) {
      throw input_error(file.string(), "vocab_size", fmt::format("{}", source.vocab_size_),
                        fmt::format("{}", shard.vocab_size()),
                        "all shards need the same tokenizer");
    }
    source.vocab_size_ = shard.vocab_size();
    source.first_document_.push_back(source.num_documents());
    for (int64_t i = 0; i < shard.num_documents(); ++i) source.lengths_.push_back(shard.length(i));
    source.num_tokens_ += shard.num_tokens();
    const uint64_t both[2] = {source.checksum_, shard.checksum()};
    source.checksum_ = hash64({reinterpret_cast<const char*>(both), sizeof both});
    source.shards_.push_back(std::move(shard));
  }
  if (source.lengths_.empty()) {
    throw input_error(path.string(), "", "token shards with documents (.tokens)", "none",
                      "trex data tokenize writes them");
  }
  return source;
}

DocumentView TokenSource::document(int64_t document) const {
  TREX_CHECK(document >= 0 && document < num_documents());
  const auto after = std::upper_bound(first_document_.begin(), first_document_.end(), document);
  const auto shard = static_cast<size_t>(after - first_document_.begin()) - 1;
  return shards_[shard].document(document - first_document_[shard]);
}

}  // namespace trex::data
