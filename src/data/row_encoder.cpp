#include "data/row_encoder.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "tokenizer/chat.h"
#include "tokenizer/chat_tokens.h"

namespace trex::data {
namespace {

int32_t find_end_token(const TokenizeSettings& settings, const tokenizer::Tokenizer& tokenizer) {
  if (settings.mode == "chat")
    tokenizer::check_chat_tokens(tokenizer, settings.tokenizer->string());
  const auto id = tokenizer.added_id(tokenizer::kEndOfSentence);
  if (!id) {
    throw input_error(settings.tokenizer->string(), "added_tokens",
                      in_quotes(tokenizer::kEndOfSentence), "no such token");
  }
  return *id;
}

}  // namespace

RowEncoder::RowEncoder(const TokenizeSettings& settings, const tokenizer::Tokenizer& tokenizer)
    : settings_(settings),
      encoder_(tokenizer),
      field_(settings.field.value_or(settings.mode == "chat" ? "messages" : "text")),
      tools_template_(settings.tools_template
                          ? tokenizer::read_tools_template(*settings.tools_template)
                          : std::string()),
      end_of_sentence_(find_end_token(settings, tokenizer)) {}

EncodedRow RowEncoder::encode(const JsonObject& row) {
  return settings_.mode == "chat" ? encode_chat(row) : encode_text(row);
}

// Added tokens in a text are characters: a document cannot pretend to be a conversation.
EncodedRow RowEncoder::encode_text(const JsonObject& row) {
  EncodedRow encoded;
  auto ids = encoder_.encode(row.string(field_), tokenizer::AddedTokens::AsText);
  ids.push_back(end_of_sentence_);
  const auto size = static_cast<int64_t>(ids.size());
  const int64_t longest = settings_.max_length.value_or(size);
  if (size > longest && settings_.too_long == "drop") {
    encoded.dropped_too_long = 1;
    return encoded;
  }
  for (int64_t begin = 0; begin < size; begin += longest) {
    const int64_t end = std::min(begin + longest, size);
    encoded.documents.push_back({.tokens = {ids.begin() + begin, ids.begin() + end}});
  }
  return encoded;
}

EncodedRow RowEncoder::encode_chat(const JsonObject& row) {
  EncodedRow encoded;
  const auto messages = tokenizer::parse_messages(row, field_);
  if (tokenizer::have_tools(messages) && tools_template_.empty()) {
    throw row.error("tools", "no tool definitions", "some",
                    "their wording is part of a checkpoint: set tools_template");
  }
  const bool thinks = std::any_of(messages.begin(), messages.end(), [](const auto& message) {
    return message.reasoning.has_value();
  });
  const tokenizer::ChatOptions options{.thinking = thinks, .tools_template = tools_template_};
  auto chat = tokenizer::encode_chat(encoder_, tokenizer::render_chat(messages, options));
  if (settings_.max_length && static_cast<int64_t>(chat.ids.size()) > *settings_.max_length) {
    encoded.dropped_too_long = 1;
  } else if (std::find(chat.is_answer.begin(), chat.is_answer.end(), 1) == chat.is_answer.end()) {
    encoded.dropped_without_answer = 1;
  } else {
    encoded.documents.push_back({std::move(chat.ids), std::move(chat.is_answer)});
  }
  return encoded;
}

}  // namespace trex::data
