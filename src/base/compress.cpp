#include "base/compress.h"

#include <zstd.h>

#include <memory>

#include "base/check.h"
#include "base/error.h"

namespace trex {

std::string compressed(std::string_view bytes) {
  constexpr int kLevel = 19;  // files are written once and read often
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kLevel);
  TREX_CHECK(!ZSTD_isError(size), "{}", ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

std::string decompressed(std::string_view bytes, const std::string& where) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          &ZSTD_freeDStream);
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::string out;
  std::string piece(ZSTD_DStreamOutSize(), '\0');
  size_t expected_more = 1;
  while (in.pos < in.size) {
    ZSTD_outBuffer target{piece.data(), piece.size(), 0};
    expected_more = ZSTD_decompressStream(stream.get(), &target, &in);
    if (ZSTD_isError(expected_more)) {
      throw input_error(where, "", "zstd data", ZSTD_getErrorName(expected_more));
    }
    out.append(piece, 0, target.pos);
    while (target.pos == target.size && expected_more != 0) {
      target = {piece.data(), piece.size(), 0};
      expected_more = ZSTD_decompressStream(stream.get(), &target, &in);
      if (ZSTD_isError(expected_more)) {
        throw input_error(where, "", "zstd data", ZSTD_getErrorName(expected_more));
      }
      out.append(piece, 0, target.pos);
    }
  }
  if (expected_more != 0) throw input_error(where, "", "a whole zstd frame", "one that ends early");
  return out;
}

}  // namespace trex
