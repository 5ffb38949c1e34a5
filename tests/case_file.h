// The language of tests/cases/*.case: commands with the exit code and the output that they must
// give. tests/cases/README.md describes it.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace trex::cases {

struct Step {
  int line = 0;  // of the command
  std::string command;
  std::vector<std::pair<std::string, std::string>> files;  // written before it runs
  int exit_code = 0;
  std::vector<std::string> output, errors;  // expected lines
};

struct CaseFile {
  std::vector<std::string> needs;  // programs without which the case is left out
  std::vector<Step> steps;
};

// Throws Input naming the line. `names` are the words that {word} stands for.
CaseFile parse_case(const std::string& text, const std::string& where,
                    const std::map<std::string, std::string>& names);

// Whether the line is as expected; {any} in `expected` stands for any text.
bool matches(const std::string& expected, const std::string& line);

}  // namespace trex::cases
