// The arithmetic of AdamW on raw memory, without LibTorch.
#pragma once

#include <cstdint>

namespace trex::train {

// One step's constants.
struct AdamWStep {
  double learning_rate;
  double beta1, beta2, eps;
  double weight_decay;
  double correction1;     // 1 - beta1^t for the t-th update of this weight, t from 1
  double correction2;     // 1 - beta2^t
  double gradient_scale;  // factor of clipping
};

// For each element, with g = gradient_scale * gradient:
//   m = beta1 m + (1 - beta1) g            v = beta2 v + (1 - beta2) g^2
//   w = w - lr * weight_decay * w - lr * (m / correction1) / (sqrt(v / correction2) + eps)
// (Loshchilov and Hutter, "Decoupled weight decay regularization", 2019). The arrays must not
// overlap. Elements are independent: any split over threads gives the same bytes.
// Scalar is float or double.
template <class Scalar>
void adamw_update(Scalar* weight, Scalar* first_moment, Scalar* second_moment,
                  const Scalar* gradient, int64_t count, const AdamWStep& step);

}  // namespace trex::train
