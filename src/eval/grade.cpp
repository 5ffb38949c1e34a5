#include "eval/grade.h"

#include "base/error.h"
#include "base/text.h"
#include "eval/benchmark.h"
#include "eval/extract_code.h"

namespace trex::eval {
namespace {

// Whether Python can read it at all: UTF-8 without zero bytes.
bool is_text(const std::string& code) {
  try {
    return code.find('\0') == std::string::npos && !Json(code).dump().empty();
  } catch (const Json::type_error&) {  // invalid UTF-8
    return false;
  }
}

}  // namespace

Graded grade_by_value(const Item& item, std::string_view reply, const GradeLimits& limits) {
  const auto unrun = [](Verdict verdict) {
    return Graded{.verdict = verdict, .strict = verdict, .code = {}, .rule = {}, .run = {}};
  };
  const auto found = extract_code(reply);
  if (!found) return unrun({.reason = Reason::NoCode});
  if (!is_text(found->code)) {
    Graded graded = unrun(
        {.reason = Reason::SyntaxError, .value = {}, .status = {}, .detail = "not UTF-8 text"});
    graded.code = found->code;
    graded.rule = found->rule;
    return graded;
  }
  const std::string data_file = to_line(Json{{"question", item.question}});
  ProgramRun run = run_program(found->code, data_file, limits);
  return {.verdict = judge_value(run, item.label, Rule::Compat),
          .strict = judge_value(run, item.label, Rule::Strict),
          .code = found->code,
          .rule = found->rule,
          .run = std::move(run)};
}

const Benchmark& find_benchmark(std::string_view name, const std::string& where) {
  const auto& registry = Registry<Benchmark>::instance();
  if (const Benchmark* found = registry.find(name)) return *found;
  const auto names = registry.names();
  throw input_error(where, "benchmark", "one of " + listed(names), in_quotes(name),
                    did_you_mean(name, names));
}

}  // namespace trex::eval
