#include "train/adamw_update.h"

#include <cmath>

namespace trex::train {

template <class Scalar>
void adamw_update(Scalar* __restrict weight, Scalar* __restrict first_moment,
                  Scalar* __restrict second_moment, const Scalar* __restrict gradient,
                  int64_t count, const AdamWStep& step) {
  const auto beta1 = static_cast<Scalar>(step.beta1), beta2 = static_cast<Scalar>(step.beta2);
  const auto rest1 = static_cast<Scalar>(1 - step.beta1),
             rest2 = static_cast<Scalar>(1 - step.beta2);
  const auto scale = static_cast<Scalar>(step.gradient_scale);
  const auto eps = static_cast<Scalar>(step.eps);
  const auto keep = static_cast<Scalar>(1 - step.learning_rate * step.weight_decay);
  const auto rate = static_cast<Scalar>(step.learning_rate / step.correction1);
  const auto root_scale = static_cast<Scalar>(1 / std::sqrt(step.correction2));
  for (int64_t i = 0; i < count; ++i) {
    const Scalar g = scale * gradient[i];
    const Scalar m = beta1 * first_moment[i] + rest1 * g;
    const Scalar v = beta2 * second_moment[i] + rest2 * g * g;
    first_moment[i] = m;
    second_moment[i] = v;
    weight[i] = keep * weight[i] - rate * m / (std::sqrt(v) * root_scale + eps);
  }
}

template void adamw_update(float*, float*, float*, const float*, int64_t, const AdamWStep&);
template void adamw_update(double*, double*, double*, const double*, int64_t, const AdamWStep&);

}  // namespace trex::train
