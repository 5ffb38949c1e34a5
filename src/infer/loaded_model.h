// A checkpoint folder ready to write text: config.json, weights, tokenizer.json.
#pragma once

#include "base/files.h"
#include "model/config.h"
#include "model/parameters.h"
#include "tokenizer/tokenizer.h"

namespace trex::infer {

struct LoadedModel {
  model::ModelConfig config;
  model::Parameters parameters;  // float32
  tokenizer::Tokenizer tokenizer;
};

// Throws Input when a file is missing or damaged, or when the tokenizer has more tokens than the
// model.
LoadedModel load_model(const Path& folder);

// Threads of the arithmetic, for the whole process. Replies depend on the number in their last
// bits.
void use_threads(int count);

}  // namespace trex::infer
