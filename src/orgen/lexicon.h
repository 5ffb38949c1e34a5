// The names that texts use, in lists of one kind ("foods", "towns"), each name one capitalised
// word that can stand in an LP file. Every name belongs to exactly one split, by its hash, in all
// lists: a held-out question therefore has names that no training text contains.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trex::orgen {

enum class Split { Train, Heldout };

std::string_view to_string(Split split);

// Changes when a list or the rule of the split does; part of a document's id.
inline constexpr int kLexiconVersion = 1;

// A list of seven thousand invented names ("Ferngate") that can stand for anything.
inline constexpr std::string_view kInventedNames = "invented";

// The names of a list that belong to the split, in the list's order. An unknown list is a mistake
// in a family file: a check stops the program. Any thread may call it.
const std::vector<std::string>& names_of(std::string_view list, Split split);

std::vector<std::string> lexicon_lists();

// Sentence plans are split by order of their hashes: a quarter of `plans`, rounded up, is held out.
// Gives the positions that belong to the split, at least one for each when there are two or more.
std::vector<size_t> plans_of(const std::vector<std::string>& plans, Split split);

}  // namespace trex::orgen
