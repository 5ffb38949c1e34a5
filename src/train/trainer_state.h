// What a checkpoint of a training run holds besides the model, and when a run may go on from it.
//
//   config.json, model.safetensors   the model (model/parameters.h)
//   tokenizer.json                   a copy
//   optimizer.safetensors            for each trained tensor NAME: NAME.first_moment,
//                                    NAME.second_moment, and NAME.master for a bfloat16 one
//   trainer.json                     step, position in the data, settings, inputs
#pragma once

#include <cstdint>

#include "base/files.h"
#include "base/json.h"
#include "data/loader.h"
#include "train/run.h"
#include "train/train_settings.h"
#include "train/trainer.h"

namespace trex::train {

// What makes two runs the same run: settings that change results, and the content of the files
// that a run begins with. Kept in trainer.json.
Json run_identity(TrainSettings settings, int64_t num_steps);

// Throws Input naming the first setting that differs between the run in `folder` (a checkpoint) and
// `identity`. A longer run is the same run if its learning rate is constant.
void check_same_run(const Path& folder, const Json& identity);

// The model with its configuration and tokenizer: enough to generate or to start another run.
void save_weights(const Trainer& trainer, const Path& tokenizer, const Path& folder);

// Everything that the run needs to go on with the same bytes.
void save_state(const Trainer& trainer, const data::Loader& loader, const Json& identity,
                const RunTotals& totals, const Path& folder);

// Puts a trainer whose weights were loaded from `folder`, and its data, where they were. Throws
// Input when the files do not fit the model.
RunTotals restore_state(Trainer& trainer, data::Loader& loader, const Path& folder);

}  // namespace trex::train
