#include "train/peak_gflops.h"

#include <torch/types.h>

#include <algorithm>
#include <vector>

namespace trex::train {

double measure_peak_gflops(torch::Dtype dtype, const Clock& clock) {
  constexpr int64_t kSize = 1024;
  constexpr int kRepeats = 15;
  at::NoGradGuard no_grad;
  // Small whole numbers: the values do not matter, but denormal ones would be slow.
  const auto a =
      torch::arange(kSize * kSize, torch::kInt64).remainder(7).to(dtype).view({kSize, kSize});
  const auto b = a.t().contiguous();
  auto product = torch::matmul(a, b);
  std::vector<double> seconds;
  for (int i = 0; i < kRepeats; ++i) {
    const Stopwatch stopwatch(clock);
    torch::matmul_out(product, a, b);
    seconds.push_back(stopwatch.seconds());
  }
  std::nth_element(seconds.begin(), seconds.begin() + kRepeats / 2, seconds.end());
  return 2e-9 * double(kSize) * double(kSize) * double(kSize) / seconds[kRepeats / 2];
}

}  // namespace trex::train
