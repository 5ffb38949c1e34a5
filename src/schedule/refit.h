// Which part of an instance's model is wrong, learnt from the time of finished answers (9.7).
//
// Least squares with forgetting over the parts of an iteration: a, beta, g and p of
//   T = a + beta*b + g*context + p*prompt tokens
// in its recursive form by normal equations: as exact as by gains, and nothing in it can blow up
// when the load does not vary.
//
// Sigma says by how much the whole is slower; this only says how that is distributed. A sample is
// divided by sigma first, and factors are scaled so that what was seen takes as long in the mean as
// it was believed to: they can change without sigma, and neither counts what the other has.
#pragma once

#include <array>
#include <cstddef>

namespace trex::schedule {

// What each part of the model contributed to an answer, in seconds; or a factor of each.
struct ModelParts {
  static constexpr size_t kCount = 4;
  std::array<double, kCount> of{};  // base, batch, context, prompts

  double& base() { return of[0]; }
  double& batch() { return of[1]; }
  double& context() { return of[2]; }
  double& prompts() { return of[3]; }
  double base() const { return of[0]; }
  double batch() const { return of[1]; }
  double context() const { return of[2]; }
  double prompts() const { return of[3]; }
};

// Constant memory, allocates nothing; not thread-safe.
class Refit {
 public:
  // An answer: the parts as first believed, and the time that it took over sigma. Samples that are
  // not positive and finite are ignored. True when factors() has changed.
  bool observe(const ModelParts& believed, double observed_s);

  // By which each part of what was believed is multiplied, within [0.25, 4]. All 1 before 500
  // samples, and unless others predict the answers to come far better.
  const ModelParts& factors() const { return factors_; }

 private:
  static constexpr size_t kParts = ModelParts::kCount;
  using Row = std::array<double, kParts>;

  // Mean deviation of predictions from what came, but for a common factor.
  struct Error {
    double ratio = 0, deviation = 0;  // fading means
    void add(double observed_over_predicted, double weight);
  };
  void solve();
  bool choose();

  std::array<Row, kParts> products_{};  // fading sum of x x^T
  Row with_observed_{}, mean_{};        // of x y, of x
  double weight_ = 0;                   // of all in these sums
  size_t num_samples_ = 0;
  ModelParts candidate_{{1, 1, 1, 1}}, factors_{{1, 1, 1, 1}};
  Error believed_, refitted_;
  bool is_adopted_ = false;
};

}  // namespace trex::schedule
