#include "eval/replies.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/process.h"
#include "base/text.h"

namespace trex::eval {

std::string prompt_lines(const Benchmark& benchmark, std::span<const Item> items) {
  std::string lines;
  for (const Item& item : items) {
    lines += to_line(Json{{"id", item.id}, {"messages", benchmark.prompt(item)}}) + "\n";
  }
  return lines;
}

std::map<std::string, Reply> read_replies(const Path& file, std::span<const Item> items) {
  std::map<std::string, Reply> replies;
  LineReader reader(file);
  while (const auto line = reader.next()) {
    const JsonObject row = line->object();
    Reply reply{.text = {},
                .finish_reason = row.string_or("finish_reason", ""),
                .model = row.string_or("model", ""),
                .seed = {},
                .usage = {}};
    if (row.has("seed")) reply.seed = row.integer("seed");
    if (row.has("usage")) reply.usage = row.object("usage").json();
    if (!row.has("reply") || !row.json()["reply"].is_null()) reply.text = row.string("reply");
    const std::string id = row.string("id");
    if (!replies.emplace(id, std::move(reply)).second) {
      throw row.error("id", "one row for each id", in_quotes(id));
    }
  }
  for (const Item& item : items) {
    if (!replies.contains(item.id)) {
      throw input_error(file.string(), "id", "a reply to every item",
                        "none to " + in_quotes(item.id),
                        "a failed request is a row whose reply is null");
    }
  }
  return replies;
}

void ask_checkpoint(const Path& checkpoint, const Path& prompts, const Path& replies,
                    int64_t max_new_tokens) {
  const ProcessResult result = run_process(
      {.arguments = {(program_folder() / "trex").string(), "generate", "--checkpoint",
                     checkpoint.string(), "--prompts", prompts.string(), "--out", replies.string(),
                     "--max-new-tokens", std::to_string(max_new_tokens)},
       .inherit_output = true});
  if (result.succeeded()) return;
  const std::string got = result.exit_code ? fmt::format("exit code {}", *result.exit_code)
                                           : fmt::format("signal {}", result.signal);
  throw Error({.kind = result.exit_code.value_or(1) > 1 && result.exit_code.value_or(1) <= 4
                           ? static_cast<ErrorKind>(*result.exit_code)
                           : ErrorKind::Failed,
               .where = "trex generate",
               .field = {},
               .expected = "to answer " + prompts.string(),
               .got = got,
               .hint = {}});
}

}  // namespace trex::eval
