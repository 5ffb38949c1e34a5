// Questions from `trex data generate` with kind = questions, held out from training.
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "eval/benchmark.h"

namespace trex::eval {
namespace {

// The row's messages without the answer that it carries for training.
Json prompt_of(const JsonObject& row) {
  Json prompt = Json::array();
  for (const JsonObject& message : row.objects("messages")) {
    const std::string role = message.string("role");
    if (role == "assistant") break;
    prompt.push_back({{"role", role}, {"content", message.string("content")}});
  }
  if (prompt.empty()) throw row.error("messages", "a question before the answer", "none");
  return prompt;
}

std::vector<Item> load_generated(const std::vector<Path>& data) {
  std::vector<Item> items;
  std::set<std::string> ids;
  for (const Path& file : data) {
    LineReader lines(file);
    while (const auto line = lines.next()) {
      const JsonObject row = line->object();
      Item item{.id = row.string("id"),
                .question = row.string("question"),
                .label = row.number("answer"),
                .program = row.string("program"),
                .family = row.string("family"),
                .flags = {},
                .messages = prompt_of(row)};
      if (!ids.insert(item.id).second) throw row.error("id", "each id once", in_quotes(item.id));
      items.push_back(std::move(item));
    }
  }
  return items;
}

const Benchmark kGenerated{
    .name = "generated",
    .summary = "Held-out questions of our own families; the label is the solver's proven optimum.",
    .licence = "Apache-2.0",
    .source = "trex data generate",
    .sample = "tests/golden/benchmarks/generated.jsonl",
    .num_sample_items = 4,
    .load = load_generated,
    .prompt = [](const Item& item) { return item.messages; },
    .grade = grade_by_value,
};
TREX_REGISTER(kGenerated);

}  // namespace
}  // namespace trex::eval
