#include "model/reference/block.h"

#include <torch/types.h>

#include "model/reference/arithmetic.h"
#include "model/reference/experts.h"
#include "model/reference/hyper_connections.h"

namespace trex::model::reference {

BlockOutput block(const ModelConfig& config, const Parameters& parameters, int64_t layer,
                  const torch::Tensor& stream_TND, const torch::Tensor& token_T,
                  const std::function<torch::Tensor(const torch::Tensor&)>& attention,
                  Probe* probe) {
  const std::string prefix = block_prefix(config, layer);
  const auto norm = [&](const torch::Tensor& u_TD, const char* name) {
    return rms_norm(u_TD, parameters.at(prefix + name), config.rms_norm_eps);
  };
  const auto attention_site = [&](const torch::Tensor& u_TD) {
    const auto y_TD = attention(norm(u_TD, "attn_norm.weight"));
    report(probe, prefix + "attn.out", y_TD);
    return y_TD;
  };
  Routing routing;
  const auto experts_site = [&](const torch::Tensor& u_TD) {
    const auto x_TD = norm(u_TD, "ffn_norm.weight");
    routing =
        route(config, config.routes_by_hash(layer), x_TD, token_T,
              {parameters, prefix + "ffn.gate."}, forced_choice(probe, prefix + "gate.indices"));
    report(probe, prefix + "gate.logits", routing.logit_TE);
    report(probe, prefix + "gate.weights", routing.weight_TK);
    report(probe, prefix + "gate.indices", routing.expert_TK);
    const auto y_TD = mixture_of_experts(config, x_TD, routing, {parameters, prefix + "ffn."});
    report(probe, prefix + "ffn.out", y_TD);
    return y_TD;
  };
  auto stream =
      hyper_connected(config, stream_TND, parameters, prefix + "hc_attn", probe, attention_site);
  stream = hyper_connected(config, stream, parameters, prefix + "hc_ffn", probe, experts_site);
  return {stream, routing};
}

torch::Tensor first_stream_TND(const ModelConfig& config, const Parameters& parameters,
                               const torch::Tensor& token_T) {
  return torch::embedding(parameters.at("embed.weight"), token_T)
      .unsqueeze(1)
      .expand({-1, config.hc_mult, -1})
      .contiguous();
}

torch::Tensor head_input(const ModelConfig& config, const Parameters& parameters,
                         const torch::Tensor& stream_TND, const std::string& prefix) {
  return rms_norm(head_mix(config, stream_TND, parameters, prefix),
                  parameters.at(prefix + "norm.weight"), config.rms_norm_eps);
}

}  // namespace trex::model::reference
