// Problem texts: sentence plans filled with an instance's names and numbers.
//
// A plan is English with
//   {word}                   a word of the domain, or drawn for this text ("{place}")
//   {f}  {cost[f]}  {budget}  a member's name; a value of a list, table or single parameter
//   <f:foods|...>            the text for each member, joined "a, b and c"
//   <f:foods;...>            the same, joined "a; b; c"
//   <f:foods. ...>           the same, as sentences: "a. b. c"
//   (must|has to)            one of the wordings, drawn once for the whole plan; holds no loop
#pragma once

#include <string>
#include <vector>

#include "base/rng.h"
#include "orgen/family.h"

namespace trex::orgen {

// Changes when the same instance and random numbers give another text; part of a document's id.
inline constexpr int kRendererVersion = 1;

// What one plan became: one sentence or a few.
struct Passage {
  std::string text;
  std::vector<std::string> parameters;  // those that it is the first to tell
};

struct Statement {
  std::string text;
  // Every parameter, in the order in which the text first tells it.
  std::vector<std::string> parameter_order;
  std::vector<Passage> passages;  // the text is these, with a space between
};

// Pipeline stage T. The plans come from the instance's split. A malformed plan is a mistake in a
// family file: a check stops the program.
Statement render_statement(const Instance& instance, Rng& rng);

// The plan with every (a|b) replaced by a drawn wording; and how many texts that can give.
std::string with_wordings_drawn(std::string_view plan, Rng& rng);
int64_t num_wordings(std::string_view plan);

// Every parameter that a plan tells, in order.
std::vector<std::string> parameters_told(std::string_view plan, const Description& description);

}  // namespace trex::orgen
