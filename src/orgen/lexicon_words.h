// The word lists behind orgen/lexicon.h.
#pragma once

#include <span>
#include <string_view>

namespace trex::orgen {

struct WordList {
  std::string_view name;
  std::string_view words;  // separated by blanks
};

std::span<const WordList> word_lists();

// What invented names are made of: any head with any tail ("Fern" + "gate").
struct Compounds {
  std::string_view heads, tails;  // separated by blanks
};
Compounds compounds();

}  // namespace trex::orgen
