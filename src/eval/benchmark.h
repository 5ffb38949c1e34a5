// What a benchmark is. One is a file in benchmarks/ that defines a constant Benchmark and registers
// it; asking, running, resuming, scoring and reporting are shared.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/registry.h"
#include "eval/grade.h"

namespace trex::eval {

struct Benchmark {
  std::string_view name;
  std::string_view summary;
  std::string_view licence;
  std::string_view source;

  // A file of rows in this repository and how many there are, for the contract test.
  std::string_view sample;
  int64_t num_sample_items;

  // Items in the order of the files. Throws Input, naming file, line and field.
  std::vector<Item> (*load)(const std::vector<Path>& data);

  // The messages that ask for an answer: [{"role": ..., "content": ...}, ...].
  Json (*prompt)(const Item& item);

  // Deterministic but for the times in it. Throws Environment when there is no sandbox. Safe from
  // several threads.
  Graded (*grade)(const Item& item, std::string_view reply, const GradeLimits& limits);
};

// Throws Input at `where`, naming the nearest benchmark.
const Benchmark& find_benchmark(std::string_view name, const std::string& where);

}  // namespace trex::eval
