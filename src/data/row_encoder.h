// One row of JSON lines as the tokens of its documents.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "data/tokenize_settings.h"
#include "tokenizer/tokenizer.h"

namespace trex::data {

struct EncodedDocument {
  std::vector<int32_t> tokens;
  std::vector<uint8_t> labels;  // mode chat
};

struct EncodedRow {
  std::vector<EncodedDocument> documents;  // several when a long one was split
  int64_t dropped_too_long = 0;
  int64_t dropped_without_answer = 0;
};

// One thread's. `settings` and `tokenizer` must outlive it.
class RowEncoder {
 public:
  // Throws Input when the tokenizer lacks a token that the mode needs.
  RowEncoder(const TokenizeSettings& settings, const tokenizer::Tokenizer& tokenizer);

  // Throws Input naming the row and field.
  EncodedRow encode(const JsonObject& row);

 private:
  EncodedRow encode_text(const JsonObject& row);
  EncodedRow encode_chat(const JsonObject& row);

  const TokenizeSettings& settings_;
  tokenizer::Encoder encoder_;
  std::string field_;
  std::string tools_template_;
  int32_t end_of_sentence_;
};

}  // namespace trex::data
