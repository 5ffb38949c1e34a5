#include "orgen/solve_fully.h"

#include <fmt/format.h>

#include "base/error.h"

namespace trex::orgen {

solve::Solved solve_fully(const solve::Model& model) {
  solve::Solved solved = solve::solve(model, {.time = std::chrono::hours(1)});
  if (solved.outcome == solve::Outcome::LimitReached) {
    throw Error(
        {.kind = ErrorKind::Failed,
         .where = fmt::format("problem {} with {} columns", model.name, model.columns.size()),
         .expected = "a proven optimum within an hour",
         .got = "none",
         .hint = "leave out the level or the family"});
  }
  return solved;
}

}  // namespace trex::orgen
