// Recorded requests: when they came and how long they were (heterogeneous serving, section 15).
//
// Reads, by the header or the keys (docs/formats.md, "Traces"; each also compressed as .zst):
//   CSV   Azure LLM inference 2023/2024   TIMESTAMP,ContextTokens,GeneratedTokens
//         BurstGPT                        Timestamp,Session ID,...,Request tokens,Response
//         tokens,... length lists                    input_tokens,output_tokens;
//         num_prefill_tokens,num_decode_tokens our own
//         arrival_s,prompt_tokens,output_tokens[,class,tenant]
//   JSONL Mooncake                        timestamp (ms), input_length, output_length, hash_ids
//         access log                      arrival_s, prompt_tokens, output_tokens[, class, tenant]
//
// Throws Input at file:line for a column that is missing, a length that is absent, negative or not
// a whole number, a time that is not a number or lies before its predecessor, and for an empty
// trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/files.h"
#include "perf/workload.h"

namespace trex::simulate {

struct TraceRequest {
  double arrival_s = 0;  // since the first request; 0 in length lists
  perf::RequestLengths lengths;
  std::vector<int64_t>
      prefix_blocks;  // ids of blocks of the prompt; equal leading ids: shared prefix
  std::string request_class;
  std::string tenant;  // or session
};

struct Trace {
  std::string name;
  std::vector<TraceRequest> requests;  // by arrival
  bool has_arrivals = false;           // a length list has none
  int64_t block_tokens = 0;            // prompt tokens behind one prefix block; 0: no prefixes
  int64_t failed_requests = 0;         // left out: recorded as failed (BurstGPT, 0 response tokens)

  double duration_s() const { return requests.empty() ? 0 : requests.back().arrival_s; }
  std::vector<perf::RequestLengths> lengths() const;
};

Trace load_trace(const Path& path);

// A path as it is, or a shipped trace by name ("azure-conv-2023"), looked for in data/traces beside
// the program and above it. Throws Input with the nearest name.
Path find_trace(const std::string& name_or_path, const std::string& where);

// The shipped names.
std::vector<std::string> shipped_traces();

// Arrival statistics, for queueing formulas: requests/s and the squared coefficient of variation of
// the gaps. Both 0 for fewer than three requests.
struct ArrivalStatistics {
  double requests_per_s = 0;
  double gap_cv2 = 0;
};
ArrivalStatistics arrival_statistics(const Trace& trace);

}  // namespace trex::simulate
