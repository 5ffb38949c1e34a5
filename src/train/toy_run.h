// A whole training run for tests: two sources of data, a tokenizer and settings in a folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/progress.h"
#include "data/token_shard.h"
#include "train/run.h"
#include "train/toy.h"

namespace trex::train {

class ToyRun {
 public:
  ToyRun() {
    write_shard("digits", 3, 20);
    write_shard("words", 11, 12);
    write_shard("held_out", 5, 4);
    write_file(folder_.path() / "tokenizer.json",
               Json{{"added_tokens",
                     {{{"id", 2}, {"content", "<｜begin▁of▁sentence｜>"}},
                      {{"id", 3}, {"content", "<｜end▁of▁sentence｜>"}}}}}
                   .dump());
    settings.model.config = toy_config();
    settings.tokenizer = {.value = folder_.path() / "tokenizer.json", .is_set = true};
    settings.data.sources = {path("digits.tokens"), path("words.tokens")};
    settings.data.weights = {2, 1};
    settings.seq_len = 24;
    settings.micro_batch = 2;
    settings.accumulation = 2;
    settings.steps = 12;
    settings.schedule = {.kind = "cosine", .learning_rate = 1e-2, .warmup_steps = 2};
    settings.checkpoint_every = 3;
    settings.threads = 1;
    settings.peak_gflops = 100;
  }

  // Documents that count upwards in steps of `stride`.
  void write_shard(const std::string& name, int32_t stride, int num_documents) const {
    data::TokenShardWriter writer(64, /*has_labels=*/false);
    for (int32_t document = 0; document < num_documents; ++document) {
      std::vector<int32_t> tokens;
      for (int32_t i = 0; i < 10 + document % 7; ++i)
        tokens.push_back((document + i * stride) % 64);
      writer.add(tokens);
    }
    writer.write(path(name + ".tokens"), {{"source", "test"}});
  }

  Path path(const std::string& name) const { return folder_.path() / name; }

  // Asks to stop as soon as `stop_after` steps have been made in this call.
  RunSummary train(const std::string& out, int64_t stop_after = 1'000'000) const {
    NoProgress progress;
    int64_t steps = 0;
    return run_training(settings, path(out),
                        {.clock = clock_,
                         .unix_seconds = [] { return 1.7e9; },
                         .progress = progress,
                         .stop_requested = [&] { return ++steps >= stop_after; }});
  }

  // metrics.jsonl without what depends on the clock.
  std::vector<std::string> metrics(const std::string& out) const {
    std::vector<std::string> lines;
    LineReader reader(path(out) / "metrics.jsonl");
    while (const auto line = reader.next()) {
      Json kept = Json::object();
      for (const auto& [key, value] : line->value.items()) {
        const bool is_timing = key.find("seconds") != key.npos || key.ends_with("_per_second") ||
                               key == "gflops" || key == "mfu";
        if (!is_timing) kept[key] = value;
      }
      lines.push_back(to_line(kept));
    }
    return lines;
  }

  TrainSettings settings;

 private:
  TemporaryFolder folder_;
  SystemClock clock_;
};

}  // namespace trex::train
