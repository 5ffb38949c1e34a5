#include "perf/workload.h"

namespace trex::perf {

WorkloadMoments WorkloadMoments::of_means(double mean_input, double mean_output) {
  return {.mean_input = mean_input,
          .mean_output = mean_output,
          .decode_context = mean_input + mean_output / 2};
}

WorkloadMoments WorkloadMoments::of(std::span<const RequestLengths> requests) {
  WorkloadMoments moments;
  if (requests.empty()) return moments;
  double weighted = 0;
  double squares = 0;
  for (const RequestLengths& request : requests) {
    const double in = static_cast<double>(request.prompt_tokens);
    const double out = static_cast<double>(request.output_tokens);
    moments.mean_input += in;
    moments.mean_output += out;
    weighted += out * (in + out / 2);
    squares += in * in;
  }
  if (moments.mean_output > 0) moments.decode_context = weighted / moments.mean_output;
  moments.mean_input /= static_cast<double>(requests.size());
  moments.mean_output /= static_cast<double>(requests.size());
  if (moments.mean_input > 0) {
    moments.input_spread =
        squares / static_cast<double>(requests.size()) / (moments.mean_input * moments.mean_input);
  }
  return moments;
}

}  // namespace trex::perf
