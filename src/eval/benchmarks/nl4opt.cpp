// NL4OPT: short texts that hold a small linear or integer program, most with two decisions.
#include <fmt/format.h>

#include <span>

#include "base/error.h"
#include "base/text.h"
#include "eval/benchmark.h"

namespace trex::eval {
namespace {

// Our own wording with the published demands; comparability is close, not exact.
constexpr const char* kSystem =
    "You are an expert in operations research and in modelling with Gurobi 12 in Python. Answer in "
    "Markdown with three parts in this order. First <think>: analyse the problem step by step. "
    "Then "
    "<model>: the full mathematical model with sets, parameters, decision variables and their "
    "types, "
    "objective and constraints. Then <python>: complete Python code for Gurobi 12 that builds the "
    "model "
    "in a variable named `model`, solves it and prints the optimal value.";

// The label is a number written as text.
double label_of(const JsonObject& row) {
  const std::string text = row.string("en_answer");
  const auto value = parse_real(text);
  if (!value) throw row.error("en_answer", "a number as text", in_quotes(text));
  return *value;
}

// Doubts about each row's label, in the order of the rows (data/or/nl4opt/README.md).
std::vector<std::vector<std::string>> load_flags(const Path& file) {
  std::vector<std::vector<std::string>> flags;
  LineReader lines(file);
  while (const auto line = lines.next()) flags.push_back(line->object().strings("flags"));
  return flags;
}

// The file's audit lies beside it and has a line for each of its rows.
void add_flags(std::span<Item> rows, const Path& file) {
  const Path audit = file.parent_path() / "audit.jsonl.zst";
  const auto flags = load_flags(audit);
  if (flags.size() != rows.size()) {
    throw input_error(audit.string(), "",
                      fmt::format("{} lines, one for each row of the benchmark", rows.size()),
                      fmt::format("{} lines", flags.size()));
  }
  for (size_t i = 0; i < rows.size(); ++i) rows[i].flags = flags[i];
}

std::vector<Item> load_nl4opt(const std::vector<Path>& data) {
  std::vector<Item> items;
  for (const Path& file : data) {
    const size_t first = items.size();
    LineReader lines(file);
    while (const auto line = lines.next()) {
      const JsonObject row = line->object();
      items.push_back({.id = fmt::format("nl4opt-{}", items.size()),
                       .question = row.string("en_question"),
                       .label = label_of(row),
                       .program = {},
                       .family = {},
                       .flags = {},
                       .messages = {}});
    }
    add_flags(std::span(items).subspan(first), file);
  }
  return items;
}

Json prompt_nl4opt(const Item& item) {
  return Json::array({{{"role", "system"}, {"content", kSystem}},
                      {{"role", "user"}, {"content", item.question + "\n\nThink step by step."}}});
}

const Benchmark kNl4opt{
    .name = "nl4opt",
    .summary = "289 short word problems from the NL4OPT competition, graded by optimal value.",
    .licence = "MIT",
    .source = "SLAI-AITP/SLAI-T-Rex, or_benchmark_eval/data; first published by NL4OPT",
    .sample = "data/or/nl4opt/test.jsonl.zst",
    .num_sample_items = 289,
    .load = load_nl4opt,
    .prompt = prompt_nl4opt,
    .grade = grade_by_value,
};
TREX_REGISTER(kNl4opt);

}  // namespace
}  // namespace trex::eval
