#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "tokenizer/chat.h"

namespace trex::tokenizer {
namespace {

constexpr std::array<std::pair<std::string_view, Role>, 6> kRoles{
    {{"system", Role::System},
     {"user", Role::User},
     {"developer", Role::Developer},
     {"latest_reminder", Role::LatestReminder},
     {"assistant", Role::Assistant},
     {"tool", Role::Tool}}};

const std::vector<std::string> kTasks{"action", "query", "authority",
                                      "domain", "title", "read_url"};

Role parse_role(const JsonObject& message) {
  const std::string word = message.string("role");
  std::vector<std::string> words;
  for (const auto& [name, role] : kRoles) {
    if (name == word) return role;
    words.emplace_back(name);
  }
  throw message.error("role", "one of " + listed(words), in_quotes(word),
                      did_you_mean(word, words));
}

// A member that may be missing or null.
std::optional<std::string> optional_string(const JsonObject& object, const char* key) {
  if (!object.has(key) || object.json().at(key).is_null()) return std::nullopt;
  return object.string(key);
}

ToolCall parse_tool_call(const JsonObject& call) {
  const JsonObject function = call.object("function");
  ToolCall parsed{.id = call.string_or("id", ""), .name = function.string("name")};
  if (function.has("arguments") && function.json().at("arguments").is_object()) {
    parsed.arguments = function.json().at("arguments");
    return parsed;
  }
  parsed.arguments = parse_json(function.string("arguments"), function.where());
  if (!parsed.arguments.is_object()) {
    throw function.error("arguments", "a JSON object", json_kind(parsed.arguments));
  }
  return parsed;
}

std::vector<Json> parse_tools(const JsonObject& object) {
  std::vector<Json> functions;
  if (!object.has("tools") || object.json().at("tools").is_null()) return functions;
  for (const JsonObject& tool : object.objects("tools")) {
    const JsonObject function = tool.object("function");
    function.string("name");
    functions.push_back(function.json());
  }
  return functions;
}

Message parse_message(const JsonObject& object) {
  Message message{.role = parse_role(object)};
  const bool is_assistant = message.role == Role::Assistant;
  if (message.role == Role::System || message.role == Role::Developer) {
    message.tools = parse_tools(object);
  } else if (object.has("tools")) {
    throw object.error("tools", "tools of a system or developer message only",
                       in_quotes(object.string("role")));
  }
  if (is_assistant) {
    message.reasoning = optional_string(object, "reasoning_content");
    message.without_end = object.boolean_or("wo_eos", false);
    if (object.has("tool_calls") && !object.json().at("tool_calls").is_null()) {
      for (const JsonObject& call : object.objects("tool_calls")) {
        message.tool_calls.push_back(parse_tool_call(call));
      }
    }
  }
  // An answer may be tool calls alone.
  message.content = message.tool_calls.empty() ? object.string("content")
                                               : optional_string(object, "content").value_or("");
  if (message.role == Role::Tool) message.tool_call_id = object.string_or("tool_call_id", "");
  if (const auto task = optional_string(object, "task")) {
    if (std::find(kTasks.begin(), kTasks.end(), *task) == kTasks.end()) {
      throw object.error("task", "one of " + listed(kTasks), in_quotes(*task),
                         did_you_mean(*task, kTasks));
    }
    message.task = *task;
  }
  return message;
}

}  // namespace

std::vector<Message> parse_messages(const JsonObject& row, const std::string& field) {
  std::vector<Message> messages;
  for (const JsonObject& object : row.objects(field)) messages.push_back(parse_message(object));
  if (messages.empty()) throw row.error(field, "at least one message", "none");
  if (auto tools = parse_tools(row); !tools.empty()) {
    auto system = std::find_if(messages.begin(), messages.end(),
                               [](const Message& m) { return m.role == Role::System; });
    if (system == messages.end()) system = messages.insert(messages.begin(), {Role::System});
    system->tools.insert(system->tools.end(), tools.begin(), tools.end());
  }
  return messages;
}

bool have_tools(const std::vector<Message>& messages) {
  return std::any_of(messages.begin(), messages.end(),
                     [](const Message& message) { return !message.tools.empty(); });
}

}  // namespace trex::tokenizer
