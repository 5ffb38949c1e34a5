// zstd compression of whole buffers.
#pragma once

#include <string>
#include <string_view>

namespace trex {

std::string compressed(std::string_view bytes);

// Throws Input, naming `where`, when the bytes are not a whole zstd frame.
std::string decompressed(std::string_view bytes, const std::string& where);

}  // namespace trex
