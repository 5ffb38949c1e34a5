#include "report/crc32c.h"

#include <array>

namespace trex::report {
namespace {

constexpr uint32_t kReversedPolynomial = 0x82F63B78;

constexpr std::array<uint32_t, 256> make_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1) ^ ((remainder & 1) ? kReversedPolynomial : 0);
    }
    table[byte] = remainder;
  }
  return table;
}

constexpr auto kTable = make_table();

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t remainder = 0xFFFFFFFF;
  for (const char byte : bytes) {
    remainder = kTable[(remainder ^ static_cast<uint8_t>(byte)) & 0xFF] ^ (remainder >> 8);
  }
  return ~remainder;
}

uint32_t masked_crc32c(std::string_view bytes) {
  const uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8;
}

}  // namespace trex::report
