// For tests: golden encodings written by tools/golden_tokenizer.py.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"

namespace trex::tokenizer {

struct GoldenText {
  std::string name;
  std::string bytes;
  std::vector<int32_t> ids;
};

inline std::string from_base64(const std::string& text) {
  static const std::string kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t buffer = 0;
  int bits = 0;
  for (const char digit : text) {
    const size_t value = kDigits.find(digit);
    if (value == std::string::npos) break;
    buffer = buffer << 6 | static_cast<uint32_t>(value);
    bits += 6;
    if (bits >= 8) bytes += static_cast<char>(buffer >> (bits -= 8) & 0xFF);
  }
  return bytes;
}

inline std::vector<GoldenText> read_golden(const std::string& name) {
  std::vector<GoldenText> texts;
  LineReader lines(Path(TREX_SOURCE_DIR) / "tests/golden/tokenizer" / name);
  while (const auto line = lines.next()) {
    const JsonObject row = line->object();
    const auto ids = row.integers("ids");
    texts.push_back({row.string("name"), from_base64(row.string("base64")),
                     std::vector<int32_t>(ids.begin(), ids.end())});
  }
  return texts;
}

}  // namespace trex::tokenizer
