// Fits the compact instance model to measured iterations (heterogeneous serving, section 5.7).
//
// Samples weigh 1/T^2, so the relative error counts; coefficients are non-negative; every fifth
// sample is held out and reported apart. First the plain line is tried, then one that bends at
// batches of 8, 32 and 128 where samples reach beyond. Same samples, same result.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "perf/instance_model.h"

namespace trex::perf {

// One measured iteration, or the mean of several equal ones.
struct IterationSample {
  double num_decoding = 0;
  double context_tokens = 0;  // of all decoding sequences together
  double prompt_tokens = 0;   // new prompt tokens
  double prompt_pairs = 0;    // sum of c*(s + c/2)
  double seconds = 0;
};

// Relative errors |predicted - measured| / measured.
struct FitError {
  size_t num_samples = 0;
  double median = 0;
  double p90 = 0;
  double worst = 0;
  size_t worst_index = 0;  // into the samples given
};

struct FitReport {
  IterationCoefficients time;
  FitError on_fitted;
  FitError on_held_out;        // num_samples 0 when there were too few to hold any out
  double r_squared = 0;        // of all samples, unweighted
  bool bends = false;          // the piecewise form was needed
  double sampled_batch = 0;    // largest
  double sampled_context = 0;  // largest, per sequence
};

struct FitOptions {
  // Refused above these: the profile does not fit a line. Published stacks stay below for decoding
  // (1-2 % and 3-5 %) and reach 17 % and 36 % with batched prompts.
  double most_median_error = 0.20;
  double most_p90_error = 0.40;
  // With fewer samples than unknowns times this, coefficients lean towards `prior`.
  double samples_per_unknown = 2;
  std::optional<IterationCoefficients> prior;
};

// Throws Input at `where` for a sample that is NaN, negative or takes no time; for fewer samples
// than the model needs; and for samples that do not fit, naming the worst with its residual.
FitReport fit_iterations(std::span<const IterationSample> samples, const FitOptions& options,
                         const std::string& where);

// Errors of any coefficients on any samples.
// Of relative errors in the order of the samples.
FitError summary_of(std::vector<double> errors);

FitError error_of(const IterationCoefficients& time, std::span<const IterationSample> samples);

}  // namespace trex::perf
