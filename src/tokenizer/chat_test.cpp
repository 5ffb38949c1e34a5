// Expected texts are those of deepseek-v4.md 5.5.
#include "tokenizer/chat.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "tokenizer/golden.h"

namespace trex::tokenizer {
namespace {

// Short names of the document: B, E, U, A in brackets.
std::string short_form(std::string text) {
  const std::pair<std::string, std::string> kNames[] = {{"<｜begin▁of▁sentence｜>", "[B]"},
                                                        {"<｜end▁of▁sentence｜>", "[E]"},
                                                        {"<｜User｜>", "[U]"},
                                                        {"<｜Assistant｜>", "[A]"}};
  for (const auto& [token, name] : kNames) {
    for (size_t at = 0; (at = text.find(token, at)) != std::string::npos;) {
      text.replace(at, token.size(), name);
    }
  }
  return text;
}

std::vector<Message> messages_of(const std::string& json) {
  const Json row = parse_json("{\"messages\": " + json + "}", "test");
  return parse_messages(JsonObject(row, "test"));
}

std::string rendered(const std::string& json, const ChatOptions& options) {
  return short_form(chat_text(render_chat(messages_of(json), options)));
}

std::string answers(const std::string& json, const ChatOptions& options) {
  std::string text;
  for (const ChatPart& part : render_chat(messages_of(json), options)) {
    if (part.is_answer) text += "(" + part.text + ")";
  }
  return short_form(text);
}

const std::string kTwoTurns = R"([
  {"role": "system", "content": "S"}, {"role": "user", "content": "x"},
  {"role": "assistant", "reasoning_content": "r1", "content": "y"},
  {"role": "user", "content": "z"},
  {"role": "assistant", "reasoning_content": "r2", "content": "w"}])";

TEST(ChatEncoding, RendersTheDocumentedConversation) {
  EXPECT_EQ(rendered(kTwoTurns, {.thinking = true}),
            "[B]S[U]x[A]</think>y[E][U]z[A]<think>r2</think>w[E]");
  EXPECT_EQ(rendered(kTwoTurns, {.thinking = true, .drop_thinking = false}),
            "[B]S[U]x[A]<think>r1</think>y[E][U]z[A]<think>r2</think>w[E]");
  EXPECT_EQ(rendered(kTwoTurns, {.thinking = false}), "[B]S[U]x[A]</think>y[E][U]z[A]</think>w[E]");
}

TEST(ChatEncoding, LearnsWhatAnAssistantGeneratesAndNothingElse) {
  EXPECT_EQ(answers(kTwoTurns, {.thinking = true}), "(y[E])(r2</think>w[E])");
  EXPECT_EQ(answers(kTwoTurns, {.thinking = true, .drop_thinking = false}),
            "(r1</think>y[E])(r2</think>w[E])");
  EXPECT_EQ(answers(kTwoTurns, {.thinking = false}), "(y[E])(w[E])");
}

TEST(ChatEncoding, EndsWithThePromptWhenAnAnswerIsWanted) {
  const std::string question = R"([{"role": "user", "content": "x"}])";
  EXPECT_EQ(rendered(question, {.thinking = true}), "[B][U]x[A]<think>");
  EXPECT_EQ(rendered(question, {.thinking = false}), "[B][U]x[A]</think>");
}

TEST(ChatEncoding, DropsDeveloperMessagesWithOldReasoning) {
  const std::string chat =
      R"([{"role": "developer", "content": "d"}, {"role": "assistant", "content": "a"},
    {"role": "latest_reminder", "content": "t"}, {"role": "user", "content": "x"}])";
  EXPECT_EQ(rendered(chat, {}), "[B]a[E]<｜latest_reminder｜>t[U]x[A]</think>");
  EXPECT_EQ(rendered(chat, {.drop_thinking = false}),
            "[B][U]d[A]</think>a[E]<｜latest_reminder｜>t[U]x[A]</think>");
}

TEST(ChatEncoding, WritesToolCallsAndTheirResultsInTheOrderOfTheCalls) {
  const std::string chat = R"([{"role": "user", "content": "x"},
    {"role": "assistant", "content": "c", "tool_calls": [
      {"id": "1", "function": {"name": "f", "arguments": "{\"s\": \"é\", \"n\": {\"a\":[1,2],\"b\":null}}"}},
      {"id": "2", "function": {"name": "g", "arguments": {"q": true}}}]},
    {"role": "tool", "tool_call_id": "2", "content": "two"},
    {"role": "tool", "tool_call_id": "1", "content": "one"},
    {"role": "user", "content": "go on"}])";
  EXPECT_EQ(
      rendered(chat, {}),
      "[B][U]x[A]</think>c\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"f\">\n"
      "<｜DSML｜parameter name=\"s\" string=\"true\">é</｜DSML｜parameter>\n"
      "<｜DSML｜parameter name=\"n\" string=\"false\">{\"a\": [1, 2], \"b\": "
      "null}</｜DSML｜parameter>\n"
      "</｜DSML｜invoke>\n<｜DSML｜invoke name=\"g\">\n"
      "<｜DSML｜parameter name=\"q\" string=\"false\">true</｜DSML｜parameter>\n"
      "</｜DSML｜invoke>\n</｜DSML｜tool_calls>[E]"
      "[U]<tool_result>one</tool_result>\n\n<tool_result>two</tool_result>\n\ngo on[A]</think>");
}

std::string rendered_row(const std::string& json, const ChatOptions& options) {
  const Json row = parse_json(json, "test");
  return short_form(chat_text(render_chat(parse_messages(JsonObject(row, "test")), options)));
}

const ChatOptions kWithTools{.tools_template = "# Tools\n{tools}\nUse them."};

TEST(ChatEncoding, ToolsFollowTheSystemTextAsOneSchemaALine) {
  const std::string tools =
      R"("tools": [{"type": "function", "function": {"name": "f", "parameters": {"é":[1,2]}}},
                   {"type": "function", "function": {"name": "g"}}])";
  const std::string told =
      "\n\n# Tools\n{\"name\": \"f\", \"parameters\": {\"é\": [1, 2]}}\n{\"name\": \"g\"}\nUse "
      "them.";
  const std::string question = R"({"role": "user", "content": "x"})";
  // In the message, in the row, and in a row without a system message.
  EXPECT_EQ(rendered_row(R"({"messages": [{"role": "system", "content": "S", )" + tools + "}, " +
                             question + "]}",
                         kWithTools),
            "[B]S" + told + "[U]x[A]</think>");
  EXPECT_EQ(rendered_row("{" + tools + R"(, "messages": [{"role": "system", "content": "S"}, )" +
                             question + "]}",
                         kWithTools),
            "[B]S" + told + "[U]x[A]</think>");
  EXPECT_EQ(rendered_row("{" + tools + R"(, "messages": [)" + question + "]}", kWithTools),
            "[B]" + told + "[U]x[A]</think>");
  EXPECT_EQ(rendered_row(R"({"messages": [{"role": "developer", "content": "D", )" + tools + "}]}",
                         kWithTools),
            "[B][U]D" + told + "[A]</think>");
}

TEST(ChatEncoding, ToolsKeepTheReasoningOfEarlierTurns) {
  ChatOptions options = kWithTools;
  options.thinking = true;
  EXPECT_EQ(
      rendered_row(R"({"tools": [{"function": {"name": "f"}}], "messages": )" + kTwoTurns + "}",
                   options),
      "[B]S\n\n# Tools\n{\"name\": \"f\"}\nUse them.[U]x[A]<think>r1</think>y[E]"
      "[U]z[A]<think>r2</think>w[E]");
}

TEST(ChatEncoding, QuickTasksTakeTheirTokens) {
  const auto chat = [](const std::string& task) {
    return R"([{"role": "user", "content": "x", "task": ")" + task +
           R"("}, {"role": "assistant", "content": "y", "wo_eos": true}])";
  };
  EXPECT_EQ(rendered(chat("title"), {.thinking = true}), "[B][U]x<｜title｜>y");
  EXPECT_EQ(rendered(chat("action"), {}), "[B][U]x[A]</think><｜action｜>y");
}

TEST(ChatEncoding, PartsEncodeToTheIdsOfTheWholeText) {
  const auto tokenizer =
      Tokenizer::load(Path(TREX_SOURCE_DIR) / "tests/golden/tokenizer/trained.tokenizer.json");
  Encoder encoder(tokenizer);
  const auto parts = render_chat(messages_of(kTwoTurns), {.thinking = true});
  const EncodedChat encoded = encode_chat(encoder, parts);
  EXPECT_EQ(encoded.ids, encoder.encode(chat_text(parts)));
  std::vector<int32_t> learned;
  for (size_t i = 0; i < encoded.ids.size(); ++i) {
    if (encoded.is_answer[i] != 0) learned.push_back(encoded.ids[i]);
  }
  EXPECT_EQ(short_form(tokenizer.decode(learned)), "y[E]r2</think>w[E]");
}

TEST(ChatEncoding, NamesTheFieldThatIsWrong) {
  const auto refusal = [](const std::string& json) {
    try {
      messages_of(json);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal(R"([{"role": "usr", "content": "x"}])"),
            "test: messages[0].role: expected one of system, user, developer, latest_reminder, "
            "assistant, tool; got \"usr\" (did you mean \"user\"?)");
  EXPECT_EQ(refusal(R"([{"role": "user", "content": "x", "tools": []}])"),
            "test: messages[0].tools: expected tools of a system or developer message only; got "
            "\"user\"");
  EXPECT_EQ(refusal(R"([{"role": "system", "content": "x", "tools": [{"function": {}}]}])"),
            "test: messages[0].tools[0].function.name: expected a string; got nothing");
  EXPECT_EQ(refusal("[]"), "test: messages: expected at least one message; got none");
  EXPECT_THAT(refusal(R"([{"role": "user"}])"),
              testing::StartsWith("test: messages[0].content: expected"));
}

}  // namespace
}  // namespace trex::tokenizer
