// TOML files as a flat list of leaves. Only this file's source sees the TOML library.
#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "base/json.h"

namespace trex::config {

struct TomlLeaf {
  std::string key;  // dotted, relative to the section
  Json value;       // a number, text, truth value or list; tables inside lists stay objects
  int64_t line;
};

// The leaves of a file, or of one of its tables. Throws Input: not TOML (with line and column), or
// no such table (with the nearest name).
std::vector<TomlLeaf> toml_leaves(const Path& file, const std::string& section);

}  // namespace trex::config
