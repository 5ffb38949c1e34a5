#include "base/parallel_for.h"

#include <gmock/gmock.h>

#include <atomic>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace trex {
namespace {

TEST(ParallelFor, DoesEveryItemOnceForAnyNumberOfThreads) {
  for (const int threads : {-1, 0, 1, 2, 7, 100}) {
    std::vector<std::atomic<int>> visits(53);
    parallel_for(53, threads, [&](int64_t i) { ++visits[static_cast<size_t>(i)]; });
    for (const auto& count : visits) EXPECT_EQ(count, 1) << threads << " threads";
  }
}

TEST(ParallelFor, NoItemsMeansNoCalls) {
  int calls = 0;
  parallel_for(0, 4, [&](int64_t) { ++calls; });
  parallel_for(-3, 4, [&](int64_t) { ++calls; });
  EXPECT_EQ(calls, 0);
}

TEST(ParallelFor, OneThreadIsTheCallerInOrder) {
  std::vector<int64_t> order;
  std::set<std::thread::id> threads;
  parallel_for(5, 1, [&](int64_t i) {
    order.push_back(i);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_THAT(order, testing::ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(threads, testing::ElementsAre(std::this_thread::get_id()));
}

TEST(ParallelFor, FirstExceptionStopsNewItemsAndComesOut) {
  for (const int threads : {1, 4}) {
    std::atomic<int64_t> started{0};
    try {
      // More items than any machine finishes: only the exception can end this.
      parallel_for(std::numeric_limits<int64_t>::max() / 2, threads, [&](int64_t i) {
        ++started;
        if (i == 3) throw std::runtime_error("item 3");
      });
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "item 3");
    }
    EXPECT_GE(started, 4);
  }
}

TEST(ParallelFor, TheLowestItemsExceptionComesOutWhicheverIsThrownFirst) {
  std::atomic<bool> second_threw{false};
  try {
    parallel_for(100, 2, [&](int64_t i) {
      if (i == 0) {
        while (!second_threw) std::this_thread::yield();
        throw std::runtime_error("item 0");
      }
      second_threw = true;
      throw std::runtime_error("item 1");
    });
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "item 0");
  }
}

TEST(NumCores, IsAtLeastOne) { EXPECT_GE(num_cores(), 1); }

}  // namespace
}  // namespace trex
