#include "perf/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/text.h"
#include "perf/least_squares.h"

namespace trex::perf {
namespace {

// Unknowns: a, four slopes, g, p, q. The plain line ties the slopes together.
constexpr size_t kNumSlopes = 4;
constexpr size_t kHoldOutEvery = 5;
constexpr size_t kFewestToHoldOut = 15;

std::vector<double> features(const IterationSample& sample, bool bends) {
  std::vector<double> row{1};
  double low = 0;
  for (size_t i = 0; i < kNumSlopes && bends; ++i) {
    const double high =
        i < kBatchKnots.size() ? static_cast<double>(kBatchKnots[i]) : sample.num_decoding;
    row.push_back(std::max(std::min(sample.num_decoding, high) - low, 0.0));
    low = high;
  }
  if (!bends) row.push_back(sample.num_decoding);
  row.insert(row.end(), {sample.context_tokens, sample.prompt_tokens, sample.prompt_pairs});
  return row;
}

IterationCoefficients coefficients(const std::vector<double>& x, bool bends) {
  const size_t num_slopes = bends ? kNumSlopes : 1;
  IterationCoefficients time;
  time.base_s = x[0];
  for (size_t i = 0; i < kNumSlopes; ++i) time.per_sequence_s[i] = x[1 + (bends ? i : 0)];
  time.per_context_token_s = x[1 + num_slopes];
  time.per_prompt_token_s = x[2 + num_slopes];
  time.per_prompt_pair_s = x[3 + num_slopes];
  return time;
}

std::vector<double> unknowns_of(const IterationCoefficients& time, bool bends) {
  std::vector<double> x{time.base_s};
  for (size_t i = 0; i < (bends ? kNumSlopes : 1); ++i) x.push_back(time.per_sequence_s[i]);
  x.insert(x.end(), {time.per_context_token_s, time.per_prompt_token_s, time.per_prompt_pair_s});
  return x;
}

// A slope beyond the sampled batches has no evidence: it continues the last one that has.
void extend_slopes(IterationCoefficients& time, double largest_batch) {
  for (size_t i = 1; i < kNumSlopes; ++i) {
    if (largest_batch <= static_cast<double>(kBatchKnots[i - 1])) {
      time.per_sequence_s[i] = time.per_sequence_s[i - 1];
    }
  }
}

IterationCoefficients fit_form(std::span<const IterationSample> samples, const FitOptions& options,
                               bool bends) {
  std::vector<std::vector<double>> rows;
  std::vector<double> right;
  for (const IterationSample& sample : samples) {
    rows.push_back(features(sample, bends));
    for (double& value : rows.back()) value /= sample.seconds;
    right.push_back(1);
  }
  const size_t num_unknowns = rows[0].size();
  const double enough = options.samples_per_unknown * static_cast<double>(num_unknowns);
  if (options.prior && static_cast<double>(samples.size()) < enough) {
    // Ridge in relative terms: each coefficient's distance from the prior counts as a weak sample.
    const std::vector<double> prior = unknowns_of(*options.prior, bends);
    const double weight = 0.05 * (1 - static_cast<double>(samples.size()) / enough);
    for (size_t j = 0; j < num_unknowns; ++j) {
      if (prior[j] <= 0) continue;
      std::vector<double> row(num_unknowns, 0.0);
      row[j] = weight / prior[j];
      rows.push_back(row);
      right.push_back(weight);
    }
  }
  return coefficients(non_negative_least_squares(rows, right), bends);
}

void check_samples(std::span<const IterationSample> samples, const std::string& where) {
  for (size_t i = 0; i < samples.size(); ++i) {
    const IterationSample& s = samples[i];
    for (const auto& [name, value] :
         {std::pair{"num_decoding", s.num_decoding}, std::pair{"context_tokens", s.context_tokens},
          std::pair{"prompt_tokens", s.prompt_tokens}, std::pair{"prompt_pairs", s.prompt_pairs}}) {
      if (!(value >= 0) || std::isinf(value)) {
        throw input_error(where, fmt::format("sample {}: {}", i + 1, name),
                          "a finite number, at least 0", shortest(value));
      }
    }
    if (!(s.seconds > 0) || std::isinf(s.seconds)) {
      throw input_error(where, fmt::format("sample {}: seconds", i + 1), "a finite time above 0",
                        shortest(s.seconds));
    }
  }
}

double r_squared(const IterationCoefficients& time, std::span<const IterationSample> samples) {
  double mean = 0;
  for (const auto& s : samples) mean += s.seconds / static_cast<double>(samples.size());
  double residual = 0;
  double total = 0;
  for (const auto& s : samples) {
    const double predicted =
        time.iteration_s(s.num_decoding, s.context_tokens, s.prompt_tokens, s.prompt_pairs);
    residual += (s.seconds - predicted) * (s.seconds - predicted);
    total += (s.seconds - mean) * (s.seconds - mean);
  }
  return total > 0 ? 1 - residual / total : 1;
}

// The worst ones, each with its place, what was measured and what the fit makes of it.
std::string residuals_text(const IterationCoefficients& time,
                           std::span<const IterationSample> samples, size_t most) {
  const auto fitted_s = [&](size_t i) {
    const IterationSample& s = samples[i];
    return time.iteration_s(s.num_decoding, s.context_tokens, s.prompt_tokens, s.prompt_pairs);
  };
  const auto residual = [&](size_t i) { return fitted_s(i) / samples[i].seconds - 1; };
  std::vector<size_t> order(samples.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::abs(residual(a)) > std::abs(residual(b));
  });
  std::string text;
  for (size_t k = 0; k < std::min(most, order.size()); ++k) {
    const size_t i = order[k];
    const IterationSample& s = samples[i];
    text += fmt::format(
        "; sample {} ({:g} sequences, {:g} tokens of context in all, {:g} of prompts): measured "
        "{:.4g} ms, fitted {:.4g} ms ({:+.0f} %)",
        i + 1, s.num_decoding, s.context_tokens, s.prompt_tokens, 1e3 * s.seconds,
        1e3 * fitted_s(i), 100 * residual(i));
  }
  return text;
}

void refuse_bad_fit(const FitReport& report, std::span<const IterationSample> samples,
                    const FitOptions& options, const std::string& where) {
  const FitError error = error_of(report.time, samples);
  if (error.median <= options.most_median_error && error.p90 <= options.most_p90_error) return;
  throw input_error(
      where, "samples",
      fmt::format("times that fit a + beta*sequences + g*context + p*prompt + q*pairs (median "
                  "error up to {:.0f} %, p90 up to {:.0f} %)",
                  100 * options.most_median_error, 100 * options.most_p90_error),
      fmt::format("median {:.1f} %, p90 {:.1f} %", 100 * error.median, 100 * error.p90) +
          residuals_text(report.time, samples, 3),
      "profile again with nothing else on the device, or split the profile by batch size");
}

}  // namespace

FitError summary_of(std::vector<double> errors) {
  FitError error;
  error.num_samples = errors.size();
  if (errors.empty()) return error;
  const auto worst = std::max_element(errors.begin(), errors.end());
  error.worst = *worst;
  error.worst_index = static_cast<size_t>(worst - errors.begin());
  std::sort(errors.begin(), errors.end());
  error.median = errors[errors.size() / 2];
  error.p90 = errors[std::min(errors.size() - 1, errors.size() * 9 / 10)];
  return error;
}

FitError error_of(const IterationCoefficients& time, std::span<const IterationSample> samples) {
  std::vector<double> errors;
  for (const IterationSample& s : samples) {
    const double predicted =
        time.iteration_s(s.num_decoding, s.context_tokens, s.prompt_tokens, s.prompt_pairs);
    errors.push_back(std::abs(predicted - s.seconds) / s.seconds);
  }
  return summary_of(std::move(errors));
}

FitReport fit_iterations(std::span<const IterationSample> samples, const FitOptions& options,
                         const std::string& where) {
  check_samples(samples, where);
  const size_t fewest = options.prior ? 1 : 5;
  if (samples.size() < fewest) {
    throw input_error(where, "samples", fmt::format("at least {}", fewest),
                      std::to_string(samples.size()));
  }
  std::vector<IterationSample> fitted, held_out;
  const bool holds_out = samples.size() >= kFewestToHoldOut;
  FitReport report;
  for (size_t i = 0; i < samples.size(); ++i) {
    (holds_out && i % kHoldOutEvery == kHoldOutEvery - 1 ? held_out : fitted).push_back(samples[i]);
    report.sampled_batch = std::max(report.sampled_batch, samples[i].num_decoding);
    if (samples[i].num_decoding > 0) {
      report.sampled_context =
          std::max(report.sampled_context, samples[i].context_tokens / samples[i].num_decoding);
    }
  }
  report.time = fit_form(fitted, options, false);
  if (report.sampled_batch > static_cast<double>(kBatchKnots[0]) &&
      fitted.size() >= kFewestToHoldOut) {
    IterationCoefficients bent = fit_form(fitted, options, true);
    extend_slopes(bent, report.sampled_batch);
    // Bends must earn their keep: a fifth less median error, judged on samples that it did not see.
    const auto judged = held_out.empty() ? std::span<const IterationSample>(fitted)
                                         : std::span<const IterationSample>(held_out);
    report.bends = error_of(bent, judged).median < 0.8 * error_of(report.time, judged).median;
    if (report.bends) report.time = bent;
  }
  report.on_fitted = error_of(report.time, fitted);
  report.on_held_out = error_of(report.time, held_out);
  report.r_squared = r_squared(report.time, samples);
  refuse_bad_fit(report, samples, options, where);
  return report;
}

}  // namespace trex::perf
