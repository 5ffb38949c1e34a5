#include "model/parameter_counts.h"

#include "model/parameters.h"

namespace trex::model {

ParameterCounts count_parameters(const ModelConfig& config) {
  ParameterCounts count;
  int64_t in_experts = 0;  // of the main model, routed
  for (const auto& spec : expected_specs(config, torch::kFloat32)) {
    if (!is_trained(spec.name)) continue;
    const bool is_mtp = spec.name.starts_with("mtp.");
    count.total += spec.num_elements();
    if (is_mtp) count.mtp += spec.num_elements();
    if (!is_mtp && spec.name.find(".ffn.experts.") != std::string::npos)
      in_experts += spec.num_elements();
  }
  count.activated = count.total - count.mtp - in_experts +
                    in_experts / config.n_routed_experts * config.num_experts_per_tok;
  return count;
}

}  // namespace trex::model
