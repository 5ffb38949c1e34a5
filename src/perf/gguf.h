// A model's sizes from the header of a GGUF file (llama.cpp).
#pragma once

#include "base/files.h"
#include "perf/model_spec.h"

namespace trex::perf {

// Reads the metadata only. Throws Input for a file that is not GGUF, is cut short, or lacks a key.
ModelSpec model_from_gguf(const Path& path);

}  // namespace trex::perf
