#include "base/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace trex {

int num_cores() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

void parallel_for(int64_t count, int threads, const std::function<void(int64_t)>& work) {
  std::atomic<int64_t> next{0};
  std::mutex mutex;  // guards the two below
  std::exception_ptr failure;
  int64_t failed_item = count;
  const auto run = [&] {
    for (int64_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < failed_item) {
          failed_item = i;
          failure = std::current_exception();
        }
        next = count;
      }
    }
  };
  {
    const auto extra = std::clamp<int64_t>(threads - 1, 0, std::max<int64_t>(count - 1, 0));
    std::vector<std::jthread> others;
    for (int64_t t = 0; t < extra; ++t) others.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace trex
