// What a sandbox adds to the start and end of a program: compare each pair. Includes both. On a
// busy machine compare cpu_ms, the processor time of this process and its children in user and
// kernel mode; it leaves out what kernel threads tidy up behind a namespace.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "base/process.h"
#include "sandbox/sandbox.h"

namespace {

double cpu_ms() {
  double milliseconds = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    struct rusage usage {};
    ::getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      milliseconds +=
          static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
    }
  }
  return milliseconds;
}

// Reports the processor time between its construction and its end.
class CpuTime {
 public:
  explicit CpuTime(benchmark::State& state) : state_(state) {}
  ~CpuTime() {
    state_.counters["cpu_ms"] =
        benchmark::Counter(cpu_ms() - start_, benchmark::Counter::kAvgIterations);
  }
  CpuTime(const CpuTime&) = delete;
  CpuTime& operator=(const CpuTime&) = delete;

 private:
  benchmark::State& state_;
  double start_ = cpu_ms();
};

void bare(benchmark::State& state, const std::vector<std::string>& arguments) {
  const CpuTime cpu(state);
  for (auto _ : state) {
    if (!trex::run_process({.arguments = arguments}).succeeded()) state.SkipWithError("failed");
  }
}

void sandboxed(benchmark::State& state, const std::vector<std::string>& arguments) {
  const CpuTime cpu(state);
  for (auto _ : state) {
    if (trex::sandbox::run({.arguments = arguments}).exit_code != 0) state.SkipWithError("failed");
  }
}

const std::vector<std::string> kNothing{"/usr/bin/true"};
const std::vector<std::string> kPython{trex::sandbox::kPython, "-sPB", "-c", "0"};

BENCHMARK_CAPTURE(bare, true, kNothing)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sandboxed, true, kNothing)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bare, python, kPython)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sandboxed, python, kPython)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
