// The machine's peak for MFU, measured: published peaks say little about a CPU.
#pragma once

#include <torch/types.h>

#include "base/clock.h"

namespace trex::train {

// GFLOP/s of a 1024 x 1024 x 1024 matrix product of `dtype` with LibTorch's current threads: median
// of 15 after warm-up, about 0.2 s in all.
double measure_peak_gflops(torch::Dtype dtype, const Clock& clock);

}  // namespace trex::train
