// What a training run does: CPT and SFT differ in their data and in these values alone.
// Plain data without LibTorch, so that a recipe can be checked without it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "data/loader_settings.h"
#include "train/model_settings.h"

namespace trex::train {

// AdamW (deepseek-v4 5.1). Norms, biases, sinks and everything of mHC are never decayed.
struct OptimizerSettings {
  double beta1 = 0.9;
  double beta2 = 0.95;
  double eps = 1e-8;
  double weight_decay = 0.1;

  template <class Visitor>
  void describe(Visitor&& visit) {
    visit("beta1", beta1, "AdamW: decay of the mean gradient.", config::in_range(0, 0.9999));
    visit("beta2", beta2, "AdamW: decay of the mean squared gradient.",
          config::in_range(0, 0.999999));
    visit("eps", eps, "AdamW: added to the root of the mean squared gradient.", config::above(0));
    visit("weight_decay", weight_decay,
          "AdamW: decay of matrices per unit of learning rate; norms, biases, sinks and "
          "hyper-connections are never decayed.",
          config::at_least(0));
  }
};

struct ScheduleSettings {
  std::string kind = "cosine";
  double learning_rate = 1e-3;
  double final_learning_rate = 0;
  int64_t warmup_steps = 0;
  int64_t decay_steps = 0;

  template <class Visitor>
  void describe(Visitor&& visit) {
    visit("kind", kind,
          "Learning rate after warm-up: constant; cosine down to final_learning_rate; wsd, which "
          "is stable and then falls in a straight line over the last decay_steps.",
          config::one_of({"constant", "cosine", "wsd"}));
    visit("learning_rate", learning_rate, "Highest learning rate.", config::in_range(0, 1));
    visit("final_learning_rate", final_learning_rate,
          "Learning rate of the last step (cosine, wsd).", config::in_range(0, 1));
    visit("warmup_steps", warmup_steps, "Steps over which the learning rate rises from 0.",
          config::at_least(0));
    visit("decay_steps", decay_steps, "Steps of the fall at the end (wsd).", config::at_least(0));
  }
};

// What is added to the next-token loss (deepseek-v4 5.3), and what the router does.
struct LossSettings {
  double mtp = 0.3;
  double indexer = 1.0;
  double balance = 1e-4;

  template <class Visitor>
  void describe(Visitor&& visit) {
    visit("mtp", mtp, "Weight of the multi-token-prediction loss; 0 freezes the MTP block.",
          config::at_least(0));
    visit("indexer", indexer,
          "Weight of the lightning indexer's KL loss; 0 freezes the indexer, which no other loss "
          "reaches.",
          config::at_least(0));
    visit("balance", balance, "Weight of the expert balance loss within a sequence.",
          config::at_least(0));
  }
};

struct TrainSettings {
  std::optional<Path> init_from;
  ModelSettings model;
  config::Required<Path> tokenizer;
  data::LoaderSettings data;
  std::vector<Path> eval_sources;
  int64_t eval_every = 100;
  int64_t eval_rows = 16;
  int64_t seq_len = 512;
  int64_t micro_batch = 8;
  int64_t accumulation = 1;
  int64_t parallel_micro_batches = 1;
  std::optional<int64_t> steps;
  std::optional<int64_t> tokens;
  std::string dtype = "bfloat16";
  OptimizerSettings optimizer;
  ScheduleSettings schedule;
  double max_grad_norm = 1.0;
  LossSettings loss;
  double router_bias_speed = 0.001;
  bool train_router = true;
  int64_t checkpoint_every = 100;
  int64_t keep_last = 2;
  int64_t log_every = 1;
  std::optional<int64_t> threads;
  std::optional<double> peak_gflops;
  int64_t seed = 0;

  template <class Visitor>
  void describe(Visitor&& visit) {
    using config::above, config::at_least, config::in_range, config::one_of;
    visit("init_from", init_from,
          "Folder of a checkpoint whose model is trained on; auto: a new model from [model].");
    visit("model", model, "Architecture of a new model; not used with init_from.");
    visit("tokenizer", tokenizer, "tokenizer.json that made the data; copied into checkpoints.");
    visit("data", data, "Training data.");
    visit("eval_sources", eval_sources,
          "Held-out token shards whose loss is measured during training; empty: none.");
    visit("eval_every", eval_every, "Steps between two measurements on eval_sources.", at_least(1));
    visit("eval_rows", eval_rows, "Rows of eval_sources that a measurement uses.", at_least(1));
    visit("seq_len", seq_len, "Tokens in one row.", in_range(2, 1 << 20));
    visit("micro_batch", micro_batch, "Rows in one forward pass.", in_range(1, 1 << 16));
    visit("accumulation", accumulation, "Micro batches in one step.", in_range(1, 1 << 16));
    visit("parallel_micro_batches", parallel_micro_batches,
          "Micro batches computed at the same time, each with its share of the threads: on small "
          "models faster than many threads in one.",
          in_range(1, 256));
    visit("steps", steps,
          "Optimizer steps; 0 writes the untrained model; auto: as many as tokens needs.",
          at_least(0));
    visit("tokens", tokens, "Budget in tokens, rounded up to whole steps; auto: steps counts.",
          at_least(1));
    visit("dtype", dtype, "Type of the model's arithmetic; bfloat16 keeps float32 master weights.",
          one_of({"float32", "bfloat16"}));
    visit("optimizer", optimizer, "AdamW.");
    visit("schedule", schedule, "Learning rate.");
    visit("max_grad_norm", max_grad_norm, "Gradients with a larger global norm are scaled down.",
          above(0));
    visit("loss", loss, "Weights of the losses.");
    visit("router_bias_speed", router_bias_speed,
          "Change of each expert's routing bias in one step, towards equal load.", at_least(0));
    visit("train_router", train_router, "Whether router weights and biases are trained.");
    visit("checkpoint_every", checkpoint_every, "Steps between two checkpoints.", at_least(1));
    visit("keep_last", keep_last, "Newest checkpoints that are kept.", at_least(1));
    visit("log_every", log_every, "Steps between two lines of metrics.", at_least(1));
    visit("threads", threads, "Threads of the arithmetic; auto: all cores.", in_range(1, 1024));
    visit(
        "peak_gflops", peak_gflops,
        "Peak of the machine for MFU in GFLOP/s; auto: a large matrix product, measured at start.",
        above(0));
    visit("seed", seed, "Seed of initial weights and of the order of the data.", at_least(0));
  }
};

}  // namespace trex::train
