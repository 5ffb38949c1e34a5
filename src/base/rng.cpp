#include "base/rng.h"

#include <cmath>
#include <numbers>

#include "base/check.h"
#include "base/hash.h"

namespace trex {

std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  constexpr uint64_t kMultiply0 = 0xD2511F53, kMultiply1 = 0xCD9E8D57;
  constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = kMultiply0 * counter[0];
    const uint64_t product1 = kMultiply1 * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

Rng::Rng(uint64_t seed, std::string_view purpose, uint64_t index) {
  const uint64_t key = hash64(purpose, seed);
  key_ = {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)};
  counter_ = {0, 0, static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32)};
}

uint64_t Rng::next() {
  if (used_ == 4) {
    block_ = philox4x32(counter_, key_);
    if (++counter_[0] == 0) ++counter_[1];
    used_ = 0;
  }
  const uint64_t low = block_[used_], high = block_[used_ + 1];
  used_ += 2;
  return high << 32 | low;
}

uint64_t Rng::below(uint64_t bound) {
  TREX_CHECK(bound > 0);
  // Draws in the incomplete last copy of [0, bound) would favour small values: draw again.
  const uint64_t rejected_below = (0 - bound) % bound;
  while (true) {
    const uint64_t draw = next();
    if (draw >= rejected_below) return draw % bound;
  }
}

int64_t Rng::between(int64_t low, int64_t high) {
  TREX_CHECK(low <= high, "[{}, {}]", low, high);
  const uint64_t width = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  if (width == UINT64_MAX) return static_cast<int64_t>(next());
  return static_cast<int64_t>(static_cast<uint64_t>(low) + below(width + 1));
}

double Rng::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

double Rng::uniform(double low, double high) { return low + (high - low) * uniform(); }

double Rng::normal() {
  const double radius = std::sqrt(-2 * std::log1p(-uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

double Rng::exponential(double rate) { return -std::log1p(-uniform()) / rate; }

}  // namespace trex
