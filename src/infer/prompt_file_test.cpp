#include "infer/prompt_file.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "tokenizer/train_tokenizer.h"

namespace trex::infer {
namespace {

model::ModelConfig tiny_config() {
  return model::config_from_json(
      Json::parse(R"({"vocab_size": 420, "hidden_size": 16, "num_hidden_layers": 2,
        "num_attention_heads": 2, "head_dim": 8, "qk_rope_head_dim": 4, "q_lora_rank": 8,
        "o_groups": 2, "o_lora_rank": 4, "sliding_window": 16, "compress_ratios": [0, 4],
        "max_position_embeddings": 256, "index_n_heads": 2, "index_head_dim": 8, "index_topk": 2,
        "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 8,
        "num_hash_layers": 1, "routed_scaling_factor": 1.5, "swiglu_limit": 10,
        "initializer_range": 0.5})"),
      "tiny");
}

LoadedModel tiny_model() {
  NoProgress progress;
  const auto definition = tokenizer::learn_tokenizer(
      {{"answer", 9}}, {.vocab_size = 400, .numbers_up_to = 99}, progress);
  return {.config = tiny_config(),
          .parameters = model::make_parameters(tiny_config(), 4, torch::kFloat32),
          .tokenizer = tokenizer::Tokenizer(definition, "tiny")};
}

constexpr const char* kPrompts =
    R"({"id": "a", "messages": [{"role": "user", "content": "answer 12"}]})"
    "\n"
    R"({"id": "b", "prompt": "The answer", "ignored": 3})"
    "\n"
    R"({"id": "c", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "?"}]})"
    "\n";

class PromptFile : public testing::Test {
 protected:
  void SetUp() override {
    at::set_num_threads(1);
    write_file(prompts_, kPrompts);
  }
  PromptFileReport complete(const Path& out) {
    return complete_prompts(model_, "hash", prompts_, out, options_, progress_);
  }
  std::string error() {
    try {
      complete(folder_.path() / "out.jsonl");
    } catch (const Error& caught) {
      return caught.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
  const Path prompts_ = folder_.path() / "prompts.jsonl";
  LoadedModel model_ = tiny_model();
  PromptFileOptions options_{
      .max_new_tokens = 12, .sampling = {.temperature = 1}, .seed = 5, .batch_size = 2};
  NoProgress progress_;
};

TEST_F(PromptFile, RepliesComeInTheOrderOfThePrompts) {
  const Path out = folder_.path() / "out.jsonl";
  const auto report = complete(out);
  EXPECT_EQ(report.num_prompts, 3);
  EXPECT_EQ(report.num_resumed, 0);
  LineReader reader(out);
  for (const std::string id : {"a", "b", "c"}) {
    const auto line = reader.next();
    ASSERT_TRUE(line.has_value());
    EXPECT_EQ(line->object().string("id"), id);
    EXPECT_EQ(line->object().string("finish_reason"), "length");
    EXPECT_EQ(line->object().string("model"), "hash");
    EXPECT_EQ(line->object().integer("seed"), 5);
    EXPECT_EQ(line->object().object("usage").integer("completion_tokens"), 12);
    EXPECT_GT(line->object().object("usage").integer("prompt_tokens"), 2);
    EXPECT_FALSE(line->object().string("reply").empty());
  }
  EXPECT_FALSE(reader.next().has_value());
  EXPECT_FALSE(std::filesystem::exists(out.string() + ".partial"));
}

// A run that was killed leaves a journal: the first line, whole replies, and maybe a torn one.
TEST_F(PromptFile, InterruptedRunGoesOnToTheSameBytes) {
  const Path out = folder_.path() / "out.jsonl", again = folder_.path() / "again.jsonl";
  complete(out);
  const std::string whole = read_file(out);
  struct Stop {};
  class StopsAfterOne final : public Progress {
   public:
    void started(const std::string&, int64_t, const std::string&) override {}
    void advanced(int64_t done, const std::string&) override {
      if (done == 1) throw Stop{};
    }
    void finished(const std::string&) override {}
  } stops;
  EXPECT_THROW(complete_prompts(model_, "hash", prompts_, again, options_, stops), Stop);
  const Path journal = again.string() + ".partial";
  write_file(journal, read_file(journal) + R"({"id": "c", "rep)");
  const auto report = complete(again);
  EXPECT_EQ(report.num_resumed, 1);
  EXPECT_EQ(read_file(again), whole);
}

TEST_F(PromptFile, JournalOfOtherSettingsIsRefused) {
  write_file(folder_.path() / "out.jsonl.partial", "{\"fingerprint\":\"other\"}\n");
  EXPECT_THAT(error(),
              testing::AllOf(testing::HasSubstr("out.jsonl.partial:1: fingerprint: expected"),
                             testing::HasSubstr("delete it or choose another --out")));
}

// The whole conversation written out by hand is the same prompt, so it has the same reply.
TEST_F(PromptFile, ToolsAreToldInTheWordsOfTheTemplate) {
  const std::string tools =
      R"({"id": "tools", "tools": [{"type": "function", "function": {"name": "f"}}],)"
      R"( "messages": [{"role": "user", "content": "12"}]})";
  write_file(prompts_, tools + "\n");
  EXPECT_EQ(error(), prompts_.string() +
                         ":1: tools: expected no tool definitions; got some (their wording is part "
                         "of a checkpoint: give --tools-template)");

  const std::string text =
      "\n\n# Tools\n{\"name\": \"f\"}\nUse them.<｜User｜>12<｜Assistant｜></think>";
  write_file(prompts_, tools + "\n" + to_line({{"id", "text"}, {"prompt", text}}) + "\n");
  options_.tools_template = "# Tools\n{tools}\nUse them.";
  options_.sampling.temperature = 0;
  const Path out = folder_.path() / "out.jsonl";
  complete(out);
  LineReader reader(out);
  const auto from_tools = reader.next(), from_text = reader.next();
  ASSERT_TRUE(from_tools && from_text);
  EXPECT_EQ(from_tools->object().string("reply"), from_text->object().string("reply"));
  EXPECT_EQ(from_tools->value["usage"], from_text->value["usage"]);
}

TEST_F(PromptFile, RefusalsNameTheLine) {
  const std::string where = prompts_.string();
  write_file(prompts_, "{\"id\": \"a\"}\n");
  EXPECT_EQ(error(), where + ":1: messages: expected messages or prompt; got neither");
  write_file(prompts_, "{\"id\": \"a\", \"prompt\": \"x\"}\n{\"id\": \"a\", \"prompt\": \"x\"}\n");
  EXPECT_EQ(error(),
            where + ":2: id: expected an id of its own; got \"a\" (it is also at " + where + ":1)");
  write_file(prompts_,
             "{\"id\": \"a\", \"messages\": [{\"role\": \"user\", \"content\": \"q\"}, "
             "{\"role\": \"assistant\", \"content\": \"r\"}]}\n");
  EXPECT_EQ(
      error(),
      where + ":1: messages: expected a conversation that ends with a question; got an answer");
  write_file(prompts_, "{\"id\": \"a\", \"prompt\": \"" + std::string(600, 'x') + "\"}\n");
  EXPECT_THAT(error(), testing::HasSubstr("expected a prompt of at most 244 tokens"));
  write_file(prompts_, "\n");
  EXPECT_EQ(error(), where + ": expected at least one prompt; got none");
}

}  // namespace
}  // namespace trex::infer
