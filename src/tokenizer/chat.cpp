#include "tokenizer/chat.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/error.h"
#include "base/text.h"
#include "tokenizer/chat_tokens.h"

namespace trex::tokenizer {
namespace {

// As Python's json.dumps(ensure_ascii=False) writes it: ", " and ": " between parts.
std::string spaced_json(const Json& value) {
  std::vector<std::string> parts;
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      parts.push_back(Json(key).dump() + ": " + spaced_json(member));
    }
    return "{" + joined(parts, ", ") + "}";
  }
  if (value.is_array()) {
    for (const Json& item : value) parts.push_back(spaced_json(item));
    return "[" + joined(parts, ", ") + "]";
  }
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string tool_call_text(const ToolCall& call) {
  std::vector<std::string> parameters;
  for (const auto& [name, value] : call.arguments.items()) {
    parameters.push_back(fmt::format(
        "<{0}parameter name=\"{1}\" string=\"{2}\">{3}</{0}parameter>", kDsml, name,
        value.is_string(), value.is_string() ? value.get<std::string>() : spaced_json(value)));
  }
  return fmt::format("<{0}invoke name=\"{1}\">\n{2}\n</{0}invoke>", kDsml, call.name,
                     joined(parameters, "\n"));
}

std::string tool_calls_text(const std::vector<ToolCall>& calls) {
  if (calls.empty()) return "";
  std::vector<std::string> texts;
  for (const ToolCall& call : calls) texts.push_back(tool_call_text(call));
  return fmt::format("\n\n<{0}tool_calls>\n{1}\n</{0}tool_calls>", kDsml, joined(texts, "\n"));
}

// The content of a system or developer message, and what its tools are told with.
std::string instructions(const Message& message, const ChatOptions& options) {
  if (message.tools.empty()) return message.content;
  const size_t place = options.tools_template.find(kToolsPlace);
  TREX_CHECK(place != std::string::npos, "no {} in the template", kToolsPlace);
  std::vector<std::string> schemas;
  for (const Json& tool : message.tools) schemas.push_back(spaced_json(tool));
  std::string text = options.tools_template;
  text.replace(place, kToolsPlace.size(), joined(schemas, "\n"));
  return message.content + "\n\n" + text;
}

// Puts the tool results that follow an assistant's calls into the order of the calls.
void order_results(std::vector<Message>& messages) {
  for (size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].tool_calls.empty()) continue;
    const auto& calls = messages[i].tool_calls;
    const auto place = [&calls](const Message& result) {
      return std::find_if(calls.begin(), calls.end(),
                          [&](const ToolCall& call) { return call.id == result.tool_call_id; });
    };
    const auto first = messages.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    const auto last =
        std::find_if(first, messages.end(), [](const Message& m) { return m.role != Role::Tool; });
    std::stable_sort(first, last,
                     [&](const Message& a, const Message& b) { return place(a) < place(b); });
  }
}

// Tool results become blocks of a user message; neighbouring user messages become one.
std::vector<Message> merge_users(std::vector<Message> messages) {
  order_results(messages);
  std::vector<Message> merged;
  for (Message& message : messages) {
    if (message.role == Role::Tool) {
      message.role = Role::User;
      message.content = "<tool_result>" + message.content + "</tool_result>";
    }
    const bool continues = message.role == Role::User && !merged.empty() &&
                           merged.back().role == Role::User && merged.back().task.empty();
    if (continues) {
      merged.back().content += "\n\n" + message.content;
      merged.back().task = message.task;
    } else {
      merged.push_back(std::move(message));
    }
  }
  return merged;
}

bool asks(const Message& message) {
  return message.role == Role::User || message.role == Role::Developer;
}

size_t last_question(const std::vector<Message>& messages) {
  size_t last = 0;
  for (size_t i = 0; i < messages.size(); ++i) {
    if (asks(messages[i])) last = i;
  }
  return last;
}

void drop_thinking(std::vector<Message>& messages) {
  const size_t last = last_question(messages);
  std::vector<Message> kept;
  for (size_t i = 0; i < messages.size(); ++i) {
    if (i < last && messages[i].role == Role::Developer) continue;
    if (i < last) messages[i].reasoning.reset();
    kept.push_back(std::move(messages[i]));
  }
  messages = std::move(kept);
}

// What follows a question: the assistant's marker, its think tag, a task's token.
std::string prompt_after(const std::vector<Message>& messages, size_t i,
                         const ChatOptions& options) {
  const std::string& task = messages[i].task;
  if (!task.empty() && task != "action") return fmt::format("<｜{}｜>", task);
  const bool is_last = i + 1 == messages.size();
  if (!is_last && messages[i + 1].role != Role::Assistant) return "";
  const bool thinks =
      options.thinking && task.empty() && (is_last || messages[i + 1].reasoning.has_value());
  std::string text(kAssistant);
  text += thinks ? kThinkOpen : kThinkClose;
  if (!task.empty()) text += fmt::format("<｜{}｜>", task);
  return text;
}

std::string answer_text(const Message& message, bool thinks) {
  std::string text;
  if (thinks && message.reasoning) text += *message.reasoning + std::string(kThinkClose);
  text += message.content + tool_calls_text(message.tool_calls);
  if (!message.without_end) text += kEndOfSentence;
  return text;
}

void add(std::vector<ChatPart>& parts, std::string text, bool is_answer) {
  if (text.empty()) return;
  if (!parts.empty() && parts.back().is_answer == is_answer) {
    parts.back().text += text;
  } else {
    parts.push_back({std::move(text), is_answer});
  }
}

}  // namespace

std::string read_tools_template(const Path& file) {
  std::string text = read_file(file);
  if (text.find(kToolsPlace) == std::string::npos) {
    throw input_error(file.string(), "", in_quotes(kToolsPlace) + " where the schemas belong",
                      "none");
  }
  return text;
}

std::vector<ChatPart> render_chat(const std::vector<Message>& given, const ChatOptions& options) {
  std::vector<Message> messages = merge_users(given);
  if (options.drop_thinking && !have_tools(messages)) drop_thinking(messages);
  std::vector<ChatPart> parts;
  add(parts, std::string(kBeginOfSentence), false);
  for (size_t i = 0; i < messages.size(); ++i) {
    const Message& message = messages[i];
    switch (message.role) {
      case Role::System:
        add(parts, instructions(message, options), false);
        break;
      case Role::LatestReminder:
        add(parts, std::string(kLatestReminder) + message.content, false);
        break;
      case Role::Assistant: {
        const bool after_task = i > 0 && !messages[i - 1].task.empty();
        add(parts, answer_text(message, options.thinking && !after_task), true);
        break;
      }
      default:
        add(parts,
            std::string(kUser) + instructions(message, options) +
                prompt_after(messages, i, options),
            false);
    }
  }
  return parts;
}

std::string chat_text(const std::vector<ChatPart>& parts) {
  std::string text;
  for (const ChatPart& part : parts) text += part.text;
  return text;
}

void check_chat_tokens(const Tokenizer& tokenizer, const std::string& where) {
  for (const std::string_view token :
       {kBeginOfSentence, kEndOfSentence, kUser, kAssistant, kThinkOpen, kThinkClose}) {
    if (!tokenizer.added_id(token)) {
      throw input_error(where, "added_tokens", in_quotes(token), "no such token",
                        "the chat encoding of DeepSeek-V4 needs it");
    }
  }
}

EncodedChat encode_chat(Encoder& encoder, const std::vector<ChatPart>& parts) {
  EncodedChat encoded;
  for (const ChatPart& part : parts) {
    encoder.encode(part.text, encoded.ids);
    encoded.is_answer.resize(encoded.ids.size(), part.is_answer ? 1 : 0);
  }
  return encoded;
}

}  // namespace trex::tokenizer
