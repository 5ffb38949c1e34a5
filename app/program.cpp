// What main does in both executables.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <regex>

#include "app/command.h"
#include "base/error.h"
#include "base/process.h"
#include "base/text.h"

namespace trex::app {
namespace {

// The commands that begin with the word `group`, or all of them.
std::vector<Command> commands_of(std::string_view group) {
  std::vector<Command> commands;
  for (const Command& command : all_commands()) {
    const auto words = split(command.name, ' ');
    if (group.empty() || (words.size() > 1 && words[0] == group)) commands.push_back(command);
  }
  return commands;
}

void print_overview(const std::vector<Command>& commands) {
  fmt::print("trex {} - a DeepSeek-V4-class model through its whole working life\n\n", kVersion);
  fmt::print("usage: trex COMMAND [ARGUMENTS]\n\n");
  size_t width = 0;
  for (const Command& command : commands) width = std::max(width, command.name.size());
  for (const Command& command : commands) {
    fmt::print("  {:<{}}  {}\n", command.name, width, command.summary);
  }
  fmt::print("\n'trex help COMMAND' explains one command and its settings.\n");
}

bool is_help(const std::string& word) { return word == "help" || word == "--help" || word == "-h"; }

// The command whose words the command line begins with; the longest wins.
const Command* find_command(const Arguments& words) {
  const Command* best = nullptr;
  for (const Command& command : all_commands()) {
    const auto parts = split(command.name, ' ');
    const bool matches =
        parts.size() <= words.size() && std::equal(parts.begin(), parts.end(), words.begin());
    if (matches && (best == nullptr || command.name.size() > best->name.size())) best = &command;
  }
  return best;
}

std::string first_of(std::string hint, const char* otherwise) {
  return hint.empty() ? otherwise : hint;
}

Error unknown_command(const Arguments& words) {
  std::vector<std::string> names;
  for (const Command& command : commands_of(words[0])) names.push_back(split(command.name, ' ')[1]);
  if (!names.empty()) {
    const std::string got = words.size() > 1 ? in_quotes(words[1]) : "nothing";
    return usage_error("trex " + words[0], "one of " + listed(names), got,
                       words.size() > 1 ? did_you_mean(words[1], names) : "");
  }
  for (const Command& command : all_commands()) names.emplace_back(split(command.name, ' ')[0]);
  return usage_error("trex", "a command", in_quotes(words[0]),
                     first_of(did_you_mean(words[0], names), "see trex help"));
}

// Puts trex-model in this process's place.
[[noreturn]] void become_model_program(const Arguments& words) {
  const Path program = program_folder() / "trex-model";
  if (std::filesystem::read_symlink("/proc/self/exe") == program) {
    throw usage_error("trex-model", "a command that it holds itself", in_quotes(words[0]),
                      "use trex");
  }
  std::vector<char*> arguments{const_cast<char*>(program.c_str())};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  throw environment_error(program.string(), "the program that holds this command",
                          std::strerror(errno),
                          "it is built with LibTorch: cmake --build --preset release");
}

int dispatch(Arguments words) {
  if (words.size() > 1 && words[0] == "help") {  // trex help VERB: the same as trex VERB --help
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  if (words.empty() || is_help(words[0])) {
    print_overview(commands_of(""));
    return 0;
  }
  if (words[0] == "version" || words[0] == "--version") {
    fmt::print("trex {}\n", kVersion);
    return 0;
  }
  const Command* command = find_command(words);
  if (command == nullptr) {
    const auto group = commands_of(words[0]);
    if (group.empty() || words.size() < 2 || !is_help(words[1])) throw unknown_command(words);
    print_overview(group);
    return 0;
  }
  if (command->run == nullptr) become_model_program(words);
  const auto num_words = static_cast<std::ptrdiff_t>(split(command->name, ' ').size());
  return command->run(Arguments(words.begin() + num_words, words.end()));
}

// A result that did not reach its reader is no success.
void flush_output() {
  if (std::fflush(stdout) != 0) throw system_error("standard output", "room to write", errno);
}

// Before CLI11 looks, which would name a missing argument first and the misspelt one not at all.
void refuse_unknown_options(const CLI::App& options, const Arguments& arguments) {
  std::vector<std::string> known;
  for (const CLI::Option* option : options.get_options()) {
    for (const auto& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const std::string& argument : arguments) {
    if (argument == "--") return;
    const std::string name = argument.substr(0, argument.find('='));
    if (!name.starts_with("--") || std::find(known.begin(), known.end(), name) != known.end())
      continue;
    throw usage_error(options.get_name(), "a known option", in_quotes(name),
                      first_of(did_you_mean(name, known), "see --help"));
  }
}

std::string shortest_number(const std::string& text) {
  const auto number = parse_real(text);
  return number ? shortest(*number) : text;
}

// CLI11's sentences about a value, in the form of all our errors.
Error as_usage_error(const CLI::App& options, const std::string& message) {
  static const std::regex kOutside("(\\S+): Value (.*) not in range (\\S+) to (\\S+)");
  static const std::regex kUnreadable("Could not convert: (\\S+) = (.*)");
  std::smatch parts;
  if (std::regex_match(message, parts, kOutside)) {
    return usage_error(
        parts[1], fmt::format("{} to {}", shortest_number(parts[3]), shortest_number(parts[4])),
        parts[2], "see --help");
  }
  if (std::regex_match(message, parts, kUnreadable)) {
    return usage_error(parts[1], "a number", in_quotes(parts[2].str()), "see --help");
  }
  return Error({.kind = ErrorKind::Usage,
                .where = options.get_name(),
                .field = message,
                .expected = {},
                .got = {},
                .hint = "see --help"});
}

}  // namespace

int run_program(int argc, char** argv) {
  try {
    const int exit_code = dispatch(Arguments(argv + 1, argv + argc));
    flush_output();
    return exit_code;
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.exit_code();
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "trex: expected enough memory; got none\n");
    return static_cast<int>(ErrorKind::Environment);
  } catch (const std::exception& error) {
    // Libraries' exceptions are turned into Errors by the module that calls the library.
    fmt::print(stderr, "trex: internal error: {}\n", error.what());
    return static_cast<int>(ErrorKind::Environment);
  }
}

bool parse_arguments(CLI::App& options, const Arguments& arguments,
                     const std::string& settings_help) {
  refuse_unknown_options(options, arguments);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
  try {
    options.parse(reversed);
    return true;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", options.help());
    if (!settings_help.empty())
      fmt::print("\nSettings (in the file, or --set key=value):\n{}", settings_help);
    return false;
  } catch (const CLI::ExtrasError&) {
    throw usage_error(options.get_name(), "no more arguments", in_quotes(arguments.back()),
                      "see --help");
  } catch (const CLI::RequiredError& error) {
    const std::string message = error.what();  // "recipe is required"
    throw usage_error(options.get_name(), message.substr(0, message.find(" is required")),
                      "nothing", "see --help");
  } catch (const CLI::ParseError& error) {
    throw as_usage_error(options, error.what());
  }
}

}  // namespace trex::app
