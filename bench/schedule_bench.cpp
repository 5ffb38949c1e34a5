// Time of a scheduling decision, and memory of the prefix index.
//
// Timed: Scheduler::submit, the end of an earlier request that keeps the load level, and the first
// token of this one; the decision is the first of the three and most of the time. Not timed: making
// the cluster and filling it to a fifth of its slots, where nothing has to wait. In `cap` the clock
// stands still, so nothing is refreshed; in `cap_moving` it advances by 2 ms a decision, so that
// each instance is refreshed every 25th time. Caches are warm. allocations: calls of operator new
// per decision, in the timed part.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

#include "base/rng.h"
#include "schedule/prefix_index.h"
#include "schedule/scheduler.h"
#include "schedule/test_support.h"

namespace {
std::atomic<size_t> allocations = 0;
}

// Not inlined, or the compiler takes free() here for a mismatch with new.
[[gnu::noinline]] void* operator new(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace trex::schedule {
namespace {

std::unique_ptr<Scheduler> make_scheduler(const char* policy, int64_t num_instances) {
  SchedulerSettings settings;
  settings.policy = policy;
  settings.prefix_most_blocks = 1'000;
  std::vector<InstanceSpec> specs;
  for (int64_t i = 0; i < num_instances; ++i) {
    const double token_s = 0.01 * static_cast<double>(1 + i % 5);
    specs.push_back(simple_instance(
        "i", {.token_s = token_s, .slots = 32, .prompt_tokens_per_s = 400 / token_s}));
  }
  return std::make_unique<Scheduler>(std::move(settings), std::move(specs));
}

// A ring of requests in flight; each step ends the oldest and submits one.
class Ring {
 public:
  Ring(Scheduler& scheduler, size_t size, RequestId first_id)
      : scheduler_(scheduler), flights_(size), id_(first_id) {
    for (size_t i = 0; i < size; ++i) step(0);
  }

  void step(double now_s) {
    InFlight& place = flights_[next_];
    if (place) place.completed(100, now_s);
    Admission admission = scheduler_.submit(simple_request(++id_, 700), now_s);
    if (admission.is_queued) scheduler_.cancel_queued(id_);
    if (admission.flight) admission.flight.first_token(now_s);
    place = std::move(admission.flight);
    next_ = (next_ + 1) % flights_.size();
  }

 private:
  Scheduler& scheduler_;
  std::vector<InFlight> flights_;
  RequestId id_;
  size_t next_ = 0;
};

void decide(benchmark::State& state, const char* policy, double clock_step_s) {
  const auto scheduler = make_scheduler(policy, state.range(0));
  Ring ring(*scheduler, static_cast<size_t>(state.range(0)) * 6, 0);
  const size_t before = allocations;
  double now_s = 0;
  for (auto _ : state) ring.step(now_s += clock_step_s);
  state.counters["allocations"] =
      static_cast<double>(allocations - before) / static_cast<double>(state.iterations());
}
BENCHMARK_CAPTURE(decide, cap, "cap", 0)->Arg(16)->Arg(1'000);
BENCHMARK_CAPTURE(decide, cap_moving, "cap", 0.002)->Arg(16)->Arg(1'000);
BENCHMARK_CAPTURE(decide, weighted_least_requests, "weighted_least_requests", 0)
    ->Arg(16)
    ->Arg(1'000);
BENCHMARK_CAPTURE(decide, round_robin, "round_robin", 0)->Arg(16)->Arg(1'000);

std::unique_ptr<Scheduler> shared_scheduler;

void decide_together(benchmark::State& state) {
  Ring ring(*shared_scheduler, 32, static_cast<RequestId>(state.thread_index()) << 40);
  for (auto _ : state) ring.step(0);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(decide_together)
    ->Setup([](const benchmark::State&) { shared_scheduler = make_scheduler("cap", 16); })
    ->Teardown([](const benchmark::State&) { shared_scheduler.reset(); })
    ->ThreadRange(1, 8)
    ->UseRealTime();

// Memory over ten million distinct blocks, in prompts of sixteen.
void prefix_index(benchmark::State& state) {
  constexpr size_t kMostBlocks = 20'000, kBlocksEach = 16, kDistinct = 10'000'000;
  size_t bytes_at_start = 0, bytes_at_end = 0;
  for (auto _ : state) {
    PrefixIndex index(kMostBlocks, 120);
    index.insert(std::array<uint64_t, 1>{1}, 0);
    bytes_at_start = index.bytes();
    std::array<uint64_t, kBlocksEach> blocks;
    uint64_t parent = 0;
    for (size_t done = 0; done < kDistinct; done += kBlocksEach) {
      for (uint64_t& block : blocks)
        block = parent = parent * 6364136223846793005ULL + 1442695040888963407ULL;
      index.insert(blocks, 0);
      benchmark::DoNotOptimize(index.match(blocks, 0));
    }
    bytes_at_end = index.bytes();
    if (index.size() != kMostBlocks) state.SkipWithError("the index is not full");
  }
  if (bytes_at_end != bytes_at_start) state.SkipWithError("the index has grown");
  state.counters["MB"] = static_cast<double>(bytes_at_end) / 1e6;
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kDistinct));
}
BENCHMARK(prefix_index)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trex::schedule

BENCHMARK_MAIN();
