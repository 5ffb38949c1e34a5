// Generated pages are what the program would write today; hand-written ones name files that exist,
// and show commands that print what they say.
#include <gmock/gmock.h>

#include <cstdlib>
#include <regex>

#include "base/process.h"
#include "base/text.h"

namespace trex {
namespace {

const Path kRoot = TREX_SOURCE_DIR;

std::string page_of(const std::string& name) {
  const ProcessResult result = run_process(
      {.arguments = {(Path(TREX_BINARY_DIR) / "bin/trex").string(), "config", "document", name}});
  EXPECT_TRUE(result.succeeded()) << result.errors;
  return result.output;
}

TEST(Documents, SettingsPageIsFresh) {
  EXPECT_EQ(read_file(kRoot / "docs/settings.md"), page_of("settings")) << "run tools/update_docs";
}

TEST(Documents, CommandsPageIsFresh) {
  EXPECT_EQ(read_file(kRoot / "docs/commands.md"), page_of("commands")) << "run tools/update_docs";
}

// [text](target) with a relative target.
std::vector<std::string> links_of(const std::string& text) {
  std::vector<std::string> links;
  for (size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 2)) {
    const std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
    if (target.find("://") == std::string::npos && !target.starts_with('#')) {
      links.push_back(target.substr(0, target.find('#')));
    }
  }
  return links;
}

std::vector<Path> every_page() {
  std::vector<Path> pages{kRoot / "README.md", kRoot / "CHANGELOG.md"};
  for (const char* folder : {"docs", "src", "tests"}) {
    for (const Path& file : files_below(kRoot / folder)) {
      if (file.extension() == ".md") pages.push_back(file);
    }
  }
  return pages;
}

TEST(Documents, LinksLeadToFiles) {
  size_t num_links = 0;
  for (const Path& page : every_page()) {
    for (const std::string& link : links_of(read_file(page))) {
      ++num_links;
      EXPECT_TRUE(std::filesystem::exists(page.parent_path() / link))
          << page << " links to " << link;
    }
  }
  EXPECT_GE(num_links, 5u);
}

// A line "    $ COMMAND" and the indented lines below it, where "..." stands for any lines.
struct ShownCommand {
  std::string command;
  std::vector<std::string> output;
};

std::vector<ShownCommand> commands_of(const std::string& page) {
  constexpr std::string_view kIndent = "    ";
  std::vector<ShownCommand> commands;
  bool in_output = false;
  for (const std::string& line : split(page, '\n')) {
    const bool is_indented = line.starts_with(kIndent);
    const std::string text = is_indented ? line.substr(kIndent.size()) : "";
    if (text.starts_with("$ ")) {
      commands.push_back({text.substr(2), {}});
      in_output = true;
    } else if (in_output && is_indented) {
      commands.back().output.push_back(text);
    } else {
      in_output = false;
    }
  }
  return commands;
}

// Line numbers of settings move with every edit of a recipe.
std::string without_line_numbers(const std::string& line) {
  static const std::regex kPlace("\\.toml:[0-9]+");
  return std::regex_replace(line, kPlace, ".toml:N");
}

using Line = std::vector<std::string>::const_iterator;

bool is_shown_by(Line shown, Line shown_end, Line line, Line end) {
  if (shown == shown_end) return line == end;
  if (*shown == "...") {
    return is_shown_by(shown + 1, shown_end, line, end) ||
           (line != end && is_shown_by(shown, shown_end, line + 1, end));
  }
  return line != end && without_line_numbers(*shown) == without_line_numbers(*line) &&
         is_shown_by(shown + 1, shown_end, line + 1, end);
}

std::string replaced(std::string text, std::string_view what, const std::string& by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

TEST(Documents, CommandsPrintWhatIsShown) {
  const TemporaryFolder folder;
  const std::string temporary = folder.path().string() + "/";
  ::setenv("PATH", (TREX_BINARY_DIR + std::string("/bin:/usr/bin:/bin")).c_str(), 1);
  ::setenv("LC_ALL", "C.UTF-8", 1);
  size_t num_commands = 0;
  for (const Path& page : every_page()) {
    for (const ShownCommand& shown : commands_of(read_file(page))) {
      ++num_commands;
      const ProcessResult result =
          run_process({.arguments = {"/bin/sh", "-c", replaced(shown.command, "/tmp/", temporary)},
                       .folder = kRoot,
                       .time_limit = std::chrono::minutes(2)});
      EXPECT_TRUE(result.succeeded()) << page << ": $ " << shown.command << "\n" << result.errors;
      const std::string output = replaced(result.output, temporary, "/tmp/");
      auto lines = split(output, '\n');
      if (lines.back().empty()) lines.pop_back();
      EXPECT_TRUE(is_shown_by(shown.output.begin(), shown.output.end(), lines.begin(), lines.end()))
          << page << ": $ " << shown.command << "\nprints\n"
          << output << "\nand the page shows\n"
          << joined(shown.output, "\n");
    }
  }
  EXPECT_GE(num_commands, 5u);
}

}  // namespace
}  // namespace trex
