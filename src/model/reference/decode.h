// Decoding with a state: prefill in one piece or in chunks, and single steps, are the same call.
#pragma once

#include <torch/types.h>

#include "model/config.h"
#include "model/parameters.h"
#include "model/reference/decode_state.h"

namespace trex::model::reference {

// Appends token_NS[n, 0 .. count_N[n]) to sequence n and returns what the head multiplies, [N, S,
// D]; values behind a sequence's count mean nothing and nothing later depends on them. Needs 0 < S
// <= max_chunk, and room: length + count <= max_length. Tokens appended in any chunks give the
// values of forward() over the whole sequence. Run under at::NoGradGuard.
torch::Tensor extend_(const ModelConfig& config, const Parameters& parameters, DecodeState& state,
                      const torch::Tensor& token_NS, const torch::Tensor& count_N);

}  // namespace trex::model::reference
