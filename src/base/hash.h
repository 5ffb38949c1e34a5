// Hashes for names, content keys and file checksums (xxHash XXH3; not cryptographic).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trex {

uint64_t hash64(std::string_view bytes, uint64_t seed = 0);

// 32 hexadecimal digits of XXH3-128, for content keys.
std::string content_hash(std::string_view bytes);

// The same over a stream of pieces: order and lengths count, so ("ab","c") differs from ("a","bc").
class ContentHasher {
 public:
  ContentHasher();
  ~ContentHasher();
  ContentHasher(const ContentHasher&) = delete;
  ContentHasher& operator=(const ContentHasher&) = delete;

  void add(std::string_view piece);
  std::string hex() const;

 private:
  void* state_;
};

}  // namespace trex
