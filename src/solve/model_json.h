// A model as JSON (docs/formats.md, "Model"): what trex stores, sends and lets people write by
// hand.
#pragma once

#include <string>

#include "base/files.h"
#include "base/json.h"
#include "solve/model.h"

namespace trex::solve {

// Throws Input naming file and field: an unknown key, a term that names no column, and all that
// validate refuses. Reading what was written gives the same model, to the last bit.
Model model_from_json(const Json& json, const std::string& where);
Json to_json(const Model& model);

// By the ending of the name: .mps or .json, with or without .zst behind it.
Model read_model(const Path& path);

}  // namespace trex::solve
