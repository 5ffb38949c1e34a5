// trex config document: the pages of docs/ that are made by the program. tools/update_docs writes
// them, and a test compares.
#include <fmt/format.h>

#include "app/commands.h"
#include "app/stage_kinds.h"
#include "base/error.h"
#include "base/text.h"

namespace trex::app {
namespace {

constexpr const char* kNotice = "<!-- Made by tools/update_docs. Do not edit. -->\n";

std::string settings_page() {
  std::string page = fmt::format(
      "# Settings\n{}\n"
      "Every command with settings takes them as\n\n"
      "    trex COMMAND FILE.toml [--stage NAME] [--set key=value]... --out FOLDER\n\n"
      "Order of strength: default, file, `--set`. An unknown key is an error. `trex config show\n"
      "RECIPE` prints every effective value with its origin.\n",
      kNotice);
  for (const StageKind& kind : stage_kinds()) {
    page += fmt::format("\n## trex {}\n\n{}", kind.verb, config::markdown_table(kind.fields()));
  }
  return page;
}

std::string commands_page() {
  std::string page =
      fmt::format("# Commands\n{}\n| command | what it does |\n| --- | --- |\n", kNotice);
  for (const Command& command : all_commands()) {
    page += fmt::format("| `trex {}` | {} |\n", command.name, command.summary);
  }
  return page +
         "\n`trex help COMMAND` explains one of them. Exit codes: 0 done; 1 the work ran and did "
         "not\n"
         "succeed; 2 the command line is wrong; 3 a file, setting or request is wrong; 4 the "
         "machine,\n"
         "file system or network failed.\n";
}

}  // namespace

int cmd_config_document(const Arguments& arguments) {
  CLI::App options("A generated page of docs/, in Markdown", "trex config document");
  std::string page;
  options.add_option("page", page, "settings or commands")->required();
  if (!parse_arguments(options, arguments)) return 0;
  if (page != "settings" && page != "commands") {
    const std::vector<std::string> pages{"settings", "commands"};
    throw usage_error("trex config document", "one of settings, commands", in_quotes(page),
                      did_you_mean(page, pages));
  }
  fmt::print("{}", page == "settings" ? settings_page() : commands_page());
  return 0;
}

}  // namespace trex::app
