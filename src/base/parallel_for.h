// Runs independent items on a few threads. Item i's result must depend on i alone, so that the
// number of threads never shows in the output.
#pragma once

#include <cstdint>
#include <functional>

namespace trex {

// Threads that this machine runs at once, at least 1.
int num_cores();

// Calls work(i) for i in [0, count) on `threads` threads, in increasing order of start. The first
// exception stops new items from starting and is rethrown here after all threads have ended.
void parallel_for(int64_t count, int threads, const std::function<void(int64_t)>& work);

}  // namespace trex
