// The printable alphabet in which byte-level BPE files write bytes (GPT-2's): printable Latin-1
// characters stand for themselves, the other 68 bytes for U+0100 upwards in their order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trex::tokenizer {

// "Ġhello" for " hello".
std::string to_alphabet(std::string_view bytes);

// The reverse; nothing when a character is not of the alphabet or the text is not UTF-8.
std::optional<std::string> from_alphabet(std::string_view text);

// All bytes in the order of their characters: the order in which a trained vocabulary lists them.
const std::array<uint8_t, 256>& bytes_in_alphabet_order();

}  // namespace trex::tokenizer
