// The scheduler under many threads; the thread sanitizer's preset runs it too.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "base/rng.h"
#include "schedule/scheduler.h"
#include "schedule/test_support.h"

namespace trex::schedule {
namespace {

void expect_empty(const Scheduler& scheduler) {
  EXPECT_EQ(scheduler.num_queued(), 0u);
  for (const InstanceView& view : scheduler.snapshot()) {
    EXPECT_EQ(view.in_flight, 0);
    EXPECT_EQ(view.before_first_token, 0);
    EXPECT_EQ(view.decoding, 0);
    EXPECT_EQ(view.backlog_s, 0);
    EXPECT_EQ(view.kv_bytes, 0);
  }
}

TEST(SchedulerThreads, EightThreadsLeaveNothingBehind) {
  Scheduler scheduler({}, two_unlike());
  std::atomic<int> served = 0;
  const auto work = [&](uint64_t thread) {
    Rng rng(thread, "work");
    for (RequestId i = 0; i < 500; ++i) {
      const double now_s = static_cast<double>(i);
      Admission admission = scheduler.submit(simple_request(thread * 1'000 + i, 100), now_s);
      InFlight flight = std::move(admission.flight);
      if (admission.is_queued) {
        if (auto departure = scheduler.next_departure(now_s)) flight = std::move(departure->flight);
      }
      if (!flight) continue;
      ++served;
      if (rng.chance(0.8)) flight.first_token(now_s);
      if (rng.chance(0.5)) flight.completed(20, now_s + 1);
      if (rng.chance(0.01)) scheduler.explain(simple_request(1), now_s);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (uint64_t t = 0; t < 8; ++t) threads.emplace_back(work, t);
  }
  while (auto departure = scheduler.next_departure(600)) departure->flight = InFlight();
  EXPECT_GT(served, 1'000);
  expect_empty(scheduler);
}

// Requests of every kind from one thread: with prefixes, deadlines, tenants and classes; their
// flights begin, end and are dropped on it while other threads do the same.
void send_requests(Scheduler& scheduler, uint64_t thread, std::atomic<int>& served) {
  Rng rng(thread, "requests");
  std::vector<InFlight> flights;
  std::array<uint64_t, 2> blocks{};
  for (RequestId i = 0; i < 400; ++i) {
    const double now_s = 0.1 * static_cast<double>(i);
    blocks = {rng.below(20), rng.below(20)};
    Request request = simple_request(thread * 1'000 + i, rng.uniform(1, 2000));
    request.tenant = static_cast<uint32_t>(rng.below(3));
    request.priority = static_cast<Priority>(rng.below(kNumPriorities));
    request.prefix_blocks = blocks;
    if (rng.chance(0.3)) request.ttft_deadline_s = now_s + rng.uniform(0.1, 5);
    Admission admission = scheduler.submit(request, now_s);
    if (admission.flight) flights.push_back(std::move(admission.flight));
    if (admission.is_queued && rng.chance(0.2)) scheduler.cancel_queued(request.id);
    while (auto departure = scheduler.next_departure(now_s)) {
      if (departure->flight) flights.push_back(std::move(departure->flight));
    }
    while (flights.size() > 2) {
      std::swap(flights[rng.below(flights.size())], flights.back());
      if (rng.chance(0.9)) flights.back().first_token(now_s + 0.05);
      if (rng.chance(0.8)) flights.back().completed(rng.uniform(1, 100), now_s + 1);
      flights.pop_back();
      ++served;
    }
  }
}

// What gateway threads do beside requests: engines report, come, go and change; people look.
void run_cluster(Scheduler& scheduler, const std::atomic<bool>& stop) {
  Rng rng(99, "cluster");
  for (double now_s = 0; !stop; now_s += 0.1) {
    const auto instance = static_cast<InstanceIndex>(rng.below(2));
    scheduler.report_engine(instance, {.running = rng.uniform(0, 40), .at_s = now_s});
    if (rng.chance(0.05)) scheduler.set_state(instance, InstanceState::Down);
    if (rng.chance(0.05)) scheduler.set_state(instance, InstanceState::Draining);
    scheduler.set_state(instance, InstanceState::Ready);
    if (rng.chance(0.02)) scheduler.set_spec(instance, two_unlike()[instance]);
    if (rng.chance(0.01) && scheduler.snapshot().size() < 6) {
      scheduler.add_instance(simple_instance("more", {}));
    }
    if (rng.chance(0.05)) scheduler.explain(simple_request(1'000'000), now_s);
    EXPECT_GT(scheduler.sigma(instance), 0);
    EXPECT_GE(scheduler.saturation(), 0);
    EXPECT_GE(scheduler.next_expiry_s(), 0);
    std::this_thread::yield();
  }
}

TEST(SchedulerThreads, DecisionsFirstTokensEndsReportsAndChangesAtOnce) {
  Scheduler scheduler({}, two_unlike());
  std::atomic<int> served = 0;
  std::atomic<bool> stop = false;
  {
    std::jthread cluster([&] { run_cluster(scheduler, stop); });
    {
      std::vector<std::jthread> threads;
      for (uint64_t t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] { send_requests(scheduler, t, served); });
      }
    }
    stop = true;
  }
  while (auto departure = scheduler.next_departure(1'000)) departure->flight = InFlight();
  EXPECT_GT(served, 500);
  expect_empty(scheduler);
}

}  // namespace
}  // namespace trex::schedule
