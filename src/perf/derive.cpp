#include "perf/derive.h"

#include <algorithm>

namespace trex::perf {

Derived derive_instance_model(const PipelineModel& pipeline, const MemoryBudget& budget,
                              const EngineLimits& limits, const Layout& layout,
                              double typical_context, std::string name) {
  Derived derived;
  InstanceModel& model = derived.model;
  model.name = std::move(name);
  model.kv = budget.kv;
  model.kv_capacity_bytes = budget.kv_bytes * static_cast<double>(layout.dp);
  model.max_sequences = limits.max_sequences;
  model.chunk_tokens = limits.chunk_tokens;
  model.max_context = std::min(limits.max_context, budget.kv.tokens_within(budget.kv_bytes));
  const auto batch = static_cast<double>(
      std::max<int64_t>(admissible_batch(budget, layout, limits, typical_context), 1));
  std::vector<IterationSample> samples;
  const auto sample = [&](double num_decoding, double context, PromptChunk chunk) {
    Iteration iteration{.num_decoding = num_decoding, .context_each = context};
    if (chunk.tokens > 0) iteration.chunks = {&chunk, 1};
    samples.push_back({num_decoding, num_decoding * context, chunk.tokens, chunk.pairs(),
                       pipeline.seconds(iteration)});
  };
  const double chunk_tokens = static_cast<double>(limits.chunk_tokens);
  for (const double share : {0.0, 1.0 / 256, 1.0 / 64, 1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2, 1.0}) {
    const double decoding = share > 0 ? std::max(1.0, batch * share) : 0;
    for (const double context : {typical_context / 4, typical_context, 2 * typical_context}) {
      if (decoding > 0) sample(decoding, context, {});
      sample(decoding, context, {0, chunk_tokens});
      sample(decoding, context, {0, chunk_tokens / 2});
      sample(decoding, context, {chunk_tokens, chunk_tokens});
    }
  }
  // The operator model is not a line: max() of compute and memory. Its own error is reported, never
  // refused.
  derived.fit =
      fit_iterations(samples, {.most_median_error = 1e9, .most_p90_error = 1e9}, model.name);
  model.time = derived.fit.time;
  model.sampled_batch = derived.fit.sampled_batch;
  model.sampled_context = derived.fit.sampled_context;
  model.evidence = {pipeline.calibrated(), "operator model"};
  return derived;
}

}  // namespace trex::perf
