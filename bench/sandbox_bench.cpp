// What a sandbox adds to the start and end of a program: compare each pair. Includes both.
#include <benchmark/benchmark.h>

#include "base/process.h"
#include "sandbox/sandbox.h"

namespace {

void bare(benchmark::State& state, const std::vector<std::string>& arguments) {
  for (auto _ : state) {
    if (!trex::run_process({.arguments = arguments}).succeeded()) state.SkipWithError("failed");
  }
}

void sandboxed(benchmark::State& state, const std::vector<std::string>& arguments) {
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
