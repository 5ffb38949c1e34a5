// Grading all replies of a benchmark, with a record a row that survives kill -9.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/progress.h"
#include "eval/benchmark.h"
#include "eval/replies.h"

namespace trex::eval {

struct EvaluateRequest {
  const Benchmark& benchmark;
  std::span<const Item> items;
  const std::map<std::string, Reply>& replies;  // one for each item
  GradeLimits limits;
  int workers = 1;
  Path records;              // records.jsonl, docs/formats.md
  std::string code_version;  // of the program, for the records
};

struct Evaluation {
  std::vector<Json> records;  // in the order of the items
  int64_t num_graded = 0;     // by this call; the others were on record
  double seconds = 0;         // of this call
};

// Grades what is not on record, on `workers` threads, and appends a record as each is finished.
// A failed request (null reply) is not taken as finished. Throws Input when a record is malformed,
// Environment when there is no sandbox.
Evaluation evaluate(const EvaluateRequest& request, Progress& progress);

// Refuses to mix runs: writes `manifest` to the file, or, when it is there already, throws Input
// naming the first setting that differs.
void check_manifest(const Path& file, const Json& manifest);

}  // namespace trex::eval
