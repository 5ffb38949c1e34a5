// The training loop's one step, for CPT and SFT alike: which tokens have a loss is in the targets.
#pragma once

#include <torch/types.h>

#include <functional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "model/config.h"
#include "model/losses.h"
#include "model/parameters.h"
#include "train/adamw.h"
#include "train/gradient_norm.h"
#include "train/model_flops.h"
#include "train/router_bias.h"
#include "train/schedule.h"
#include "train/train_settings.h"
#include "train/trained_parameters.h"
#include "train/window.h"

namespace trex::train {

// Forward pass with all losses; the trainer calls backward() on the total.
using LossFunction = std::function<model::Losses(const model::Parameters&, const model::Batch&,
                                                 const model::LossOptions&)>;

struct SourceLoss {
  double sum = 0;  // of next-token losses
  int64_t targets = 0;
};

// What one step did. Losses are means over the valid tokens of the whole step.
struct StepReport {
  int64_t step = 0;  // steps done, this one included
  double loss = 0;   // total: next_token + weights * (mtp, indexer, balance)
  double next_token = 0, mtp = 0, indexer = 0, balance = 0;
  std::vector<SourceLoss> sources;  // by index of the source
  GradientNorm grad_norm;           // before clipping
  double clip_factor = 1;
  double learning_rate = 0;
  int64_t tokens = 0;   // padding left out
  int64_t targets = 0;  // tokens with a next-token loss; 0: the update was skipped
  double flops = 0;     // model operations of these tokens (deepseek-v4 6.2)
  LoadBalance load;
  double data_seconds = 0, model_seconds = 0, optimizer_seconds = 0;

  double seconds() const { return data_seconds + model_seconds + optimizer_seconds; }
};

class Trainer {
 public:
  struct Parts {
    const TrainSettings& settings;
    const model::ModelConfig& config;
    const model::Parameters& values;  // initial weights in float32 or float64
    torch::Dtype dtype;               // of the model's arithmetic
    RowSource next_row;
    int64_t num_steps;
    LossFunction compute_losses;
    const Clock& clock;  // must outlive the trainer
  };

  // Throws Input when the schedule does not fit the number of steps.
  explicit Trainer(Parts parts);
  Trainer(const Trainer&) = delete;  // the optimizer refers to the parameters
  Trainer& operator=(const Trainer&) = delete;

  // One optimizer step. The loss is a mean over the valid tokens of all its micro batches, so
  // splitting a step differently does not change the gradient. Throws Failed when loss or gradient
  // is not finite; the weights are then unchanged.
  StepReport step();

  // Mean next-token loss over the next `rows` rows of another data set, without a gradient.
  double evaluate(const RowSource& next_row, int64_t rows) const;

  int64_t steps_done() const { return steps_done_; }
  int64_t num_steps() const { return num_steps_; }
  const model::ModelConfig& config() const { return config_; }
  TrainedParameters& parameters() { return parameters_; }
  const TrainedParameters& parameters() const { return parameters_; }
  AdamW& optimizer() { return optimizer_; }
  const AdamW& optimizer() const { return optimizer_; }

  // Goes on as if `steps_done` steps had been made. Weights, moments and the position in the data
  // are the caller's to restore.
  void resume_at(int64_t steps_done) { steps_done_ = steps_done; }

 private:
  // What one micro batch adds to the step.
  struct Part {
    double flops = 0;
    double loss = 0, next_token = 0, mtp = 0, indexer = 0, balance = 0;
    std::vector<SourceLoss> sources;
    torch::Tensor expert_load_LE;  // undefined when the micro batch did not run
  };

  void compute_gradients(const Window& window, StepReport& report);
  Part backward(const MicroBatch& micro_batch, const Window& window, GradientLane& lane) const;
  std::vector<SourceLoss> source_losses(const MicroBatch& micro_batch,
                                        const torch::Tensor& token_loss_BS) const;
  void add(const Part& part, StepReport& report);

  TrainSettings settings_;
  model::ModelConfig config_;
  model::LossOptions loss_options_;
  LossFunction compute_losses_;
  RowSource next_row_;
  Schedule schedule_;
  TrainedParameters parameters_;
  AdamW optimizer_;
  ModelFlops flops_;
  const Clock& clock_;
  int64_t num_steps_;
  int64_t steps_done_ = 0;
  torch::Tensor expert_load_LE_;  // int64, of the current step
};

// Whether the optimizer moves this tensor under these settings (deepseek-v4 3.11 mode A, 5.1).
bool is_trained(std::string_view name, const TrainSettings& settings);

}  // namespace trex::train
