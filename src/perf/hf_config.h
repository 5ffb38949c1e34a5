// A model's sizes from a Hugging Face config.json.
#pragma once

#include "base/files.h"
#include "base/json.h"
#include "perf/model_spec.h"

namespace trex::perf {

// `path` is the file or the folder that holds it. Understands the Llama, Qwen, Mistral and Mixtral
// families, gpt-oss, DeepSeek-V2/V3 (MLA) and DeepSeek-V4 (compress_ratios, or layer_types).
// Throws Input naming the key that is missing or contradicts another.
ModelSpec model_from_hf_config(const Path& path);
ModelSpec model_from_hf_json(const JsonObject& config, const std::string& name);

}  // namespace trex::perf
