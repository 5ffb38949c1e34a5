#include "tokenizer/byte_alphabet.h"

#include <algorithm>
#include <numeric>

#include "tokenizer/utf8.h"

namespace trex::tokenizer {
namespace {

constexpr char32_t kNumCharacters = 256 + 68;

struct Alphabet {
  std::array<char32_t, 256> character_of;
  std::array<int16_t, kNumCharacters> byte_of;
  std::array<uint8_t, 256> ordered;

  Alphabet() {
    byte_of.fill(-1);
    char32_t next = 256;
    for (int byte = 0; byte < 256; ++byte) {
      const bool printable =
          (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      character_of[byte] = printable ? static_cast<char32_t>(byte) : next++;
      byte_of[character_of[byte]] = static_cast<int16_t>(byte);
    }
    std::iota(ordered.begin(), ordered.end(), uint8_t{0});
    std::sort(ordered.begin(), ordered.end(),
              [&](uint8_t a, uint8_t b) { return character_of[a] < character_of[b]; });
  }
};

const Alphabet& alphabet() {
  static const Alphabet kAlphabet;
  return kAlphabet;
}

}  // namespace

std::string to_alphabet(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char byte : bytes)
    append_utf8(text, alphabet().character_of[static_cast<uint8_t>(byte)]);
  return text;
}

std::optional<std::string> from_alphabet(std::string_view text) {
  if (!is_valid_utf8(text)) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const char32_t character = next_code_point(text, i);
    if (character >= kNumCharacters || alphabet().byte_of[character] < 0) return std::nullopt;
    bytes += static_cast<char>(alphabet().byte_of[character]);
  }
  return bytes;
}

const std::array<uint8_t, 256>& bytes_in_alphabet_order() { return alphabet().ordered; }

}  // namespace trex::tokenizer
