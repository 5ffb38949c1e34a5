// Holds src/ and app/ to docs/layers.txt, and to the size and shape that all files have.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/files.h"
#include "base/text.h"

namespace trex {
namespace {

using Words = std::vector<std::string>;

const Path kRoot = TREX_SOURCE_DIR;
constexpr int64_t kMostLines = 600;

struct Module {
  int64_t level;
  std::set<std::string> uses;
};

// Headers that begin with a prefix may be included by these modules or files alone.
struct Restriction {
  Words prefixes;
  std::set<std::string> places;
};

struct Layers {
  std::map<std::string, Module> modules;
  std::vector<Restriction> restrictions;
};

Words words_of(std::string_view text) {
  Words words;
  for (const std::string& word : split(text, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

Layers parse_layers(const std::string& text) {
  Layers layers;
  for (const std::string& line : split(text, '\n')) {
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    const size_t colon = line.find(':');
    const Words left = words_of(std::string_view(line).substr(0, colon));
    const Words right = words_of(std::string_view(line).substr(colon + 1));
    if (left.at(0) == "only") {
      layers.restrictions.push_back({{left.begin() + 1, left.end()}, {right.begin(), right.end()}});
    } else {
      layers.modules[left.at(1)] = {parse_integer(left.at(0)).value(),
                                    {right.begin(), right.end()}};
    }
  }
  for (auto& [name, module] : layers.modules) {
    if (module.level > 0) module.uses.insert("base");
    if (module.uses.erase("everything") == 0) continue;
    for (const auto& [other, its] : layers.modules) {
      if (its.level < module.level) module.uses.insert(other);
    }
  }
  return layers;
}

struct SourceFile {
  std::string name;    // as messages show it: "src/base/text.h"
  std::string module;  // "base"
  std::string within;  // "base/text.h", as an include names it
  std::string text;
};

std::vector<SourceFile> source_files() {
  std::vector<SourceFile> files;
  for (const char* top : {"src", "app"}) {
    for (const Path& path : files_below(kRoot / top)) {
      if (path.extension() != ".h" && path.extension() != ".cpp") continue;
      SourceFile file{.name = path.lexically_relative(kRoot).string(), .text = read_file(path)};
      file.within = file.name.starts_with("src/") ? file.name.substr(4) : file.name;
      file.module = file.within.substr(0, file.within.find('/'));
      files.push_back(std::move(file));
    }
  }
  return files;
}

// The header that a line includes, and whether in quotes.
struct Include {
  std::string header;
  bool is_quoted;
};

std::optional<Include> include_of(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = trimmed(line.substr(1));
  if (!line.starts_with("include")) return std::nullopt;
  line = trimmed(line.substr(7));
  const size_t end = line.find_first_of("\">", 1);
  if (line.size() < 2 || end == std::string_view::npos) return std::nullopt;
  return Include{std::string(line.substr(1, end - 1)), line[0] == '"'};
}

// What is wrong with one include, or nothing.
std::string complaint_about(const SourceFile& file, const Include& include, const Layers& layers) {
  for (const Restriction& only : layers.restrictions) {
    const bool concerned =
        std::any_of(only.prefixes.begin(), only.prefixes.end(),
                    [&](const auto& prefix) { return include.header.starts_with(prefix); });
    if (concerned && !only.places.contains(file.module) && !only.places.contains(file.within)) {
      return fmt::format("{} does not see {}", file.module, include.header);
    }
  }
  if (!include.is_quoted) return {};
  const std::string target = include.header.substr(0, include.header.find('/'));
  const bool exists = std::filesystem::exists(kRoot / "src" / include.header) ||
                      (target == "app" && std::filesystem::exists(kRoot / include.header));
  if (!exists) return fmt::format("\"{}\" is not written from src/", include.header);
  if (target == file.module) return {};
  if (!layers.modules.contains(target)) return fmt::format("{} is not in docs/layers.txt", target);
  if (layers.modules.at(file.module).uses.contains(target)) return {};
  return fmt::format("{} may not use {}", file.module, target);
}

Words complaints_about(const SourceFile& file, const Layers& layers) {
  if (!layers.modules.contains(file.module)) {
    return {fmt::format("{}:1: {} is not in docs/layers.txt", file.name, file.module)};
  }
  Words complaints;
  int64_t number = 0;
  for (const std::string& line : split(file.text, '\n')) {
    ++number;
    const auto include = include_of(line);
    const std::string complaint = include ? complaint_about(file, *include, layers) : "";
    if (!complaint.empty())
      complaints.push_back(fmt::format("{}:{}: {}", file.name, number, complaint));
  }
  return complaints;
}

Layers layers_of_this_project() { return parse_layers(read_file(kRoot / "docs/layers.txt")); }

TEST(Layers, TheTableItselfPointsDown) {
  const Layers layers = layers_of_this_project();
  ASSERT_GE(layers.modules.size(), 25u);
  for (const auto& [name, module] : layers.modules) {
    for (const std::string& used : module.uses) {
      ASSERT_TRUE(layers.modules.contains(used)) << name << " uses " << used;
      EXPECT_LT(layers.modules.at(used).level, module.level) << name << " uses " << used;
    }
  }
}

TEST(Layers, EveryIncludePointsDown) {
  const Layers layers = layers_of_this_project();
  const auto files = source_files();
  ASSERT_GE(files.size(), 40u);
  for (const SourceFile& file : files) {
    for (const std::string& complaint : complaints_about(file, layers)) ADD_FAILURE() << complaint;
  }
}

TEST(Layers, AnIncludeThatPointsUpSidewaysOrOutIsNamedWithItsLine) {
  const Layers layers = layers_of_this_project();
  const auto complaints = [&](const std::string& module, const std::string& text) {
    return complaints_about({"src/" + module + "/x.h", module, module + "/x.h", text}, layers);
  };
  using testing::ElementsAre;
  EXPECT_THAT(complaints("config", "\n#include \"base/text.h\"\n#include \"app/command.h\"\n"),
              ElementsAre("src/config/x.h:3: config may not use app"));
  EXPECT_THAT(complaints("base", "#include \"config/settings.h\"\n"),
              ElementsAre("src/base/x.h:1: base may not use config"));
  EXPECT_THAT(complaints("solve", "#  include \"config/settings.h\"\n"),
              ElementsAre("src/solve/x.h:1: solve may not use config"));
  EXPECT_THAT(complaints("config", "#include <torch/torch.h>\n"),
              ElementsAre("src/config/x.h:1: config does not see torch/torch.h"));
  EXPECT_THAT(complaints("base", "#include \"text.h\"\n"),
              ElementsAre("src/base/x.h:1: \"text.h\" is not written from src/"));
  EXPECT_THAT(complaints("train", "#include <torch/torch.h>\n#include \"base/text.h\"\n"),
              ElementsAre());
  EXPECT_THAT(complaints("misc", ""),
              ElementsAre("src/misc/x.h:1: misc is not in docs/layers.txt"));
}

TEST(Layout, FilesAreShortAndHeadersGuarded) {
  for (const SourceFile& file : source_files()) {
    EXPECT_LE(std::count(file.text.begin(), file.text.end(), '\n'), kMostLines) << file.name;
    if (!file.name.ends_with(".h")) continue;
    EXPECT_THAT(file.text, testing::HasSubstr("\n#pragma once\n")) << file.name;
    EXPECT_THAT(file.text, testing::Not(testing::HasSubstr("#ifndef TREX_"))) << file.name;
  }
}

}  // namespace
}  // namespace trex
