#include "perf/throughput.h"

#include <algorithm>
#include <cmath>

namespace trex::perf {
namespace {

// One prompt, cut into equal chunks; what it adds to each iteration.
double added_by_one_prompt(const IterationSeconds& seconds, const Iteration& running,
                           double without_prompt_s, double prompt_tokens, int64_t chunk_tokens) {
  if (prompt_tokens <= 0) return 0;
  const double num_chunks = std::ceil(prompt_tokens / static_cast<double>(chunk_tokens));
  const double each = prompt_tokens / num_chunks;
  double added = 0;
  for (double i = 0; i < num_chunks; ++i) {
    const PromptChunk chunk{i * each, each};
    Iteration mixed = running;
    mixed.chunks = {&chunk, 1};
    added += seconds(mixed) - without_prompt_s;
  }
  return added;
}

// The mean over prompts of unlike lengths. The cost of I tokens is u*I + v*I^2; the mean prompt and
// one twice as long tell u and v, and E[I^2] is known.
double added_by_prompt(const IterationSeconds& seconds, const Iteration& running,
                       double without_prompt_s, const WorkloadMoments& workload,
                       int64_t chunk_tokens) {
  const auto added = [&](double tokens) {
    return added_by_one_prompt(seconds, running, without_prompt_s, tokens, chunk_tokens);
  };
  const double by_mean = added(workload.mean_input);
  if (workload.input_spread <= 1) return by_mean;
  const double square_s = std::max(added(2 * workload.mean_input) - 2 * by_mean, 0.0) / 2;
  return by_mean + (workload.input_spread - 1) * square_s;
}

// Sequences that decode at once. Long prompts with short answers never fill the batch: an iteration
// of b decoding sequences has room for C - b tokens of prompts, and each b/O that end need I.
double running_batch(const InstanceLimits& limits, const WorkloadMoments& workload) {
  const double batch = static_cast<double>(limits.batch);
  const double tokens = workload.mean_input + workload.mean_output;
  if (limits.chunk_tokens <= 0 || tokens <= 0) return batch;
  const double by_prompts =
      workload.mean_output * static_cast<double>(limits.chunk_tokens) / tokens;
  return std::min(batch, std::max(by_prompts, 1.0));
}

}  // namespace

IterationSeconds seconds_of(const InstanceModel& model) {
  return [time = model.time](const Iteration& iteration) {
    double tokens = 0;
    double pairs = 0;
    for (const PromptChunk& chunk : iteration.chunks) {
      tokens += chunk.tokens;
      pairs += chunk.pairs();
    }
    return time.iteration_s(iteration.num_decoding, iteration.num_decoding * iteration.context_each,
                            tokens, pairs);
  };
}

Throughput closed_form(const IterationSeconds& seconds, const InstanceLimits& limits,
                       const WorkloadMoments& workload) {
  Throughput result;
  result.batch = limits.batch;
  if (limits.batch < 1) return result;
  const double batch = running_batch(limits, workload);
  const Iteration running{.num_decoding = batch, .context_each = workload.decode_context};
  result.decode_s = seconds(running);
  result.prompt_s =
      added_by_prompt(seconds, running, result.decode_s, workload, limits.chunk_tokens);
  result.requests_per_s = 1 / (result.prompt_s + workload.mean_output * result.decode_s / batch);
  result.output_tokens_per_s = result.requests_per_s * workload.mean_output;
  return result;
}

double prompt_alone_s(const IterationSeconds& seconds, const WorkloadMoments& workload,
                      int64_t chunk_tokens) {
  return added_by_prompt(seconds, Iteration{}, 0, workload, chunk_tokens);
}

double small_batch_correction(int64_t batch) {
  if (batch >= 32) return 1;
  return batch < 1 ? 0 : 1 - 0.5 / std::sqrt(static_cast<double>(batch));
}

MixedSteps mixed_steps(const IterationSeconds& seconds, const InstanceLimits& limits,
                       const WorkloadMoments& workload) {
  MixedSteps result;
  const double batch = static_cast<double>(limits.batch);
  const double output = workload.mean_output;
  if (limits.batch < 1 || output <= 1) return result;
  const double budget = static_cast<double>(limits.chunk_tokens);
  const double mixed = std::ceil(workload.mean_input * batch / budget);
  const double generating = std::max(output - mixed, 0.0);
  const Iteration running{.num_decoding = batch, .context_each = workload.decode_context};
  const PromptChunk chunk{0, std::min(budget, workload.mean_input * batch)};
  Iteration with_prompts = running;
  with_prompts.chunks = {&chunk, 1};
  const double mixed_s = seconds(with_prompts);
  const double generating_s = seconds(running);
  const double total_s = mixed * mixed_s + generating * generating_s;
  result.time_per_token_s = total_s / (mixed + generating);
  result.first_token_s =
      mixed_s * std::ceil(workload.mean_input / budget) * std::min(1 + std::log2(batch) / 8, 2.0);
  const double by_steps = batch * (output - 1) / total_s;
  const double by_little =
      batch * (output - 1) / (result.first_token_s + result.time_per_token_s * (output - 1));
  result.output_tokens_per_s = std::min(by_steps, by_little);
  return result;
}

LoadedLatency latency_at(const IterationSeconds& seconds, const InstanceLimits& limits,
                         const WorkloadMoments& workload, const Load& load) {
  LoadedLatency result;
  const Throughput full = closed_form(seconds, limits, workload);
  if (full.requests_per_s <= 0) return result;
  result.utilisation = load.requests_per_s / full.requests_per_s;
  result.is_stable = result.utilisation < 1;
  if (!result.is_stable) return result;
  const double capacity = static_cast<double>(limits.batch);
  const double token_rate = load.requests_per_s * workload.mean_output;
  double batch = std::min(1.0, capacity);
  double step_s = 0;
  double prompt_s = 0;
  for (int round = 0; round < 20; ++round) {
    const Iteration running{.num_decoding = std::max(batch, 1e-3),
                            .context_each = workload.decode_context};
    const double decode_s = seconds(running);
    prompt_s = added_by_prompt(seconds, running, decode_s, workload, limits.chunk_tokens);
    // In one second, prompts take lambda*c_pre; decoding iterations share the rest.
    step_s = decode_s / std::max(1 - load.requests_per_s * prompt_s, 1e-3);
    batch = std::min(0.5 * (batch + token_rate * step_s), capacity);
  }
  result.decode_batch = batch;
  result.time_per_token_s = step_s;
  const double servers = 1 + std::max(capacity - batch, 0.0);
  const double exponent = std::sqrt(2 * (servers + 1)) - 1;
  const double wait_s = std::pow(result.utilisation, exponent) / (1 - result.utilisation) *
                        prompt_s * (load.arrival_cv2 + load.service_cv2) / 2;
  const double own_s =
      prompt_s + std::ceil(workload.mean_input / static_cast<double>(limits.chunk_tokens)) * step_s;
  result.first_token_s = step_s / 2 + wait_s + own_s;
  return result;
}

SplitPhases split_phases(const IterationSeconds& seconds, const InstanceLimits& limits,
                         const WorkloadMoments& workload, int64_t instances, double prompt_kv_bytes,
                         double link_bytes_per_s) {
  SplitPhases best;
  if (limits.batch < 1 || instances < 2) return best;
  const double batch = static_cast<double>(limits.batch);
  const Iteration decoding{.num_decoding = batch, .context_each = workload.decode_context};
  const double decode_rate = batch / (workload.mean_output * seconds(decoding));
  const double prompt_s = prompt_alone_s(seconds, workload, limits.chunk_tokens);
  const double link_rate = prompt_kv_bytes > 0 ? link_bytes_per_s / prompt_kv_bytes : 1e300;
  for (int64_t prefill = 1; prefill < instances; ++prefill) {
    const double rate =
        std::min({static_cast<double>(prefill) / prompt_s,
                  static_cast<double>(instances - prefill) * decode_rate, link_rate});
    if (rate > best.requests_per_s)
      best = {rate, prefill, instances - prefill, prompt_kv_bytes / link_bytes_per_s};
  }
  return best;
}

}  // namespace trex::perf
