// Hugging Face `tokenizer.json`, the part of the format that DeepSeek's tokenizers use: model BPE,
// pre_tokenizer Sequence of Split (Regex, Isolated) and ByteLevel, no normalizer.
#pragma once

#include <string>
#include <string_view>

#include "tokenizer/tokenizer.h"

namespace trex::tokenizer {

// Throws Input naming `where` and the field: not JSON, a part of another kind than those above,
// an id used twice or missing, a merge of unknown tokens.
Definition parse_tokenizer_json(std::string_view text, const std::string& where);

// A file that parse_tokenizer_json and the `tokenizers` package read to the same tokenizer. The
// vocabulary lists the ids before those that are added tokens alone.
std::string tokenizer_json(const Definition& definition);

}  // namespace trex::tokenizer
