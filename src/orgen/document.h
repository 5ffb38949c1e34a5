// One row of the output, made from its position alone: the whole pipeline for one problem.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "orgen/checks.h"

namespace trex::orgen {

// Excerpts: passages of a problem that tell data, with the lines of the program that hold them.
enum class Kind { Documents, Questions, Excerpts };

// What a row depends on besides its position.
// Where the names of things come from.
enum class Names { Real, Invented, Mixed };  // mixed: in turn

struct Plan {
  std::vector<const Family*> families;
  std::vector<Level> levels;
  Split split = Split::Train;
  Kind kind = Kind::Documents;
  Names names = Names::Real;
  uint64_t seed = 1;
  double without_result = 0.15;
  double with_repair = 0.10;
};

// Which draw of which row. A rejected draw is followed by the next attempt at the same row.
struct Position {
  int64_t row = 0;
  int64_t attempt = 0;
};

struct Row {
  std::string question;
  Json json;  // docs/formats.md: documents.jsonl, questions.jsonl, excerpts.jsonl
};

struct Attempt {
  std::optional<Row> row;
  std::string rejection;  // id of the failed check, or the solver's outcome, when there is no row
};

// Families, variants and levels come in turn by `position.row`, so that any range of rows is
// balanced. Depends on its arguments alone; may run on several threads. Throws Environment when the
// solver breaks down, Failed when it finds no answer in an hour.
Attempt make_row(const Plan& plan, const Position& position);

// The same up to the checks, for tests: the problem, or the finding that rejects it. `problem` is
// complete when there is no finding.
struct Draft {
  Problem problem;
  std::optional<Finding> finding;
};
Draft draft_problem(const InstanceRequest& request, Rng& data, Rng& wording);

}  // namespace trex::orgen
