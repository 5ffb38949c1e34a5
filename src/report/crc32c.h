// CRC-32C (Castagnoli), as RFC 3720 defines it, and the masked form that record files use.
#pragma once

#include <cstdint>
#include <string_view>

namespace trex::report {

uint32_t crc32c(std::string_view bytes);

// A checksum of bytes that themselves hold checksums is rotated and shifted by a constant, so that
// the two cannot cancel.
uint32_t masked_crc32c(std::string_view bytes);

}  // namespace trex::report
