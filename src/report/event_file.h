// TensorBoard event files with scalar curves.
//
// A file is a sequence of records: length (8 bytes), masked CRC-32C of the length (4), an `Event`
// protocol buffer, masked CRC-32C of it (4); integers little-endian. Only the fields that scalars
// need are written, by hand.
#pragma once

#include <fstream>
#include <string>

#include "base/files.h"
#include "base/metrics.h"

namespace trex::report {

// One curve point a metric, grouped by step. One writer at a time; not thread-safe.
class EventFile {
 public:
  // A new file in `folder` (made if missing), whose name sorts behind those already there. A run
  // that resumes opens another one: TensorBoard then drops what the first one wrote beyond the
  // step at which the second begins. `unix_seconds` is the time of day. Throws Environment.
  static EventFile create(const Path& folder, double unix_seconds);

  // Appends the values at `step` and hands them to the system, so that a killed run loses none.
  // Non-finite values are kept: TensorBoard marks them. Throws Environment.
  void scalars(int64_t step, double unix_seconds, const Metrics& values);

  const Path& path() const { return path_; }

 private:
  EventFile(Path path, std::ofstream out) : path_(std::move(path)), out_(std::move(out)) {}
  void append(const std::string& event);

  Path path_;
  std::ofstream out_;
};

}  // namespace trex::report
