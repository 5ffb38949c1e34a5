#include "tokenizer/recent_characters.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "tokenizer/utf8.h"

namespace trex::tokenizer {
namespace {

struct Range {
  uint32_t first, last;
  char category;  // letter, mark, number, punctuation, symbol or control
};

// The differences of \p{L} \p{M} \p{N} \p{P} \p{S} and \s over all code points, as
// tools/unicode_differences.py finds them. Sorted. U+180E is a space for PCRE2's \s alone.
constexpr Range kRecent[] = {
    {0x897, 0x897, 'M'},     {0xCF3, 0xCF3, 'M'},     {0xECE, 0xECE, 'M'},
    {0x180E, 0x180E, 'C'},   {0x1B4E, 0x1B4F, 'P'},   {0x1B7F, 0x1B7F, 'P'},
    {0x1C89, 0x1C8A, 'L'},   {0x2427, 0x2429, 'S'},   {0x2FFC, 0x2FFF, 'S'},
    {0x31E4, 0x31E5, 'S'},   {0x31EF, 0x31EF, 'S'},   {0xA7CB, 0xA7CD, 'L'},
    {0xA7DA, 0xA7DC, 'L'},   {0x105C0, 0x105F3, 'L'}, {0x10D40, 0x10D49, 'N'},
    {0x10D4A, 0x10D65, 'L'}, {0x10D69, 0x10D6D, 'M'}, {0x10D6E, 0x10D6E, 'P'},
    {0x10D6F, 0x10D85, 'L'}, {0x10D8E, 0x10D8F, 'S'}, {0x10EC2, 0x10EC4, 'L'},
    {0x10EFC, 0x10EFF, 'M'}, {0x1123F, 0x11240, 'L'}, {0x11241, 0x11241, 'M'},
    {0x11380, 0x11389, 'L'}, {0x1138B, 0x1138B, 'L'}, {0x1138E, 0x1138E, 'L'},
    {0x11390, 0x113B5, 'L'}, {0x113B7, 0x113B7, 'L'}, {0x113B8, 0x113C0, 'M'},
    {0x113C2, 0x113C2, 'M'}, {0x113C5, 0x113C5, 'M'}, {0x113C7, 0x113CA, 'M'},
    {0x113CC, 0x113D0, 'M'}, {0x113D1, 0x113D1, 'L'}, {0x113D2, 0x113D2, 'M'},
    {0x113D3, 0x113D3, 'L'}, {0x113D4, 0x113D5, 'P'}, {0x113D7, 0x113D8, 'P'},
    {0x113E1, 0x113E2, 'M'}, {0x116D0, 0x116E3, 'N'}, {0x11B00, 0x11B09, 'P'},
    {0x11BC0, 0x11BE0, 'L'}, {0x11BE1, 0x11BE1, 'P'}, {0x11BF0, 0x11BF9, 'N'},
    {0x11F00, 0x11F01, 'M'}, {0x11F02, 0x11F02, 'L'}, {0x11F03, 0x11F03, 'M'},
    {0x11F04, 0x11F10, 'L'}, {0x11F12, 0x11F33, 'L'}, {0x11F34, 0x11F3A, 'M'},
    {0x11F3E, 0x11F42, 'M'}, {0x11F43, 0x11F4F, 'P'}, {0x11F50, 0x11F59, 'N'},
    {0x11F5A, 0x11F5A, 'M'}, {0x1342F, 0x1342F, 'L'}, {0x13440, 0x13440, 'M'},
    {0x13441, 0x13446, 'L'}, {0x13447, 0x13455, 'M'}, {0x13460, 0x143FA, 'L'},
    {0x16100, 0x1611D, 'L'}, {0x1611E, 0x1612F, 'M'}, {0x16130, 0x16139, 'N'},
    {0x16D40, 0x16D6C, 'L'}, {0x16D6D, 0x16D6F, 'P'}, {0x16D70, 0x16D79, 'N'},
    {0x18CFF, 0x18CFF, 'L'}, {0x1B132, 0x1B132, 'L'}, {0x1B155, 0x1B155, 'L'},
    {0x1CC00, 0x1CCEF, 'S'}, {0x1CCF0, 0x1CCF9, 'N'}, {0x1CD00, 0x1CEB3, 'S'},
    {0x1D2C0, 0x1D2D3, 'N'}, {0x1DF25, 0x1DF2A, 'L'}, {0x1E030, 0x1E06D, 'L'},
    {0x1E08F, 0x1E08F, 'M'}, {0x1E4D0, 0x1E4EB, 'L'}, {0x1E4EC, 0x1E4EF, 'M'},
    {0x1E4F0, 0x1E4F9, 'N'}, {0x1E5D0, 0x1E5ED, 'L'}, {0x1E5EE, 0x1E5EF, 'M'},
    {0x1E5F0, 0x1E5F0, 'L'}, {0x1E5F1, 0x1E5FA, 'N'}, {0x1E5FF, 0x1E5FF, 'P'},
    {0x1F6DC, 0x1F6DC, 'S'}, {0x1F774, 0x1F776, 'S'}, {0x1F77B, 0x1F77F, 'S'},
    {0x1F7D9, 0x1F7D9, 'S'}, {0x1F8B2, 0x1F8BB, 'S'}, {0x1F8C0, 0x1F8C1, 'S'},
    {0x1FA75, 0x1FA77, 'S'}, {0x1FA87, 0x1FA89, 'S'}, {0x1FA8F, 0x1FA8F, 'S'},
    {0x1FAAD, 0x1FAAF, 'S'}, {0x1FABB, 0x1FABF, 'S'}, {0x1FAC6, 0x1FAC6, 'S'},
    {0x1FACE, 0x1FACF, 'S'}, {0x1FADA, 0x1FADC, 'S'}, {0x1FADF, 0x1FADF, 'S'},
    {0x1FAE8, 0x1FAE9, 'S'}, {0x1FAF7, 0x1FAF8, 'S'}, {0x1FBCB, 0x1FBEF, 'S'},
    {0x2B739, 0x2B739, 'L'}, {0x2EBF0, 0x2EE5D, 'L'}, {0x31350, 0x323AF, 'L'},
};

// Old characters that take their place: three bytes, four bytes. None is in the ranges that
// DeepSeek's patterns name (CJK ideographs and kana).
std::string_view stand_in(char category, size_t length) {
  const bool is_short = length == 3;
  switch (category) {
    case 'L':
      return is_short ? "\xEA\x80\x80" : "\xF0\x90\x90\x80";  // U+A000, U+10400
    case 'M':
      return is_short ? "\xE1\xB7\x80" : "\xF0\x9D\x85\xA5";  // U+1DC0, U+1D165
    case 'N':
      return is_short ? "\xE2\x85\xA0" : "\xF0\x90\x84\x87";  // U+2160, U+10107
    case 'P':
      return is_short ? "\xE2\x80\xA0" : "\xF0\x90\x84\x80";  // U+2020, U+10100
    case 'S':
      return is_short ? "\xE2\x86\x90" : "\xF0\x9F\x80\x80";  // U+2190, U+1F000
    default:
      return "\xE2\x80\x8B";  // U+200B
  }
}

// Whether a recent character can begin with this byte.
const std::array<bool, 256>& recent_leads() {
  static const auto kLeads = [] {
    std::array<bool, 256> leads{};
    std::string text;
    for (const Range& range : kRecent) {
      for (uint32_t c = range.first; c <= range.last; ++c) {
        text.clear();
        append_utf8(text, c);
        leads[static_cast<uint8_t>(text[0])] = true;
      }
    }
    return leads;
  }();
  return kLeads;
}

const Range* find_range(uint32_t code_point) {
  const auto* range = std::upper_bound(std::begin(kRecent), std::end(kRecent), code_point,
                                       [](uint32_t c, const Range& r) { return c < r.first; });
  if (range == std::begin(kRecent) || std::prev(range)->last < code_point) return nullptr;
  return std::prev(range);
}

}  // namespace

bool replace_recent_characters(std::string_view text, std::string& copy) {
  const auto& leads = recent_leads();
  bool found = false;
  for (size_t i = 0; i < text.size();) {
    if (!leads[static_cast<uint8_t>(text[i])]) {
      ++i;
      continue;
    }
    const size_t start = i;
    const Range* range = find_range(next_code_point(text, i));
    if (range == nullptr) continue;
    if (!found) copy.assign(text);
    found = true;
    const std::string_view old = stand_in(range->category, i - start);
    copy.replace(start, i - start, old);
  }
  return found;
}

}  // namespace trex::tokenizer
