// What a run begins with, made from its settings.
#pragma once

#include <cstdint>

#include "data/loader.h"
#include "model/config.h"
#include "train/train_settings.h"

namespace trex::train {

// Optimizer steps: settings.steps, or settings.tokens in whole steps. Throws Input unless exactly
// one of them is given.
int64_t num_steps_of(const TrainSettings& settings);

// The configuration of init_from, or a new one from [model] with the vocabulary of the data and the
// special tokens of the tokenizer. Throws Input when the data's vocabulary is larger than the
// model's, or a row longer than its longest context.
model::ModelConfig model_config_of(const TrainSettings& settings, int64_t vocab_size);

}  // namespace trex::train
