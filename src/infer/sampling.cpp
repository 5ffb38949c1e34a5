#include "infer/sampling.h"

namespace trex::infer {

torch::Tensor sample_tokens_N(const torch::Tensor& logit_NV, const SamplingOptions& options,
                              const std::vector<double>& uniform) {
  if (options.temperature == 0) return logit_NV.argmax(1);
  const auto scaled = logit_NV.to(torch::kFloat64) / options.temperature;
  const auto [probability, token] =
      torch::softmax(scaled, 1).sort(/*stable=*/true, /*dim=*/1, /*descending=*/true);
  const auto reached = probability.cumsum(1);
  // A token stays while those before it have not reached top_p; the first always does.
  const auto is_kept = (reached - probability) < options.top_p;
  const auto kept_mass = (probability * is_kept).sum(1, /*keepdim=*/true);
  const auto threshold = torch::tensor(uniform, torch::kFloat64).unsqueeze(1) * kept_mass;
  // The number of tokens whose cumulated probability the draw has passed.
  const auto last_kept = is_kept.sum(1, /*keepdim=*/true) - 1;
  const auto place = torch::minimum((reached <= threshold).sum(1, /*keepdim=*/true), last_kept);
  return token.gather(1, place).squeeze(1);
}

}  // namespace trex::infer
