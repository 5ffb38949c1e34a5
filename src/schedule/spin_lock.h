// A lock for sections of about a microsecond: waiting in the kernel would take longer than the
// work.
#pragma once

#include <atomic>
#include <thread>

namespace trex::schedule {

class SpinLock {
 public:
  void lock() noexcept {
    int spins = 0;
    while (held_.test_and_set(std::memory_order_acquire)) {
      while (held_.test(std::memory_order_relaxed)) {
        // The holder may have lost its core: then only giving up ours helps.
        if (++spins % kSpinsBeforeYield == 0) std::this_thread::yield();
        __builtin_ia32_pause();
      }
    }
  }
  void unlock() noexcept { held_.clear(std::memory_order_release); }

 private:
  static constexpr int kSpinsBeforeYield = 256;
  std::atomic_flag held_;
};

}  // namespace trex::schedule
