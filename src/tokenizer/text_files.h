// The texts in files of JSON lines.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace trex::tokenizer {

// The .jsonl and .jsonl.zst files among `inputs` and in folders among them, sorted within each
// folder, without metrics.jsonl. Throws Input when an input holds none, Environment when it does
// not exist.
std::vector<Path> jsonl_files(const std::vector<Path>& inputs);

// The strings of a row's fields, in the order of `fields`; of a list of messages every content and
// reasoning_content. Throws Input when the row has none of the fields or one is of another kind.
std::vector<std::string> texts_of(const JsonObject& row, const std::vector<std::string>& fields);

}  // namespace trex::tokenizer
