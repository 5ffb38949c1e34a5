#include "train/run.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "train/toy_run.h"

namespace trex::train {
namespace {

using testing::AllOf;
using testing::HasSubstr;

void expect_refusal(const ToyRun& run, const std::string& out, const std::string& part) {
  EXPECT_THAT([&] { run.train(out); }, testing::ThrowsMessage<Error>(HasSubstr(part)));
}

TEST(TrainingRun, EndsWithAModelThatLoadsAndLearnt) {
  ToyRun run;
  run.settings.model.config = shallow_toy_config();
  run.settings.steps = 40;
  run.settings.eval_sources = {run.path("held_out.tokens")};
  run.settings.eval_every = 20;
  const RunSummary summary = run.train("out");
  EXPECT_TRUE(summary.is_finished());
  EXPECT_EQ(summary.checkpoint, run.path("out") / "final");
  EXPECT_TRUE(is_done(summary.checkpoint));
  const model::ModelConfig config = model::read_config(summary.checkpoint / "config.json");
  EXPECT_EQ(config.bos_token_id, 2);
  EXPECT_EQ(config.eos_token_id, 3);
  EXPECT_NO_THROW(model::load_parameters(config, summary.checkpoint, torch::kFloat));
  EXPECT_EQ(read_file(summary.checkpoint / "tokenizer.json"),
            read_file(run.path("tokenizer.json")));

  const auto lines = run.metrics("out");
  ASSERT_EQ(lines.size(), 40u);
  const Json first = parse_json(lines.front(), "first"), last = parse_json(lines.back(), "last");
  EXPECT_LT(last["next_token_loss"].get<double>(), 0.8 * first["next_token_loss"].get<double>());
  EXPECT_TRUE(last.contains("eval_loss"));
  EXPECT_FALSE(first.contains("eval_loss"));
  EXPECT_TRUE(last.contains("source_loss/digits") || last.contains("source_loss/words"));
  EXPECT_EQ(last["step"], 40);
}

TEST(TrainingRun, StoppedAndResumedGivesTheBytesOfAnUninterruptedOne) {
  for (const std::string dtype : {"float32", "bfloat16"}) {
    ToyRun run;
    run.settings.dtype = dtype;
    run.train("whole");
    EXPECT_FALSE(run.train("parts", 4).is_finished());
    const RunSummary second = run.train("parts", 3);
    EXPECT_EQ(second.resumed_at, 4);
    EXPECT_EQ(second.steps_done, 7);
    EXPECT_TRUE(run.train("parts").is_finished());
    for (const char* file : {"final/model.safetensors", "step_000012/optimizer.safetensors",
                             "step_000012/trainer.json"}) {
      EXPECT_EQ(read_file(run.path("whole") / file), read_file(run.path("parts") / file)) << file;
    }
    EXPECT_EQ(run.metrics("whole"), run.metrics("parts"));
  }
}

TEST(TrainingRun, AFinishedRunIsLeftAsItIs) {
  ToyRun run;
  run.train("out");
  const std::string before = read_file(run.path("out") / "final" / "model.safetensors");
  const RunSummary again = run.train("out");
  EXPECT_TRUE(again.is_finished());
  EXPECT_EQ(again.resumed_at, 12);
  EXPECT_GT(again.totals.loss, 0);
  EXPECT_EQ(read_file(run.path("out") / "final" / "model.safetensors"), before);
}

TEST(TrainingRun, RefusesToGoOnWithOtherSettings) {
  ToyRun run;
  run.train("out", 3);
  const TrainSettings same = run.settings;
  run.settings.schedule.learning_rate = 2e-2;
  expect_refusal(run, "out",
                 "schedule.learning_rate: expected 0.01 as when the run began; got 0.02");
  run.settings = same;
  run.settings.steps = 13;
  expect_refusal(run, "out", "steps: expected 12 as when the run began; got 13");
  run.settings = same;
  run.settings.model.config.hidden_size = 64;
  expect_refusal(run, "out", "model.hidden_size: expected 32 as when the run began; got 64");
  run.settings = same;
  write_file(run.path("tokenizer.json"), read_file(run.path("tokenizer.json")) + " ");
  expect_refusal(run, "out", "tokenizer: expected \"");
}

TEST(TrainingRun, RefusesToGoOnWithOtherData) {
  ToyRun run;
  run.train("out", 3);
  run.write_shard("digits", 9, 20);
  EXPECT_THROW(run.train("out"), Error);
}

TEST(TrainingRun, GoesOnWhenOnlyHowItIsWatchedHasChanged) {
  ToyRun run;
  run.train("out", 3);
  run.settings.log_every = 4;
  run.settings.checkpoint_every = 100;
  run.settings.keep_last = 1;
  EXPECT_TRUE(run.train("out").is_finished());
}

TEST(TrainingRun, BeginsFromAnotherRunsModel) {
  ToyRun run;
  run.settings.model.config = shallow_toy_config();
  run.settings.steps = 40;
  run.train("cpt");
  run.settings.init_from = run.path("cpt") / "final";
  run.settings.steps = 1;
  run.settings.schedule = {.kind = "constant", .learning_rate = 1e-9};
  run.train("sft");
  run.settings.init_from.reset();
  run.train("scratch");
  const auto first_loss = [&](const char* out) {
    return parse_json(run.metrics(out).front(), out)["next_token_loss"].get<double>();
  };
  EXPECT_LT(first_loss("sft"), 0.8 * first_loss("scratch"));
}

TEST(TrainingRun, RefusesADamagedCheckpoint) {
  ToyRun run;
  run.train("out", 3);
  const Path weights = run.path("out") / "step_000003" / "model.safetensors";
  std::string bytes = read_file(weights);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_file(weights, bytes);
  expect_refusal(run, "out", "model.safetensors: expected the bytes that manifest.json describes");
}

TEST(TrainingRun, WithoutStepsItWritesTheInitialModel) {
  ToyRun run;
  run.settings.steps = 0;
  run.settings.seed = 7;
  const RunSummary summary = run.train("out");
  EXPECT_TRUE(summary.is_finished());
  const model::ModelConfig config = model::read_config(summary.checkpoint / "config.json");
  const auto values = model::load_parameters(config, summary.checkpoint, torch::kBFloat16);
  const auto expected = model::make_parameters(config, 7, torch::kBFloat16);
  for (const auto& [name, tensor] : expected.entries()) {
    EXPECT_TRUE(torch::equal(values.at(name), tensor)) << name;
  }
}

TEST(TrainingRun, WantsStepsOrTokens) {
  ToyRun run;
  run.settings.tokens = 1000;
  expect_refusal(run, "out", "steps: expected either steps or tokens; got both");
  run.settings.steps.reset();
  EXPECT_EQ(run.train("out").num_steps, 11);  // 96 tokens a step
  run.settings.tokens.reset();
  expect_refusal(run, "none", "steps: expected either steps or tokens; got neither");
}

TEST(TrainingRun, NamesTheSpecialTokenThatTheTokenizerLacks) {
  ToyRun run;
  write_file(run.path("tokenizer.json"), R"({"added_tokens": []})");
  expect_refusal(run, "out",
                 "added_tokens: expected the token \"<｜begin▁of▁sentence｜>\"; got none");
}

}  // namespace
}  // namespace trex::train
