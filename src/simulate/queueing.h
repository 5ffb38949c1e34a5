// For tests: Poisson arrivals at an engine, and what queueing theory expects of them.
#pragma once

#include <cmath>
#include <vector>

#include "base/rng.h"
#include "simulate/engine_driver.h"
#include "simulate/iteration_engine.h"
#include "simulate/slot_engine.h"

namespace trex::simulate {

// One token is so short that lengths are as good as continuous.
inline constexpr double kToken_s = 1e-5;
inline constexpr double kMean_s = 1.0;

enum class Service { Exponential, Fixed };

inline std::vector<DrivenRequest> poisson(double rate, Service service, double token_s,
                                          size_t count, uint64_t seed) {
  Rng arrivals(seed, "queueing arrivals"), lengths(seed, "queueing lengths");
  std::vector<DrivenRequest> requests(count);
  double at_s = 0;
  for (DrivenRequest& request : requests) {
    at_s += arrivals.exponential(rate);
    const double length_s = service == Service::Fixed ? kMean_s : lengths.exponential(1 / kMean_s);
    request = {at_s, 1, std::max<int64_t>(std::llround(length_s / token_s), 1), {}};
  }
  return requests;
}

// Mean time in the system, without the first tenth.
inline double mean_stay(Engine& engine, const std::vector<DrivenRequest>& requests) {
  const auto results = drive(engine, requests);
  double sum = 0;
  const size_t first = requests.size() / 10;
  for (size_t i = first; i < requests.size(); ++i) sum += results[i].ended_s - requests[i].at_s;
  return sum / static_cast<double>(requests.size() - first);
}

// Erlang's C: the probability of waiting with c servers at load a = lambda/mu.
inline double erlang_c(int c, double a) {
  double term = 1, sum = 1;
  for (int k = 1; k < c; ++k) {
    term *= a / k;
    sum += term;
  }
  term *= a / c;
  const double last = term * c / (c - a);
  return last / (sum + last);
}

inline double mm_c_stay(int c, double rho) {
  return kMean_s + erlang_c(c, rho * c) * kMean_s / (c * (1 - rho));
}

inline SlotEngineSpec servers(int count) {
  return {.token_s = kToken_s, .prompt_token_s = 0, .slots = count};
}

// Relative standard error of the mean stay grows as 1/(1 - rho): so many that 2 % is over three of
// them.
inline size_t enough(double rho) { return static_cast<size_t>(60'000 / std::pow(1 - rho, 2)); }

// An engine whose iteration takes time in proportion to its batch shares a processor: the mean stay
// is E[S]/(1 - rho) whatever the distribution.
inline IterationEngine sharing_engine(double token_s) {
  perf::InstanceModel model;
  model.time = perf::IterationCoefficients::line(0, token_s, 0, 0, 0);
  model.max_sequences = 100'000;
  model.chunk_tokens = 1'000'000;
  return IterationEngine({.model = model});
}

}  // namespace trex::simulate
