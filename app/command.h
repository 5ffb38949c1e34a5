// What a command is, and the pieces that all commands share.
#pragma once

#include <CLI/CLI.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trex::app {

inline constexpr std::string_view kVersion = "0.1.0";

// The command line behind the verb.
using Arguments = std::vector<std::string>;

struct Command {
  std::string_view name;     // "solve", "data generate"
  std::string_view summary;  // one line for `trex help`
  // Returns the exit code; throws trex::Error. Null for a verb that trex-model holds.
  int (*run)(const Arguments& arguments);
};

// Every verb of both executables, in the order of `trex help`. Rows that the running executable
// does not hold have a null `run`.
std::span<const Command> all_commands();

// Finds the command, runs it and turns an Error into its text and exit code: the whole of main.
int run_program(int argc, char** argv);

// Parses with CLI11; a mistake becomes a Usage error that names the nearest option. Returns false
// when help was asked for and has been printed; `settings_help` is printed after CLI11's own.
bool parse_arguments(CLI::App& options, const Arguments& arguments,
                     const std::string& settings_help = {});

}  // namespace trex::app
