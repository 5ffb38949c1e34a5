// Memory of prompts' beginnings that an engine keeps for requests to come.
#pragma once

#include <cstdint>

#include "perf/kv_cache.h"

namespace trex::perf {

// Bytes of one block of a cached beginning: its tokens' entries, and the window before its end, so
// that a sequence can go on from there. The fixed part of a sequence is the running state of its
// compressors. At the end of a block, which is a whole number of their windows, they hold nothing:
// whoever goes on from there has a state of its own.
inline double cached_block_bytes(const KvFunction& kv, int64_t block_tokens) {
  return kv.bytes(block_tokens) - (block_tokens > 0 ? kv.fixed_bytes : 0);
}

}  // namespace trex::perf
