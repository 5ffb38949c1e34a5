#include "train/adamw.h"

#include <ATen/Parallel.h>

#include <cmath>

#include "train/adamw_update.h"

namespace trex::train {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements: below this a thread costs more than it saves

struct Arrays {
  const torch::Tensor &weight, &first, &second, &gradient;
};

template <class Scalar>
void update_range(const Arrays& arrays, int64_t begin, int64_t end, const AdamWStep& step) {
  Scalar* weight = arrays.weight.data_ptr<Scalar>();
  Scalar* first = arrays.first.data_ptr<Scalar>();
  Scalar* second = arrays.second.data_ptr<Scalar>();
  const Scalar* gradient = arrays.gradient.data_ptr<Scalar>();
  at::parallel_for(begin, end, kGrain, [&](int64_t from, int64_t to) {
    adamw_update(weight + from, first + from, second + from, gradient + from, to - from, step);
  });
}

}  // namespace

AdamW::AdamW(const OptimizerSettings& settings, TrainedParameters& parameters)
    : settings_(settings),
      parameters_(parameters),
      first_(torch::zeros_like(parameters.master())),
      second_(torch::zeros_like(parameters.master())) {}

void AdamW::step(double learning_rate, double gradient_scale) {
  ++num_updates_;
  AdamWStep step{.learning_rate = learning_rate,
                 .beta1 = settings_.beta1,
                 .beta2 = settings_.beta2,
                 .eps = settings_.eps,
                 .correction1 = 1 - std::pow(settings_.beta1, double(num_updates_)),
                 .correction2 = 1 - std::pow(settings_.beta2, double(num_updates_)),
                 .gradient_scale = gradient_scale};
  const Arrays arrays{parameters_.master(), first_, second_, parameters_.gradient()};
  const auto extents = parameters_.extents();
  // Extents of equal decay lie together: one pass for each run of them.
  for (size_t i = 0; i < extents.size();) {
    size_t next = i;
    while (next < extents.size() && extents[next].decays == extents[i].decays) ++next;
    const int64_t end = next < extents.size() ? extents[next].offset : parameters_.count();
    step.weight_decay = extents[i].decays ? settings_.weight_decay : 0;
    if (arrays.weight.scalar_type() == torch::kDouble) {
      update_range<double>(arrays, extents[i].offset, end, step);
    } else {
      update_range<float>(arrays, extents[i].offset, end, step);
    }
    i = next;
  }
  parameters_.publish();
}

}  // namespace trex::train
