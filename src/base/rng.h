// Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy
// as 1, 2, 3", 2011), keyed by (seed, purpose, index).
//
// A stream is a value that depends on those three alone. Any document, batch or mask can
// therefore be made again alone, on any number of workers and in any order. Two purposes never
// share a stream, so a draw added for one cannot shift another.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace trex {

// One block of Philox4x32-10: a bijection of the counter for each key.
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

// Not safe for use by two threads at once; make a stream for each.
class Rng {
 public:
  Rng(uint64_t seed, std::string_view purpose, uint64_t index = 0);

  uint64_t next();  // 64 uniform bits

  uint64_t below(uint64_t bound);              // uniform in [0, bound), without bias; bound > 0
  int64_t between(int64_t low, int64_t high);  // uniform in [low, high], both included
  double uniform();                            // in [0, 1), 53 bits
  double uniform(double low, double high);     // in [low, high)
  double normal();                             // mean 0, variance 1 (Box and Muller)
  double exponential(double rate);             // mean 1 / rate
  bool chance(double probability) { return uniform() < probability; }

  template <class T>
  const T& pick(const std::vector<T>& items) {
    return items[below(items.size())];
  }

  template <class T>
  void shuffle(std::vector<T>& items) {  // Fisher and Yates
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::array<uint32_t, 2> key_;
  std::array<uint32_t, 4> counter_;  // words 0-1 count blocks, words 2-3 hold the index
  std::array<uint32_t, 4> block_{};
  int used_ = 4;  // words of block_ already given out
};

}  // namespace trex
