#include "infer/prompt_file.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "tokenizer/chat.h"

namespace trex::infer {
namespace {

struct Row {
  std::string id;
  std::vector<int32_t> ids;
};

std::vector<int32_t> encode_text(tokenizer::Encoder& encoder, const model::ModelConfig& config,
                                 const std::string& text) {
  std::vector<int32_t> ids = {static_cast<int32_t>(config.bos_token_id)};
  encoder.encode(text, ids);
  return ids;
}

std::vector<int32_t> encode_messages(tokenizer::Encoder& encoder, const JsonObject& row,
                                     const std::string& tools_template) {
  const auto messages = tokenizer::parse_messages(row);
  if (messages.empty() || messages.back().role == tokenizer::Role::Assistant) {
    throw row.error("messages", "a conversation that ends with a question",
                    messages.empty() ? "nothing" : "an answer");
  }
  if (tokenizer::have_tools(messages) && tools_template.empty()) {
    throw row.error("tools", "no tool definitions", "some",
                    "their wording is part of a checkpoint: give --tools-template");
  }
  return encode_chat(encoder, render_chat(messages, {.tools_template = tools_template})).ids;
}

void check_new_tokens(const LoadedModel& model, int64_t max_new_tokens) {
  const int64_t positions = model.config.max_position_embeddings;
  if (max_new_tokens < positions) return;
  throw input_error("the model", "max_position_embeddings",
                    fmt::format("more than the {} new tokens", max_new_tokens),
                    std::to_string(positions), "use --max-new-tokens");
}

void check_length(const LoadedModel& model, size_t num_tokens, int64_t max_new_tokens,
                  const std::string& where) {
  const int64_t longest = model.config.max_position_embeddings - max_new_tokens;
  if (static_cast<int64_t>(num_tokens) > longest) {
    throw input_error(
        where, "",
        fmt::format("a prompt of at most {} tokens (max_position_embeddings less the new tokens)",
                    longest),
        fmt::format("{} tokens", num_tokens));
  }
}

std::vector<Row> read_rows(const LoadedModel& model, const Path& prompts,
                           const PromptFileOptions& options) {
  tokenizer::Encoder encoder(model.tokenizer);
  std::vector<Row> rows;
  std::map<std::string, std::string> seen;
  LineReader reader(prompts);
  while (const auto line = reader.next()) {
    const JsonObject object = line->object();
    Row row{.id = object.string("id")};
    const auto [before, is_new] = seen.emplace(row.id, line->where);
    if (!is_new)
      throw object.error("id", "an id of its own", in_quotes(row.id),
                         "it is also at " + before->second);
    if (object.has("messages")) {
      row.ids = encode_messages(encoder, object, options.tools_template);
    } else if (object.has("prompt")) {
      row.ids = encode_text(encoder, model.config, object.string("prompt"));
    } else {
      throw object.error("messages", "messages or prompt", "neither");
    }
    check_length(model, row.ids.size(), options.max_new_tokens, line->where);
    rows.push_back(std::move(row));
  }
  if (rows.empty()) throw input_error(prompts.string(), "", "at least one prompt", "none");
  return rows;
}

constexpr const char* kFormat = "trex-replies-2";

// What the answers depend on: a journal begins with it.
std::string fingerprint(const std::string& model_hash, const std::vector<Row>& rows,
                        const PromptFileOptions& options) {
  ContentHasher hasher;
  hasher.add(kFormat);
  hasher.add(model_hash);
  hasher.add(fmt::format("{} {} {} {}", options.max_new_tokens, options.sampling.temperature,
                         options.sampling.top_p, options.seed));
  for (const Row& row : rows) {
    hasher.add(row.id);
    hasher.add({reinterpret_cast<const char*>(row.ids.data()), row.ids.size() * sizeof(int32_t)});
  }
  return hasher.hex();
}

using Answers = std::map<std::string, std::string>;  // id → line

Answers read_journal(const Path& path, const std::string& expected) {
  Answers answers;
  if (!std::filesystem::exists(path)) return answers;
  LineReader reader(path);
  const auto head = reader.next();
  if (!head) return answers;
  if (head->object().string_or("fingerprint", "") != expected) {
    throw input_error(
        head->where, "fingerprint", in_quotes(expected), to_line(head->value),
        "it belongs to another model, prompts file or settings: delete it or choose another --out");
  }
  while (const auto line = reader.next()) answers[line->object().string("id")] = line->text;
  return answers;
}

std::string answer_line(const LoadedModel& model, const std::string& model_hash, uint64_t seed,
                        const Row& row, const Completion& completion) {
  return to_line(
      {{"id", row.id},
       {"reply", model.tokenizer.decode(completion.ids)},
       {"finish_reason", completion.finish == Finish::Stop ? "stop" : "length"},
       {"model", model_hash},
       {"seed", seed},
       {"usage",
        {{"prompt_tokens", row.ids.size()}, {"completion_tokens", completion.ids.size()}}}});
}

GenerateOptions generate_options(const LoadedModel& model, const PromptFileOptions& options) {
  return {.max_new_tokens = options.max_new_tokens,
          .sampling = options.sampling,
          .seed = options.seed,
          .stop_ids = {static_cast<int32_t>(model.config.eos_token_id)},
          .num_token_ids = model.tokenizer.vocab_size(),
          .batch_size = options.batch_size};
}

}  // namespace

PromptFileReport complete_prompts(const LoadedModel& model, const std::string& model_hash,
                                  const Path& prompts, const Path& out,
                                  const PromptFileOptions& options, Progress& progress) {
  tokenizer::check_chat_tokens(model.tokenizer, "tokenizer.json");
  check_new_tokens(model, options.max_new_tokens);
  const auto rows = read_rows(model, prompts, options);
  const std::string key = fingerprint(model_hash, rows, options);
  const Path journal_path = out.string() + ".partial";
  const bool is_new =
      !std::filesystem::exists(journal_path) || std::filesystem::file_size(journal_path) == 0;
  Journal journal = Journal::open(journal_path);
  Answers answers = read_journal(journal_path, key);
  if (is_new) journal.append(to_line({{"fingerprint", key}}));

  PromptFileReport report{.num_prompts = static_cast<int64_t>(rows.size()),
                          .num_resumed = static_cast<int64_t>(answers.size())};
  std::vector<Prompt> open;
  std::vector<const Row*> open_rows;
  for (const Row& row : rows) {
    if (answers.contains(row.id)) continue;
    open.push_back({row.ids, hash64(row.id)});
    open_rows.push_back(&row);
  }
  progress.started("generate", report.num_prompts, "prompts");
  generate(model.config, model.parameters, open, generate_options(model, options),
           [&](size_t i, const Completion& completion) {
             const Row& row = *open_rows[i];
             answers[row.id] = answer_line(model, model_hash, options.seed, row, completion);
             journal.append(answers[row.id]);
             report.num_tokens += static_cast<int64_t>(completion.ids.size());
             progress.advanced(static_cast<int64_t>(answers.size()));
           });

  std::string lines;
  for (const Row& row : rows) lines += answers.at(row.id) + "\n";
  write_file(out, lines);
  std::filesystem::remove(journal_path);
  progress.finished(fmt::format("{} tokens", report.num_tokens));
  return report;
}

std::string complete_text(const LoadedModel& model, const std::string& text,
                          const PromptFileOptions& options) {
  check_new_tokens(model, options.max_new_tokens);
  tokenizer::Encoder encoder(model.tokenizer);
  const auto ids = encode_text(encoder, model.config, text);
  check_length(model, ids.size(), options.max_new_tokens, "--prompt");
  std::string reply;
  generate(model.config, model.parameters, {{ids, 0}}, generate_options(model, options),
           [&](size_t, const Completion& completion) {
             reply = model.tokenizer.decode(completion.ids);
           });
  return reply;
}

}  // namespace trex::infer
