#include "model/reference/hyper_connections.h"

#include <torch/types.h>

#include "model/reference/arithmetic.h"

namespace trex::model::reference {
namespace {

// fn · rms(vec X): the division by the root mean square comes after the product, as it is cheaper
// there.
torch::Tensor project(const torch::Tensor& stream_TND, const torch::Tensor& fn, double eps) {
  const auto flat = wide(stream_TND).flatten(1);
  return linear_map(flat, fn) * inverse_rms(flat, eps);
}

// sum over streams of weight * stream, in the streams' dtype.
torch::Tensor collapse(const torch::Tensor& weight_TN, const torch::Tensor& stream_TND) {
  return torch::bmm(weight_TN.unsqueeze(1), wide(stream_TND))
      .squeeze(1)
      .to(stream_TND.scalar_type());
}

}  // namespace

torch::Tensor sinkhorn_NNT(const torch::Tensor& logit_NNT, int64_t iters, double eps) {
  constexpr int64_t kColumnSums = 0, kRowSums = 1;
  const auto normalised = [eps](const torch::Tensor& m, int64_t axis) {
    return m / (m.sum(axis, /*keepdim=*/true) + eps);
  };
  auto m = torch::softmax(logit_NNT, kRowSums) + eps;
  m = normalised(m, kColumnSums);
  for (int64_t round = 1; round < iters; ++round) {
    m = normalised(m, kRowSums);
    m = normalised(m, kColumnSums);
  }
  return m;
}

StreamMix stream_mix(const ModelConfig& config, const torch::Tensor& stream_TND,
                     const Parameters& parameters, const std::string& site) {
  const int64_t n = config.hc_mult;
  const auto z = project(stream_TND, parameters.at(site + "_fn"), config.rms_norm_eps);
  const auto base = wide(parameters.at(site + "_base"));
  const auto scale = wide(parameters.at(site + "_scale"));

  const auto logits = [&](int64_t part, int64_t begin, int64_t count) {
    return z.narrow(1, begin, count) * scale[part] + base.narrow(0, begin, count);
  };
  const auto comb_NNT = sinkhorn_NNT(logits(2, 2 * n, n * n).t().contiguous().view({n, n, -1}),
                                     config.hc_sinkhorn_iters, config.hc_eps);
  return {.collapse_TN = torch::sigmoid(logits(0, 0, n)) + config.hc_eps,
          .post_TN = 2 * torch::sigmoid(logits(1, n, n)),
          // Laid out anew: products of many small strided matrices are taken one by one.
          .comb_TNN = comb_NNT.permute({2, 0, 1}).contiguous()};
}

torch::Tensor hyper_connected(const ModelConfig& config, const torch::Tensor& stream_TND,
                              const Parameters& parameters, const std::string& site, Probe* probe,
                              const std::function<torch::Tensor(const torch::Tensor&)>& block_TD) {
  const StreamMix mix = stream_mix(config, stream_TND, parameters, site);
  const auto collapsed_TD = collapse(mix.collapse_TN, stream_TND);
  report(probe, site + ".collapsed", collapsed_TD);
  report(probe, site + ".post", mix.post_TN);
  report(probe, site + ".comb", mix.comb_TNN);

  const auto result_TD = block_TD(collapsed_TD);
  const auto added_TND = mix.post_TN.unsqueeze(2) * wide(result_TD).unsqueeze(1);
  // Stream k of the output takes COLUMN k of the matrix: the transposed product.
  const auto kept_NN = mix.comb_TNN.transpose(1, 2);
  return torch::baddbmm(added_TND, kept_NN, wide(stream_TND)).to(stream_TND.scalar_type());
}

torch::Tensor head_mix(const ModelConfig& config, const torch::Tensor& stream_TND,
                       const Parameters& parameters, const std::string& prefix) {
  const auto z = project(stream_TND, parameters.at(prefix + "hc_head_fn"), config.rms_norm_eps);
  const auto logit = z * wide(parameters.at(prefix + "hc_head_scale")) +
                     wide(parameters.at(prefix + "hc_head_base"));
  return collapse(torch::sigmoid(logit) + config.hc_eps, stream_TND);
}

}  // namespace trex::model::reference
