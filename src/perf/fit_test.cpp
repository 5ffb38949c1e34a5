#include "perf/fit.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <map>

#include "base/error.h"
#include "base/files.h"
#include "base/rng.h"
#include "base/text.h"
#include "perf/least_squares.h"

namespace trex::perf {
namespace {

// min |A x - b|, x >= 0 with A = [[1,0],[0,1],[1,1]], b = (2,-1,0): without the bound x = (5/3,
// -4/3); with it x2 = 0 and x1 = (2 + 0)/2 = 1.
TEST(LeastSquares, ANegativeCoefficientBecomesZeroAndTheRestIsSolvedAgain) {
  const auto x = non_negative_least_squares({{1, 0}, {0, 1}, {1, 1}}, {2, -1, 0});
  EXPECT_NEAR(x[0], 1, 1e-12);
  EXPECT_EQ(x[1], 0);
}

// Karush, Kuhn and Tucker: the gradient is 0 where x > 0 and does not point inside where x = 0.
TEST(LeastSquares, RandomProblemsMeetTheOptimalityConditionsSeed1) {
  for (uint64_t trial = 0; trial < 200; ++trial) {
    Rng rng(1, "least squares", trial);
    const size_t columns = 1 + rng.below(6);
    std::vector<std::vector<double>> rows(columns + 5, std::vector<double>(columns));
    std::vector<double> right(rows.size());
    for (auto& row : rows) {
      for (double& value : row) value = rng.normal();
    }
    for (double& value : right) value = rng.normal();
    const auto x = non_negative_least_squares(rows, right);
    for (size_t j = 0; j < columns; ++j) {
      double gradient = 0;
      for (size_t r = 0; r < rows.size(); ++r) {
        double residual = right[r];
        for (size_t i = 0; i < columns; ++i) residual -= rows[r][i] * x[i];
        gradient += rows[r][j] * residual;
      }
      ASSERT_GE(x[j], 0);
      ASSERT_LE(gradient, 1e-8) << trial;
      if (x[j] > 0) {
        ASSERT_NEAR(gradient, 0, 1e-8) << trial;
      }
    }
  }
}

std::vector<IterationSample> exact_samples(const IterationCoefficients& time) {
  std::vector<IterationSample> samples;
  for (const double b : {0, 1, 8, 20, 32, 100, 200}) {
    for (const double context : {200, 1000}) {
      for (const double prompt : {0, 512, 2048}) {
        if (b + prompt == 0) continue;
        IterationSample s{b, b * context, prompt, prompt * prompt / 2, 0};
        s.seconds = time.iteration_s(b, s.context_tokens, prompt, s.prompt_pairs);
        samples.push_back(s);
      }
    }
  }
  return samples;
}

TEST(Fit, RecoversALineExactly) {
  const auto time = IterationCoefficients::line(44.1e-3, 0.211e-3, 0.3205e-6, 150e-6, 2e-9);
  const FitReport report = fit_iterations(exact_samples(time), {}, "test");
  EXPECT_FALSE(report.bends);
  EXPECT_NEAR(report.time.base_s, 44.1e-3, 1e-9);
  EXPECT_NEAR(report.time.per_sequence_s[0], 0.211e-3, 1e-11);
  EXPECT_NEAR(report.time.per_context_token_s, 0.3205e-6, 1e-13);
  EXPECT_NEAR(report.time.per_prompt_token_s, 150e-6, 1e-11);
  EXPECT_NEAR(report.time.per_prompt_pair_s, 2e-9, 1e-14);
  EXPECT_LT(report.on_held_out.worst, 1e-6);
  EXPECT_GT(report.on_held_out.num_samples, 0u);
}

TEST(Fit, FindsTheBendsOfAModelThatHasThem) {
  IterationCoefficients time = IterationCoefficients::line(5e-3, 0, 1e-7, 1e-5, 0);
  time.per_sequence_s = {1e-3, 0.4e-3, 0.1e-3, 0.05e-3};
  const FitReport report = fit_iterations(exact_samples(time), {}, "test");
  EXPECT_TRUE(report.bends);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(report.time.per_sequence_s[i], time.per_sequence_s[i], 1e-8);
}

TEST(Fit, AProfileThatIsNoLineIsRefusedWithItsResiduals) {
  std::vector<IterationSample> samples;
  for (int i = 1; i <= 20; ++i) samples.push_back({1.0 * i, 0, 0, 0, i % 2 == 0 ? 0.01 : 0.10});
  try {
    fit_iterations(samples, {}, "profile.json");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("profile.json: samples: expected times that fit"));
    EXPECT_THAT(error.what(), testing::HasSubstr("measured"));
  }
}

TEST(Fit, NotANumberIsRefusedByItsPlace) {
  std::vector<IterationSample> samples(6, {1, 1, 0, 0, 0.01});
  samples[2].seconds = std::numeric_limits<double>::quiet_NaN();
  try {
    fit_iterations(samples, {}, "profile.json");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "profile.json: sample 3: seconds: expected a finite time above 0; got nan");
  }
}

// Two samples cannot determine five unknowns; the prior fills in what they do not say.
TEST(Fit, FewSamplesLeanOnThePrior) {
  const auto prior = IterationCoefficients::line(10e-3, 0.1e-3, 1e-6, 50e-6, 0);
  const std::vector<IterationSample> samples{{1, 100, 0, 0, 20.4e-3}, {16, 1600, 0, 0, 26.4e-3}};
  const FitReport report = fit_iterations(samples, {.prior = prior}, "test");
  EXPECT_LT(report.on_fitted.worst, 0.03);
  EXPECT_NEAR(report.time.per_prompt_token_s, 50e-6, 1e-6);
}

// Splitwise's published measurements (data/traces/calibration): decode steps of two models on A100
// and H100. Section 5.7 states a median error of 1-2 % and p90 of 3-5 % for a + beta*b + g*ctx.
TEST(Fit, PublishedDecodeStepsFitWithinTheStatedError) {
  const std::string text = read_file(
      Path(TREX_SOURCE_DIR) / "data/traces/calibration/splitwise_llama2_bloom_a100_h100.csv.zst");
  std::map<std::string, std::vector<IterationSample>> groups;
  const auto lines = split(text, '\n');
  for (size_t i = 1; i < lines.size(); ++i) {
    const auto cells = split(trimmed(lines[i]), ',');
    if (cells.size() < 11 || cells[10] == "2") continue;  // TP2 rows contradict the others (README)
    const double prompt = *parse_real(cells[2]);
    const double batch = *parse_real(cells[3]);
    const double tokens = *parse_real(cells[4]);
    groups[cells[0] + " " + cells[1] + " TP" + cells[10]].push_back(
        {batch, batch * (prompt + tokens / 2), 0, 0, *parse_real(cells[8]) * 1e-3});
  }
  EXPECT_GE(groups.size(), 6u);
  for (const auto& [name, samples] : groups) {
    const FitReport report = fit_iterations(samples, {}, name);
    EXPECT_LT(report.on_held_out.median, 0.03) << name;
    EXPECT_LT(report.on_held_out.p90, 0.08) << name;
  }
}

}  // namespace
}  // namespace trex::perf
