// Generated pages are what the program would write today, and hand-written ones name files that
// exist.
#include <gmock/gmock.h>

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

TEST(Documents, LinksLeadToFiles) {
  std::vector<Path> pages{kRoot / "README.md", kRoot / "CHANGELOG.md"};
  for (const char* folder : {"docs", "src", "tests"}) {
    for (const Path& file : files_below(kRoot / folder)) {
      if (file.extension() == ".md") pages.push_back(file);
    }
  }
  size_t num_links = 0;
  for (const Path& page : pages) {
    for (const std::string& link : links_of(read_file(page))) {
      ++num_links;
      EXPECT_TRUE(std::filesystem::exists(page.parent_path() / link))
          << page << " links to " << link;
    }
  }
  EXPECT_GE(num_links, 5u);
}

}  // namespace
}  // namespace trex
