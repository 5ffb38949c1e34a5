#include "base/hash.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace trex {
namespace {

std::string hex_of(XXH128_hash_t hash) {
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace

uint64_t hash64(std::string_view bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::string content_hash(std::string_view bytes) {
  return hex_of(XXH3_128bits(bytes.data(), bytes.size()));
}

ContentHasher::ContentHasher() : state_(XXH3_createState()) {
  XXH3_128bits_reset(static_cast<XXH3_state_t*>(state_));
}

ContentHasher::~ContentHasher() { XXH3_freeState(static_cast<XXH3_state_t*>(state_)); }

void ContentHasher::add(std::string_view piece) {
  auto* state = static_cast<XXH3_state_t*>(state_);
  const uint64_t length = piece.size();
  XXH3_128bits_update(state, &length, sizeof length);
  XXH3_128bits_update(state, piece.data(), piece.size());
}

std::string ContentHasher::hex() const {
  return hex_of(XXH3_128bits_digest(static_cast<const XXH3_state_t*>(state_)));
}

}  // namespace trex
