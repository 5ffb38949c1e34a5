// Mixed-integer models: HiGHS's branch and bound inside a small one of ours that accepts only
// solutions whose integers are whole. Internal to this module.
#pragma once

#include <chrono>

#include "solve/highs.h"
#include "solve/solve.h"

namespace trex::solve {

// Counts down from the start of a solve.
class Deadline {
 public:
  explicit Deadline(std::chrono::milliseconds time) : end_(Clock::now() + time) {}
  std::chrono::duration<double> left() const {
    return std::max(std::chrono::duration<double>(end_ - Clock::now()),
                    std::chrono::duration<double>(0));
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_;
};

// One run, repeated with looser tolerances when HiGHS finds no clear answer at 1e-9, or calls a
// model with large numbers infeasible: rounding alone can break 1e-9 there.
// Throws Environment when no tolerance gives an answer.
HighsResult run_carefully(const Model& model, const Limits& limits, const Deadline& deadline);

// `model` minimises. Gives Optimal, LimitReached, or Infeasible without a certificate; nothing when
// the model is unbounded or infeasible, for the caller to find out.
std::optional<Solved> solve_integers(const Model& model, const Limits& limits,
                                     const Deadline& deadline);

}  // namespace trex::solve
