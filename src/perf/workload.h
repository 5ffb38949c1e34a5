// What the estimators need to know about a class of requests.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace trex::perf {

struct RequestLengths {
  int64_t prompt_tokens = 0;
  int64_t output_tokens = 0;
};

// Joint moments of (input, output) lengths. Tokens.
struct WorkloadMoments {
  double mean_input = 0;      // I
  double mean_output = 0;     // O
  double decode_context = 0;  // E[O*(I + O/2)] / E[O]: the context an average output token sees
  double input_spread = 1;    // E[I^2] / E[I]^2: attention to prompts grows with their squares

  // Uncorrelated lengths: decode_context = I + O/2.
  static WorkloadMoments of_means(double mean_input, double mean_output);
  static WorkloadMoments of(std::span<const RequestLengths> requests);
};

}  // namespace trex::perf
