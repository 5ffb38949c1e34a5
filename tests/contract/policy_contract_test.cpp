// Every routing policy in the registry keeps the same promises (src/schedule/policies).
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <new>

#include "base/rng.h"
#include "schedule/cluster.h"
#include "schedule/scheduler.h"
#include "schedule/test_support.h"
#include "schedule/virtual_engines.h"

// Every allocation of this program is counted.
namespace {
size_t allocations = 0;
size_t live_bytes = 0;
}  // namespace

void* operator new(size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  ++allocations;
  live_bytes += malloc_usable_size(memory);
  return memory;
}
void operator delete(void* memory) noexcept {
  if (memory != nullptr) live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept { operator delete(memory); }

namespace trex::schedule {
namespace {

std::vector<std::string> policies() { return Registry<PolicyEntry>::instance().names(); }

const PolicyEntry& entry_of(const std::string& name) {
  return *Registry<PolicyEntry>::instance().find(name);
}

SchedulerSettings with_policy(const std::string& policy) {
  SchedulerSettings settings;
  settings.policy = policy;
  settings.prefix_most_blocks = 500;
  return settings;
}

std::vector<InstanceSpec> unlike(size_t count) {
  std::vector<InstanceSpec> specs;
  for (size_t i = 0; i < count; ++i) {
    const double token_s = 0.01 * (1 + static_cast<double>(i % 5));
    specs.push_back(
        simple_instance("i" + std::to_string(i),
                        {.token_s = token_s, .slots = 16, .prompt_tokens_per_s = 400 / token_s}));
  }
  return specs;
}

// Submits requests and ends a random one whenever `most` are in flight; gives the chosen instances.
class Traffic {
 public:
  Traffic(Scheduler& scheduler, uint64_t seed, size_t most)
      : scheduler_(scheduler), rng_(seed, "traffic"), most_(most) {
    flights_.reserve(most + 1);
  }

  std::vector<InstanceIndex> chosen;
  bool remembers = true;
  size_t allocations_deciding = 0;  // in steps in which nothing had to wait: waiting may allocate

  void step() {
    const size_t before = allocations;
    if (!decide() && scheduler_.num_queued() == 0) allocations_deciding += allocations - before;
  }

 private:
  // True if a request waited.
  bool decide() {
    now_s_ += rng_.exponential(10);
    blocks_ = {rng_.next(), rng_.next()};
    Request request = simple_request(++id_, rng_.uniform(1, 2000));
    request.workload = static_cast<uint32_t>(rng_.below(3));
    request.tenant = static_cast<uint32_t>(rng_.below(3));
    request.prefix_blocks = blocks_;
    Admission admission = scheduler_.submit(request, now_s_);
    take(std::move(admission.flight));
    while (flights_.size() >= most_) end_one();
    while (auto departure = scheduler_.next_departure(now_s_)) take(std::move(departure->flight));
    return admission.is_queued;
  }

  void take(InFlight flight) {
    if (!flight) return;
    if (remembers) chosen.push_back(flight.instance());
    if (rng_.chance(0.7)) flight.first_token(now_s_);
    flights_.push_back(std::move(flight));
  }

  void end_one() {
    std::swap(flights_[rng_.below(flights_.size())], flights_.back());
    if (rng_.chance(0.9)) {
      flights_.back().completed(std::floor(rng_.exponential(1.0 / 200)) + 1, now_s_);
    }
    flights_.pop_back();
  }

  Scheduler& scheduler_;
  Rng rng_;
  size_t most_;
  RequestId id_ = 0;
  double now_s_ = 0;
  std::array<uint64_t, 2> blocks_{};
  std::vector<InFlight> flights_;
};

class Policies : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Policies, testing::ValuesIn(policies()),
                         [](const auto& policy) { return policy.param; });

TEST(PolicyRegistry, HoldsThemAll) { EXPECT_GE(policies().size(), 20u); }

TEST_P(Policies, WorkWithOneInstanceAndWithAThousand) {
  for (const size_t count : {1, 1000}) {
    Scheduler scheduler(with_policy(GetParam()), unlike(count));
    Traffic traffic(scheduler, 1, 12);
    for (int i = 0; i < 100; ++i) traffic.step();
    EXPECT_GT(traffic.chosen.size(), 50u);
    for (const InstanceIndex instance : traffic.chosen) ASSERT_LT(instance, count);
  }
}

TEST_P(Policies, ChooseTheSameForTheSameSeed) {
  const auto choices = [&] {
    Scheduler scheduler(with_policy(GetParam()), unlike(7));
    Traffic traffic(scheduler, 3, 60);
    for (int i = 0; i < 400; ++i) traffic.step();
    return traffic.chosen;
  };
  EXPECT_EQ(choices(), choices());
}

TEST_P(Policies, NeverChooseAnInstanceThatIsNotReadyWhileTheyComeAndGo) {
  Scheduler scheduler(with_policy(GetParam()), unlike(5));
  Traffic traffic(scheduler, 5, 30);
  Rng rng(5, "changes");
  std::vector<bool> is_ready(5, true);
  for (int i = 0; i < 600; ++i) {
    const auto instance = static_cast<InstanceIndex>(rng.below(is_ready.size()));
    if (rng.chance(0.1)) {
      const auto state = std::array{InstanceState::Ready, InstanceState::Draining,
                                    InstanceState::Ejected, InstanceState::Down}[rng.below(4)];
      scheduler.set_state(instance, state);
      is_ready[instance] = state == InstanceState::Ready;
    } else if (rng.chance(0.02)) {
      scheduler.add_instance(unlike(1)[0]);
      is_ready.push_back(true);
    }
    const size_t before = traffic.chosen.size();
    traffic.step();
    for (size_t c = before; c < traffic.chosen.size(); ++c)
      ASSERT_TRUE(is_ready[traffic.chosen[c]]);
  }
}

TEST_P(Policies, LeaveNothingCountedWhenAllHasEnded) {
  Scheduler scheduler(with_policy(GetParam()), unlike(5));
  {
    Traffic traffic(scheduler, 9, 120);  // more than there are slots: some wait
    for (int i = 0; i < 400; ++i) traffic.step();
    double in_flight = 0;
    for (const InstanceView& view : scheduler.snapshot()) in_flight += view.in_flight;
    EXPECT_GT(in_flight, 50);
  }
  while (auto departure = scheduler.next_departure(1e6)) departure->flight = InFlight();
  EXPECT_EQ(scheduler.num_queued(), 0u);
  for (const InstanceView& view : scheduler.snapshot()) {
    EXPECT_EQ(view.in_flight, 0);
    EXPECT_EQ(view.before_first_token, 0);
    EXPECT_EQ(view.decoding, 0);
    EXPECT_EQ(view.uncached_tokens, 0);
    EXPECT_EQ(view.output_tokens_left, 0);
    EXPECT_EQ(view.kv_bytes, 0);
  }
}

// Poisson arrivals at a share of what the engines can serve, answers of 200 tokens in the mean.
std::vector<Arrival> arrivals_at(double requests_per_s, double seconds) {
  Rng rng(11, "arrivals");
  std::vector<Arrival> arrivals;
  for (double at_s = 0; at_s < seconds; at_s += rng.exponential(requests_per_s)) {
    arrivals.push_back({at_s, rng.uniform(100, 2000), std::floor(rng.exponential(1.0 / 200)) + 1});
  }
  return arrivals;
}

// A policy that is blind looks at neither load nor capability and promises nothing here.
std::vector<std::string> seeing_policies() {
  std::vector<std::string> names = policies();
  std::erase_if(names, [](const std::string& name) { return entry_of(name).is_blind; });
  return names;
}
class SeeingPolicies : public Policies {};
INSTANTIATE_TEST_SUITE_P(All, SeeingPolicies, testing::ValuesIn(seeing_policies()),
                         [](const auto& policy) { return policy.param; });

// least_requests, p2c and vtc (whose subject is the queue's order) compare counts and see speed
// only by what is still in flight; bounded_hash goes by the prompt's beginning as long as load
// allows.
bool goes_by_delay(const std::string& policy) {
  return policy != "least_requests" && policy != "p2c" && policy != "vtc" &&
         policy != "bounded_hash";
}

TEST_P(SeeingPolicies, AFastInstanceGetsAllUntilItsDelayPassesTheOthers) {
  if (!goes_by_delay(GetParam())) return;
  std::vector<InstanceSpec> specs(
      4, simple_instance("slow", {.token_s = 0.1, .slots = 8, .prompt_tokens_per_s = 4'000}));
  specs[2] =
      simple_instance("fast", {.token_s = 0.004, .slots = 8, .prompt_tokens_per_s = 100'000});
  Scheduler scheduler(with_policy(GetParam()), specs);
  std::vector<InFlight> flights;
  for (RequestId id = 0; id < 6; ++id) {
    flights.push_back(std::move(scheduler.submit(simple_request(id), 0).flight));
    ASSERT_TRUE(flights.back());
    EXPECT_EQ(flights.back().instance(), 2u) << "request " << id;
  }
}

TEST_P(SeeingPolicies, AnInstanceTenTimesFasterGetsMoreWork) {
  // 16 / (200 x 0.01) = 8 and 0.8 requests/s.
  const std::vector<SimpleEngine> engines{
      {.token_s = 0.1, .slots = 16, .prompt_tokens_per_s = 4'000},
      {.token_s = 0.01, .slots = 16, .prompt_tokens_per_s = 40'000}};
  const Outcome outcome = run_engines(with_policy(GetParam()), engines, arrivals_at(7, 60));
  EXPECT_GT(outcome.served[1], 2 * outcome.served[0]);
}

TEST_P(Policies, NoInstanceStarvesUnderUniformLoad) {
  const std::vector<SimpleEngine> engines(4, {.token_s = 0.01, .slots = 16});
  const std::vector<Arrival> arrivals = arrivals_at(22, 30);
  const Outcome outcome = run_engines(with_policy(GetParam()), engines, arrivals);
  for (const int served : outcome.served) EXPECT_GT(served, static_cast<int>(arrivals.size()) / 8);
}

// An instance's prefix index is allocated when it gets its first prefix.
void visit_each_instance(Scheduler& scheduler, Traffic& traffic) {
  const auto count = static_cast<InstanceIndex>(scheduler.snapshot().size());
  for (InstanceIndex only = 0; only < count; ++only) {
    for (InstanceIndex i = 0; i < count; ++i) {
      scheduler.set_state(i, i == only ? InstanceState::Ready : InstanceState::Draining);
    }
    traffic.step();
  }
  for (InstanceIndex i = 0; i < count; ++i) scheduler.set_state(i, InstanceState::Ready);
}

TEST_P(Policies, DecideWithoutAllocatingAndInBoundedMemory) {
  Scheduler scheduler(with_policy(GetParam()), unlike(16));
  Traffic traffic(scheduler, 7, 32);
  visit_each_instance(scheduler, traffic);
  for (int i = 0; i < 3'000; ++i) traffic.step();
  traffic.remembers = false;
  traffic.allocations_deciding = 0;
  const size_t bytes_before = live_bytes;
  timespec from{}, to{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
  constexpr int kSteps = 10'000;  // each with a prefix never seen before
  for (int i = 0; i < kSteps; ++i) traffic.step();
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
  EXPECT_EQ(traffic.allocations_deciding, 0u);
  EXPECT_LE(live_bytes, bytes_before + 4096);
  // A step is two decisions, a first token and an end. The bench has the sharp numbers.
  const double step_s = (static_cast<double>(to.tv_sec - from.tv_sec) +
                         1e-9 * static_cast<double>(to.tv_nsec - from.tv_nsec)) /
                        kSteps;
  EXPECT_LT(step_s, 500e-6);
}

// A state at random: the real counters with random flights, seen by one request.
class RandomState {
 public:
  RandomState(uint64_t seed, double time_scale)
      : cluster_(settings()), now_s_(0.03 * time_scale) {  // some prompts are being read
    Rng rng(seed, "state");
    const size_t count = 2 + rng.below(6);
    for (size_t i = 0; i < count; ++i) {
      const double token_s = time_scale * rng.uniform(0.005, 0.05);
      cluster_.add(
          simple_instance("i", {.token_s = token_s,
                                .slots = static_cast<int64_t>(4 + rng.below(12)),
                                .prompt_tokens_per_s = rng.uniform(5'000, 40'000) / time_scale}));
      cached_.push_back(rng.chance(0.3) ? rng.uniform(0, 900) : 0);
      for (uint64_t flights = rng.below(20); flights-- > 0;) {
        const FlightId flight = start(static_cast<InstanceIndex>(i), rng.uniform(100, 3000));
        if (rng.chance(0.6)) cluster_.first_token(flight, 0);
      }
    }
    bytes_.assign(count, 0);
  }

  FlightId start(InstanceIndex i, double prompt_tokens) {
    return cluster_.start(i, simple_request(0, prompt_tokens), {200, 400, 800}, 0, 0);
  }

  size_t size() const { return cluster_.size(); }

  // The chosen index, or kHold; with the instances in the given order.
  size_t pick(const PolicyEntry& entry, const PolicySettings& settings, uint64_t seed,
              const std::vector<size_t>& order) const {
    const auto policy = entry.make(settings);
    policy->instances_changed(cluster_.views());
    std::vector<InstanceView> ready;
    std::vector<double> cached;
    for (const size_t i : order) {
      ready.push_back(cluster_.view_at(static_cast<InstanceIndex>(i), now_s_));
      cached.push_back(cached_[i]);
    }
    const Request request = simple_request(1, 1000);
    Rng rng(seed, "pick");
    const size_t position = policy->pick({.request = request,
                                          .output = {200, 400, 800},
                                          .ready = ready,
                                          .cached_tokens = cached,
                                          .kv_bytes = bytes_,
                                          .now_s = now_s_,
                                          .queued = 1},
                                         rng);
    return position == kHold ? kHold : order[position];
  }

  std::vector<size_t> in_order() const {
    std::vector<size_t> order(size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    return order;
  }

 private:
  static ClusterSettings settings() {
    ClusterSettings settings;
    settings.measure_speed = false;
    return settings;
  }

  Cluster cluster_;
  double now_s_;
  std::vector<double> cached_, bytes_;
};

constexpr uint64_t kStates = 300;

TEST_P(Policies, MoreLoadNeverMakesAnInstanceMoreAttractive) {
  for (uint64_t seed = 0; seed < kStates; ++seed) {
    RandomState state(seed, 1);
    const size_t before = state.pick(entry_of(GetParam()), {}, seed, state.in_order());
    const size_t loaded = seed % state.size();
    if (before == loaded) continue;
    state.start(static_cast<InstanceIndex>(loaded), 2000);
    EXPECT_NE(state.pick(entry_of(GetParam()), {}, seed, state.in_order()), loaded)
        << "state " << seed;
  }
}

TEST_P(Policies, OnlyRelativeSpeedsMatter) {
  PolicySettings slower;
  slower.ttft_limit_s *= 8;
  slower.tpot_limit_s *= 8;
  slower.kv_price_s *= 8;
  for (uint64_t seed = 0; seed < kStates; ++seed) {
    const RandomState state(seed, 1), slow_state(seed, 8);
    EXPECT_EQ(state.pick(entry_of(GetParam()), {}, seed, state.in_order()),
              slow_state.pick(entry_of(GetParam()), slower, seed, state.in_order()))
        << "state " << seed;
  }
}

TEST_P(Policies, TheOrderOfInstancesDoesNotMatter) {
  for (uint64_t seed = 0; seed < kStates; ++seed) {
    const RandomState state(seed, 1);
    std::vector<size_t> order = state.in_order();
    const size_t choice = state.pick(entry_of(GetParam()), {}, 0, order);
    bool is_drawn = false;  // where the dice decide, positions matter
    for (uint64_t dice = 1; dice <= 8; ++dice) {
      is_drawn = is_drawn || state.pick(entry_of(GetParam()), {}, dice, order) != choice;
    }
    if (is_drawn) continue;
    Rng rng(seed, "order");
    rng.shuffle(order);
    EXPECT_EQ(state.pick(entry_of(GetParam()), {}, 0, order), choice) << "state " << seed;
  }
}

}  // namespace
}  // namespace trex::schedule
