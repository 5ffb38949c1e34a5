// UTF-8 at the edge of the tokenizer: patterns match code points, and outside bytes may be no text.
#pragma once

#include <string>
#include <string_view>

namespace trex::tokenizer {

bool is_valid_utf8(std::string_view bytes);

// Every maximal ill-formed part becomes one U+FFFD, as the Unicode standard recommends (3.9,
// "substitution of maximal subparts") and Python's bytes.decode("utf-8", "replace") does.
std::string with_replacements(std::string_view bytes);

void append_utf8(std::string& out, char32_t code_point);

// The code point at `position` of valid UTF-8; moves `position` behind it.
char32_t next_code_point(std::string_view text, size_t& position);

}  // namespace trex::tokenizer
