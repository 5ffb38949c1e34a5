// Verdict by value and its reasons.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "eval/run_program.h"

namespace trex::eval {

enum class Reason {
  Correct,
  WrongValue,
  Infeasible,  // the program's model is
  Unbounded,
  OtherStatus,     // any other end of the solver without an optimum
  NotSolved,       // the model was never optimised: it has no objective value
  ModelNotFound,   // no variable `model` or `m` holds a model, or the program left early
  UnsupportedApi,  // on our account: the module does not have a call that the program makes
  GurobiError,
  SyntaxError,
  ImportError,
  NameError,
  AttributeError,
  KeyError,
  IndexError,
  TypeError,
  ValueError,
  OtherError,
  Timeout,
  Memory,
  OutputLimit,
  SandboxViolation,
  Crashed,
  NoCode,
  NoReply,  // asking failed; asked again when the run is resumed
};

// "wrong_value", as records and summaries spell it.
std::string_view to_string(Reason reason);

// Throws Input at `where` for a word that is none.
Reason parse_reason(std::string_view word, const std::string& where);

// The reply held nothing that Python can read as a program.
bool is_unreadable(Reason reason);

struct Verdict {
  Reason reason = Reason::NoCode;
  std::optional<double> value;    // of the model, when it has an optimum
  std::optional<int64_t> status;  // Gurobi's code, when there was a model
  std::string detail;             // last line of the traceback, or the missing calls

  bool is_correct() const { return reason == Reason::Correct; }
};

// How far a value may be from the label: absolute by the published rule, which asks more than
// double precision of a label in the millions; times the label's size, from 1 on, in ours.
inline constexpr double kValueTolerance = 1e-6;

enum class Rule { Compat, Strict };

// Only status 2 (optimal) gives a value; it is right when it is within the tolerance of `label`.
Verdict judge_value(const ProgramRun& run, double label, Rule rule = Rule::Compat);

}  // namespace trex::eval
