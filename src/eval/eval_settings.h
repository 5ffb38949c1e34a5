// Settings of `trex eval`.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"

namespace trex::eval {

struct EvalSettings {
  config::Required<std::string> benchmark;
  config::Required<std::vector<Path>> data;
  std::optional<int64_t> limit;
  std::optional<Path> replies;
  std::optional<Path> checkpoint;
  int64_t max_new_tokens = 9600;
  std::chrono::milliseconds time_limit{360'000};
  std::optional<int64_t> workers;

  template <class Visitor>
  void describe(Visitor&& visit) {
    using namespace config;
    visit("benchmark", benchmark,
          "Which benchmark: generated (rows of trex data generate) or nl4opt.");
    visit("data", data, "Files of the benchmark's rows, JSON lines.");
    visit("limit", limit, "Ask only the first rows, this many; auto: all.", in_range(1, 1e9));
    visit("replies", replies,
          "Recorded replies to score, JSON lines of id and reply; instead of a checkpoint.");
    visit("checkpoint", checkpoint, "Folder of the model to ask; instead of replies.");
    visit("max_new_tokens", max_new_tokens, "Longest reply of a checkpoint.", in_range(1, 1 << 20));
    visit("time_limit", time_limit, "Wall time of one program; the published harness gives 360 s.",
          in_range(0.1, 86'400));
    visit("workers", workers, "Programs that run at once; auto: one a core.", in_range(1, 1024));
  }
};

}  // namespace trex::eval
