#include "eval/verdict.h"

#include <signal.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"

namespace trex::eval {
namespace {

struct Word {
  Reason reason;
  std::string_view word;
};

constexpr Word kWords[] = {
    {Reason::Correct, "correct"},
    {Reason::WrongValue, "wrong_value"},
    {Reason::Infeasible, "infeasible"},
    {Reason::Unbounded, "unbounded"},
    {Reason::OtherStatus, "other_status"},
    {Reason::NotSolved, "not_solved"},
    {Reason::ModelNotFound, "model_not_found"},
    {Reason::UnsupportedApi, "unsupported_api"},
    {Reason::GurobiError, "gurobi_error"},
    {Reason::SyntaxError, "syntax_error"},
    {Reason::ImportError, "import_error"},
    {Reason::NameError, "name_error"},
    {Reason::AttributeError, "attribute_error"},
    {Reason::KeyError, "key_error"},
    {Reason::IndexError, "index_error"},
    {Reason::TypeError, "type_error"},
    {Reason::ValueError, "value_error"},
    {Reason::OtherError, "other_error"},
    {Reason::Timeout, "timeout"},
    {Reason::Memory, "memory"},
    {Reason::OutputLimit, "output_limit"},
    {Reason::SandboxViolation, "sandbox_violation"},
    {Reason::Crashed, "crashed"},
    {Reason::NoCode, "no_code"},
    {Reason::NoReply, "no_reply"},
};

constexpr Word kExceptions[] = {
    {Reason::SyntaxError, "SyntaxError"},
    {Reason::SyntaxError, "IndentationError"},
    {Reason::SyntaxError, "TabError"},
    {Reason::ImportError, "ImportError"},
    {Reason::ImportError, "ModuleNotFoundError"},
    {Reason::NameError, "NameError"},
    {Reason::NameError, "UnboundLocalError"},
    {Reason::AttributeError, "AttributeError"},
    {Reason::KeyError, "KeyError"},
    {Reason::IndexError, "IndexError"},
    {Reason::TypeError, "TypeError"},
    {Reason::ValueError, "ValueError"},
    {Reason::Memory, "MemoryError"},
    {Reason::GurobiError, "GurobiError"},
};

// The line of a traceback that names the exception: the last one that starts with a dotted name
// that ends like an exception's.
std::string exception_line(const std::string& errors) {
  const auto lines = split(errors, '\n');
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const std::string_view name = std::string_view(*line).substr(0, line->find(':'));
    const bool is_name = !name.empty() && name.find_first_of(" \t") == std::string_view::npos;
    for (const std::string_view ending : {"Error", "Exception", "Interrupt", "Iteration"}) {
      if (is_name && name.ends_with(ending)) return *line;
    }
  }
  return {};
}

Reason reason_of_exception(std::string_view line) {
  std::string_view name = line.substr(0, line.find(':'));
  const size_t dot = name.rfind('.');  // gurobipy.GurobiError
  if (dot != std::string_view::npos) name.remove_prefix(dot + 1);
  for (const Word& exception : kExceptions) {
    if (exception.word == name) return exception.reason;
  }
  return Reason::OtherError;
}

// The verdict of a program that did not come to a regular end; nothing if it did.
std::optional<Verdict> judge_ending(const ProgramRun& run) {
  const sandbox::Execution& execution = run.execution;
  const auto because = [](Reason reason, std::string detail = {}) {
    return Verdict{.reason = reason, .value = {}, .status = {}, .detail = std::move(detail)};
  };
  switch (execution.ending) {
    case sandbox::Ending::WallLimit:
    case sandbox::Ending::CpuLimit:
      return because(Reason::Timeout);
    case sandbox::Ending::MemoryLimit:
      return because(Reason::Memory);
    case sandbox::Ending::OutputLimit:
      return because(Reason::OutputLimit);
    case sandbox::Ending::Violation:
      return because(Reason::SandboxViolation);
    case sandbox::Ending::Signalled: {
      // C++'s way of saying MemoryError.
      const bool no_memory = execution.errors.find("bad_alloc") != std::string::npos;
      return because(no_memory ? Reason::Memory : Reason::Crashed);
    }
    case sandbox::Ending::Exited:
      break;
  }
  if (execution.exit_code == 0) return std::nullopt;
  const std::string line = exception_line(execution.errors);
  if (line.empty()) return std::nullopt;  // an exit code of its own choice
  if (run.end && !run.end->unsupported.empty()) {
    return because(Reason::UnsupportedApi, joined(run.end->unsupported, ", "));
  }
  return because(reason_of_exception(line), line);
}

Reason reason_of_status(int64_t status) {
  switch (status) {
    case 1:
      return Reason::NotSolved;
    case 3:
      return Reason::Infeasible;
    case 5:
      return Reason::Unbounded;
    default:
      return Reason::OtherStatus;
  }
}

}  // namespace

std::string_view to_string(Reason reason) {
  for (const Word& word : kWords) {
    if (word.reason == reason) return word.word;
  }
  return "";
}

Reason parse_reason(std::string_view text, const std::string& where) {
  for (const Word& word : kWords) {
    if (word.word == text) return word.reason;
  }
  throw input_error(where, "reason", "a reason of a verdict", in_quotes(text));
}

bool is_unreadable(Reason reason) {
  return reason == Reason::NoCode || reason == Reason::SyntaxError;
}

Verdict judge_value(const ProgramRun& run, double label, Rule rule) {
  if (auto verdict = judge_ending(run)) return *verdict;
  if (!run.end || !run.end->model_name) return {.reason = Reason::ModelNotFound};
  Verdict verdict{
      .reason = Reason::OtherStatus, .value = {}, .status = run.end->status, .detail = {}};
  if (run.end->status != 2 || !run.end->objective) {
    verdict.reason = reason_of_status(run.end->status);
    return verdict;
  }
  verdict.value = run.end->objective;
  const double scale = rule == Rule::Strict ? std::max(1.0, std::fabs(label)) : 1.0;
  const bool is_right = std::fabs(*verdict.value - label) <= kValueTolerance * scale;
  verdict.reason = is_right ? Reason::Correct : Reason::WrongValue;
  return verdict;
}

}  // namespace trex::eval
