// metrics.jsonl: one line an event with step, time and named numbers, written by every long run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/files.h"

namespace trex {

// Names carry their unit ("tokens_per_second"). A NaN or infinity is written as null.
using Metrics = std::vector<std::pair<std::string, double>>;

// Appends to an existing file, after cutting off a torn last line. `clock` must outlive it.
class MetricsWriter {
 public:
  MetricsWriter(const Path& path, const Clock& clock);

  // {"step":..., "seconds":..., <name>: <value>, ...}; seconds count from construction.
  void write(int64_t step, const Metrics& metrics);

 private:
  Journal journal_;
  Stopwatch stopwatch_;
};

// Drops the lines with a step above `last_step`: what a run wrote after the checkpoint that it
// resumes from. A missing file is no error.
void truncate_metrics(const Path& path, int64_t last_step);

}  // namespace trex
