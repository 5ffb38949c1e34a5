#include "model/reference/arithmetic.h"

#include <torch/types.h>

namespace trex::model::reference {

torch::Tensor wide(const torch::Tensor& x) {
  return x.to(c10::promoteTypes(x.scalar_type(), torch::kFloat32));
}

torch::Tensor linear_map(const torch::Tensor& x, const torch::Tensor& weight_OI) {
  return torch::linear(x, weight_OI.to(x.scalar_type()));
}

torch::Tensor inverse_rms(const torch::Tensor& x, double eps) {
  const auto norm = torch::linalg_vector_norm(x, 2, -1, /*keepdim=*/true);
  return (norm.square() / x.size(-1) + eps).rsqrt();
}

torch::Tensor rms(const torch::Tensor& x, double eps) {
  const auto full = wide(x);
  return (full * inverse_rms(full, eps)).to(x.scalar_type());
}

torch::Tensor rms_norm(const torch::Tensor& x, const torch::Tensor& weight_D, double eps) {
  const auto full = wide(x);
  return (full * inverse_rms(full, eps) * weight_D.to(full.scalar_type())).to(x.scalar_type());
}

torch::Tensor top_mask(const torch::Tensor& score, int64_t num) {
  const auto order = std::get<1>(score.sort(/*stable=*/true, /*dim=*/-1, /*descending=*/true));
  const auto mask = torch::zeros(score.sizes(), score.options().dtype(torch::kBool));
  return mask.scatter_(-1, order.narrow(-1, 0, std::min(num, score.size(-1))), true);
}

}  // namespace trex::model::reference
