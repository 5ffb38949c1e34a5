// What decoding remembers of many sequences at once (deepseek-v4.md 2.12).
//
// All of it lives in tensors whose first axis is the sequence, so that sequences of different
// lengths take a step together. Rings hold slot p mod size for position p. They are longer than the
// specification's (by the largest chunk), so that a chunk is written before anything is read, and
// what it overwrites is out of everybody's sight.
//
// Shapes: N sequences, X = head dim + 1 (sink_attention.h), W compressed entries at most.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "model/config.h"
#include "model/parameters.h"

namespace trex::model::reference {

// Recent contributions of tokens to compressed entries: enough for the incomplete window and, in
// CSA layers, the complete one before it. Undefined tensors in layers without a compressor.
struct ContributionRing {
  torch::Tensor value_NRC;
  torch::Tensor gate_NRC;
};

struct LayerState {
  // [sink | W compressed entries | ring of window keys]: one buffer, so that attention reads it as
  // it lies.
  torch::Tensor key_NKX;
  ContributionRing contributions;
  torch::Tensor index_key_NWC;           // CSA layers
  ContributionRing index_contributions;  // CSA layers
};

class DecodeState {
 public:
  // Empty sequences that will grow to at most `max_length` tokens, at most `max_chunk` of them at a
  // time.
  static DecodeState make(const ModelConfig& config, const Parameters& parameters,
                          int64_t num_sequences, int64_t max_length, int64_t max_chunk);

  int64_t num_sequences() const { return length_N.size(0); }

  // The state of some of the sequences, in the order of `index` (int64).
  DecodeState select(const torch::Tensor& index) const;

  // Read and written by extend_ only.
  torch::Tensor length_N;  // int64: tokens taken so far
  int64_t longest = 0;     // an upper bound of length_N
  int64_t max_length = 0, max_chunk = 0;
  int64_t key_ring_size = 0;
  std::vector<LayerState> layers;
};

}  // namespace trex::model::reference
