// For tests: one engine alone, fed with requests at given times.
#pragma once

#include <vector>

#include "simulate/engine.h"

namespace trex::simulate {

struct DrivenRequest {
  double at_s = 0;
  int64_t prompt_tokens = 1;
  int64_t output_tokens = 1;
  std::vector<uint64_t> prefix_blocks;
};

struct DrivenResult {
  double first_token_s = 0;
  double ended_s = 0;
  int64_t cached_tokens = 0;
};

// Requests by time. `prefix_block_tokens` are behind each block.
inline std::vector<DrivenResult> drive(Engine& engine, const std::vector<DrivenRequest>& requests,
                                       int64_t prefix_block_tokens = 0) {
  std::vector<DrivenResult> results(requests.size());
  std::vector<Notice> notices;
  size_t next = 0;
  while (next < requests.size() || engine.next_event() != kNever) {
    const Nanoseconds arrival = next < requests.size() ? nanoseconds(requests[next].at_s) : kNever;
    if (arrival <= engine.next_event()) {
      const DrivenRequest& request = requests[next];
      engine.submit({.index = static_cast<RequestIndex>(next),
                     .prompt_tokens = request.prompt_tokens,
                     .output_tokens = request.output_tokens,
                     .prefix_blocks = request.prefix_blocks,
                     .prefix_block_tokens = prefix_block_tokens},
                    arrival);
      ++next;
      continue;
    }
    const Nanoseconds now = engine.next_event();
    notices.clear();
    engine.advance(now, notices);
    for (const Notice& notice : notices) {
      DrivenResult& result = results[notice.request];
      if (notice.kind == Notice::Kind::FirstToken) {
        result.first_token_s = seconds(now);
        result.cached_tokens = notice.tokens;
      } else {
        result.ended_s = seconds(now);
      }
    }
  }
  engine.check_conservation();
  return results;
}

}  // namespace trex::simulate
