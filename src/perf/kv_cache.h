// Bytes of key/value cache that one sequence occupies (heterogeneous serving, section 5.3).
//
// The cost is a function of the sequence's length, not a constant per token: DeepSeek-V4 holds a
// fixed part of about 14 MB and then 3 to 17 kB a token; sliding windows stop growing.
#pragma once

#include <array>
#include <cstdint>

#include "perf/model_spec.h"

namespace trex::perf {

// bytes(n) = fixed + per_token*n + window_bytes*min(n, window) + sum of floor(n/ratio)*entry_bytes
//
// A plain value without pointers: evaluating it allocates nothing, any thread may.
struct KvFunction {
  struct Entries {
    int64_t ratio = 0;  // tokens behind one entry; 0: unused
    double bytes = 0;   // of one entry, all layers together
  };

  double fixed_bytes = 0;  // for a sequence with at least one token
  double per_token_bytes = 0;
  int64_t window = 0;
  double window_token_bytes = 0;
  std::array<Entries, 2> compressed{};

  double bytes(int64_t num_tokens) const {
    if (num_tokens <= 0) return 0;
    const int64_t in_window = num_tokens < window ? num_tokens : window;
    double total = fixed_bytes + per_token_bytes * static_cast<double>(num_tokens) +
                   window_token_bytes * static_cast<double>(in_window);
    for (const Entries& entries : compressed) {
      if (entries.ratio > 0)
        total += static_cast<double>(num_tokens / entries.ratio) * entries.bytes;
    }
    return total;
  }

  // Between whole lengths, for a mean length: linear.
  double mean_bytes(double num_tokens) const {
    const auto whole = static_cast<int64_t>(num_tokens);
    const double share = num_tokens - static_cast<double>(whole);
    return share == 0 ? bytes(whole) : (1 - share) * bytes(whole) + share * bytes(whole + 1);
  }

  // The most tokens of one sequence that fit into `capacity_bytes`; 0 if not even one does.
  int64_t tokens_within(double capacity_bytes) const;

  // All bytes times `factor`: the share of a rank.
  KvFunction scaled(double factor) const;
};

// The whole model's cache, before sharding. `element_bytes` is 2 for bf16, 1 for fp8.
KvFunction kv_of(const ModelSpec& model, double element_bytes);

// Into how many parts tp ranks split the cache: min(tp, n_kv); latent and compressed caches are
// replicated, so 1.
int64_t kv_shards(const ModelSpec& model, int64_t tp);

}  // namespace trex::perf
