#include "tokenizer/utf8.h"

#include <simdjson.h>

#include <cstdint>

namespace trex::tokenizer {
namespace {

struct Lead {
  int length;         // of the whole sequence; 0 when no sequence begins with this byte
  uint8_t low, high;  // what the second byte may be
};

Lead lead_of(uint8_t byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};  // no surrogates
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

// Length of the well-formed sequence at `position`, or minus that of the maximal ill-formed part.
int sequence_at(std::string_view bytes, size_t position) {
  const Lead lead = lead_of(static_cast<uint8_t>(bytes[position]));
  if (lead.length == 0) return -1;
  for (int i = 1; i < lead.length; ++i) {
    if (position + i >= bytes.size()) return -i;
    const auto byte = static_cast<uint8_t>(bytes[position + i]);
    const uint8_t low = i == 1 ? lead.low : 0x80, high = i == 1 ? lead.high : 0xBF;
    if (byte < low || byte > high) return -i;
  }
  return lead.length;
}

}  // namespace

bool is_valid_utf8(std::string_view bytes) {
  return simdjson::validate_utf8(bytes.data(), bytes.size());
}

std::string with_replacements(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + 16);
  for (size_t i = 0; i < bytes.size();) {
    const int length = sequence_at(bytes, i);
    if (length > 0) {
      text.append(bytes.substr(i, length));
    } else {
      text.append("\xEF\xBF\xBD");
    }
    i += length > 0 ? length : -length;
  }
  return text;
}

void append_utf8(std::string& out, char32_t code_point) {
  const auto c = static_cast<uint32_t>(code_point);
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
  } else {
    if (c < 0x10000) {
      out += static_cast<char>(0xE0 | c >> 12);
    } else {
      out += static_cast<char>(0xF0 | c >> 18);
      out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
    }
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
  }
  out += static_cast<char>(0x80 | (c & 0x3F));
}

char32_t next_code_point(std::string_view text, size_t& position) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(text[i])); };
  const uint32_t first = byte(position);
  const int length = lead_of(static_cast<uint8_t>(first)).length;
  uint32_t c = length == 1 ? first : first & (0xFFu >> (length + 1));
  for (int i = 1; i < length; ++i) c = c << 6 | (byte(position + i) & 0x3F);
  position += length;
  return static_cast<char32_t>(c);
}

}  // namespace trex::tokenizer
