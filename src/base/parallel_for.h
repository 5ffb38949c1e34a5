// Runs independent items on a few threads. Item i's result must depend on i alone, so that the
// number of threads never shows in the output.
#pragma once

#include <cstdint>
#include <functional>

namespace trex {

// Threads that this machine runs at once, at least 1.
int num_cores();

// Calls work(i) for i in [0, count) on `threads` threads, in increasing order of start. An
// exception stops new items from starting. After all threads have ended that of the lowest item is
// rethrown here: all before it had started, so it does not depend on which thread was faster.
void parallel_for(int64_t count, int threads, const std::function<void(int64_t)>& work);

}  // namespace trex
