#include "base/metrics.h"

#include <cmath>

#include "base/json.h"

namespace trex {

MetricsWriter::MetricsWriter(const Path& path, const Clock& clock)
    : journal_(Journal::open(path)), stopwatch_(clock) {}

void MetricsWriter::write(int64_t step, const Metrics& metrics) {
  Json line{{"step", step}, {"seconds", stopwatch_.seconds()}};
  for (const auto& [name, value] : metrics) {
    line[name] = std::isfinite(value) ? Json(value) : Json(nullptr);
  }
  journal_.append(to_line(line));
}

void truncate_metrics(const Path& path, int64_t last_step) {
  if (!std::filesystem::exists(path)) return;
  (void)Journal::open(path);  // cuts a torn last line
  std::string kept;
  LineReader lines(path);
  while (const auto line = lines.next()) {
    if (line->object().integer("step") <= last_step) kept += line->text + "\n";
  }
  write_file(path, kept);
}

}  // namespace trex
