// trex generate: text from a checkpoint, for one prompt or a file of them.
#include <fmt/format.h>

#include "app/commands.h"
#include "base/error.h"
#include "base/parallel_for.h"
#include "base/progress.h"
#include "infer/loaded_model.h"
#include "infer/prompt_file.h"
#include "tokenizer/chat.h"

namespace trex::app {
namespace {

struct GenerateArguments {
  Path checkpoint;
  std::optional<std::string> prompt;
  std::optional<Path> prompts, out, tools_template;
  infer::PromptFileOptions options;
  int threads = num_cores();
};

bool parse(const Arguments& arguments, GenerateArguments& parsed) {
  CLI::App options("Text from a checkpoint, for one prompt or a file of them", "trex generate");
  options
      .add_option("--checkpoint", parsed.checkpoint,
                  "Folder with config.json, model.safetensors and tokenizer.json")
      ->required();
  options.add_option("--prompt", parsed.prompt, "Text to continue; the continuation is printed");
  options.add_option("--prompts", parsed.prompts,
                     "JSON lines with id and messages, or id and prompt");
  options.add_option("--out", parsed.out, "JSON lines with id, reply, finish_reason and usage");
  options.add_option("--tools-template", parsed.tools_template,
                     "Text of the checkpoint that introduces tools, with {tools} for their "
                     "schemas; for prompts that have tools");
  options.add_option("--max-new-tokens", parsed.options.max_new_tokens, "Longest reply")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20))
      ->capture_default_str();
  options
      .add_option("--temperature", parsed.options.sampling.temperature,
                  "0 takes the most probable token")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  options
      .add_option("--top-p", parsed.options.sampling.top_p, "Share of probability to sample from")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  options.add_option("--seed", parsed.options.seed, "Seed of the sampling")->capture_default_str();
  options
      .add_option("--batch-size", parsed.options.batch_size, "Prompts that take a step together")
      ->check(CLI::Range(int64_t{1}, int64_t{4096}))
      ->capture_default_str();
  options.add_option("--threads", parsed.threads, "Threads of the arithmetic")
      ->check(CLI::Range(1, 1024));
  if (!parse_arguments(options, arguments)) return false;
  if (parsed.prompt.has_value() == parsed.prompts.has_value()) {
    throw usage_error("trex generate", "either --prompt or --prompts",
                      parsed.prompt ? "both" : "neither");
  }
  if (parsed.prompts.has_value() != parsed.out.has_value()) {
    throw usage_error("trex generate", "--out together with --prompts",
                      parsed.out ? "--out alone" : "--prompts alone");
  }
  return true;
}

}  // namespace

int cmd_generate(const Arguments& arguments) {
  GenerateArguments parsed;
  if (!parse(arguments, parsed)) return 0;
  if (parsed.tools_template) {
    parsed.options.tools_template = tokenizer::read_tools_template(*parsed.tools_template);
  }
  infer::use_threads(parsed.threads);
  const auto model = infer::load_model(parsed.checkpoint);
  if (parsed.prompt) {
    fmt::print("{}\n", infer::complete_text(model, *parsed.prompt, parsed.options));
    return 0;
  }
  const auto progress = progress_on_stderr();
  const std::string model_hash = content_hash_of(parsed.checkpoint / "model.safetensors");
  const auto report = infer::complete_prompts(model, model_hash, *parsed.prompts, *parsed.out,
                                              parsed.options, *progress);
  fmt::print("{} replies in {}, {} of them from an earlier run; {} tokens generated\n",
             report.num_prompts, parsed.out->string(), report.num_resumed, report.num_tokens);
  return 0;
}

}  // namespace trex::app
