// Characters that PCRE2's Unicode tables (version 14) do not know yet or class differently from the
// `tokenizers` package (Oniguruma, Unicode 17), and how to match them all the same.
#pragma once

#include <string>
#include <string_view>

namespace trex::tokenizer {

// A copy of `text` (valid UTF-8) of the same length in which each such character is replaced by an
// older one of the same class and length. For matching pre-tokenizer patterns only: offsets agree.
// Gives false, leaving `copy` alone, when there is none, which is almost always.
bool replace_recent_characters(std::string_view text, std::string& copy);

}  // namespace trex::tokenizer
