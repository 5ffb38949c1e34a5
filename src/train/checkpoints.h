// The folders of checkpoints that a run leaves behind, safe against kill -9.
//
//   <run>/step_000100/   files, manifest.json with their sizes and checksums, DONE
//   <run>/final/         the same for the finished model
//
// A folder is filled under another name and renamed when it is complete; one without DONE counts as
// absent and is removed by the next run.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/files.h"

namespace trex::train {

class Checkpoints {
 public:
  // `run` is the run's folder. Removes what a killed run left unfinished.
  Checkpoints(Path run, int64_t keep_last);

  // The newest complete checkpoint of a step.
  std::optional<Path> latest() const;

  // Calls `fill` with an empty folder, then writes manifest and DONE, and puts it in place of
  // step_<step> or of `name`. Older step folders beyond keep_last are removed only after that.
  Path write_step(int64_t step, const std::function<void(const Path& folder)>& fill);
  Path write_named(const std::string& name, const std::function<void(const Path& folder)>& fill);

 private:
  std::vector<Path> complete_steps() const;  // oldest first
  void remove_old() const;

  Path run_;
  int64_t keep_last_;
};

// Compares the folder's files with its manifest. Throws Input naming the first file that is
// missing or differs.
void verify_manifest(const Path& folder);

}  // namespace trex::train
