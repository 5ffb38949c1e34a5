// For tests: small sources whose tokens say where they come from.
#pragma once

#include <vector>

#include "data/token_shard.h"

namespace trex::data {

// Token i of document d is 100 * d + i, so every token of a source is different.
inline std::vector<int32_t> numbered_document(int64_t document, int64_t length) {
  std::vector<int32_t> tokens;
  for (int64_t i = 0; i < length; ++i) tokens.push_back(static_cast<int32_t>(100 * document + i));
  return tokens;
}

inline void write_numbered_source(const Path& path, const std::vector<int64_t>& lengths,
                                  bool has_labels = false) {
  TokenShardWriter writer(100'000, has_labels);
  for (size_t d = 0; d < lengths.size(); ++d) {
    const auto tokens = numbered_document(static_cast<int64_t>(d), lengths[d]);
    std::vector<uint8_t> labels;
    for (size_t i = 0; has_labels && i < tokens.size(); ++i)
      labels.push_back(2 * i >= tokens.size());
    writer.add(tokens, labels);
  }
  writer.write(path, {{"source", "test"}});
}

}  // namespace trex::data
