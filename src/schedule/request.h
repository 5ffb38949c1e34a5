// What the scheduler knows of a request when it arrives.
#pragma once

#include <cstdint>
#include <span>

namespace trex::schedule {

using RequestId = uint64_t;

// Strict order, with ageing and a reserved minimum share (heterogeneous serving, 9.5).
enum class Priority : uint8_t { System, Interactive, Default, Bulk };
inline constexpr size_t kNumPriorities = 4;

// Seconds are on the caller's clock; tokens are numbers, not texts.
struct Request {
  RequestId id = 0;
  uint32_t tenant = 0;    // index; 0 when tenants are not told apart
  uint32_t workload = 0;  // index of the workload class, for class affinities and length statistics
  uint32_t from_stage =
      0;  // of a pipeline across instances: the stage it comes from; 0 for a new one
  Priority priority = Priority::Default;
  double arrival_s = 0;
  double prompt_tokens = 0;
  double max_new_tokens = 0;   // the caller's cap; 0 when there is none. A cap, not a prediction
  double ttft_deadline_s = 0;  // absolute; 0 when there is none

  // Chained hashes of the prompt's blocks from the start (prefix_index.h); borrowed for the call.
  std::span<const uint64_t> prefix_blocks;
};

}  // namespace trex::schedule
