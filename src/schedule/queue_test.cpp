#include "schedule/queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/rng.h"

namespace trex::schedule {
namespace {

Request waiting(RequestId id, Priority priority = Priority::Default, uint32_t tenant = 0) {
  Request request;
  request.id = id;
  request.priority = priority;
  request.tenant = tenant;
  return request;
}

// All that wait, in the order in which they would leave if nothing was charged.
std::vector<RequestId> order_of(CentralQueue& queue, double now_s) {
  std::vector<RequestId> order;
  for (size_t depth = 0; const Waiting* next = queue.peek(depth, now_s); ++depth) {
    order.push_back(next->request.id);
  }
  return order;
}

RequestId depart(CentralQueue& queue, double now_s) {
  const RequestId id = queue.peek(0, now_s)->request.id;
  queue.depart(id);
  return id;
}

using Ids = std::vector<RequestId>;

TEST(CentralQueue, HigherClassesGoFirstAndEqualsByArrival) {
  CentralQueue queue({});
  queue.push(waiting(1, Priority::Bulk), 0);
  queue.push(waiting(2, Priority::Default), 0);
  queue.push(waiting(3, Priority::Interactive), 0);
  queue.push(waiting(4, Priority::System), 0);
  queue.push(waiting(5, Priority::Interactive), 0);
  EXPECT_EQ(order_of(queue, 0), (Ids{4, 3, 5, 2, 1}));
}

TEST(CentralQueue, EarliestDeadlineGoesFirstWithinATenant) {
  CentralQueue queue({});
  for (const auto& [id, deadline_s] :
       std::vector<std::pair<RequestId, double>>{{1, 0}, {2, 9}, {3, 5}}) {
    Request request = waiting(id);
    request.ttft_deadline_s = deadline_s;
    queue.push(request, 0);
  }
  EXPECT_EQ(order_of(queue, 0), (Ids{3, 2, 1}));  // one without a deadline comes last
}

// A request whose prompt takes `prompt_s`, to be done at `deadline_s`.
struct Timed {
  double deadline_s, prompt_s;
};

// How many have their first token in time when engines that are free at those times read prompts
// one after the other. Whoever can no longer be in time is shed, as the scheduler does.
// `departures_per_s` 0: the queue expects nobody to be late and keeps to the earliest deadline.
int met_deadlines(const std::vector<Timed>& requests, std::vector<double> free_s,
                  double departures_per_s) {
  CentralQueue queue({});
  for (size_t i = 0; i < requests.size(); ++i) {
    Request request = waiting(i);
    request.ttft_deadline_s = requests[i].deadline_s;
    queue.push(request, 0, requests[i].prompt_s);
  }
  queue.expect_departures(departures_per_s);
  int met = 0;
  while (queue.size() > 0) {
    double& engine_s = *std::min_element(free_s.begin(), free_s.end());
    const RequestId id = depart(queue, engine_s);
    const Timed& request = requests[id];
    if (engine_s + request.prompt_s > request.deadline_s) continue;
    engine_s += request.prompt_s;
    ++met;
  }
  return met;
}

// The second must begin by 3. Taken by deadline, the first has the engine that is free at 3, and at
// 4 it is too late for the second, though the first could have waited for the engine free at 5.
TEST(CentralQueue, UnderOverloadLeastSlackMeetsMoreDeadlines) {
  const std::vector<Timed> requests{{10, 1}, {12, 9}};
  EXPECT_EQ(met_deadlines(requests, {3, 5}, 0), 1);
  EXPECT_EQ(met_deadlines(requests, {3, 5}, 1), 2);
}

// By least slack the third would go first, from 0 to 6, and the others be late.
TEST(CentralQueue, AFeasibleQueueMeetsAllByDeadline) {
  const std::vector<Timed> requests{{2, 0.5}, {3, 0.5}, {7.4, 6}};
  EXPECT_EQ(met_deadlines(requests, {0}, 2), 3);
  // One that leaves in 10 s: the second is expected to be late, and the order changes.
  EXPECT_LT(met_deadlines(requests, {0}, 0.1), 3);
}

TEST(CentralQueue, SlackOrdersWithinATenantOnlyAndLatestFirst) {
  CentralQueue queue({});
  const auto push = [&](RequestId id, uint32_t tenant, double deadline_s, double prompt_s) {
    Request request = waiting(id, Priority::Default, tenant);
    request.ttft_deadline_s = deadline_s;
    queue.push(request, 0, prompt_s);
  };
  push(1, 0, 5, 0);
  push(2, 0, 6, 4);  // must begin by 2
  push(3, 1, 4, 3);  // by 1
  push(4, 0, 0, 0);  // whenever
  queue.charge(1, 10, 0);
  EXPECT_EQ(order_of(queue, 0), (Ids{1, 2, 4, 3}));
  queue.expect_departures(0.5);  // the second of tenant 0 begins in time, the one of tenant 1 not
  EXPECT_EQ(order_of(queue, 0), (Ids{2, 1, 4, 3}));
  EXPECT_EQ(order_of(queue, 3), (Ids{2, 1, 4, 3}));  // too late by then: to be shed first
  EXPECT_TRUE(queue.remove(2));
  EXPECT_EQ(order_of(queue, 3), (Ids{1, 4, 3}));
}

TEST(CentralQueue, LongWaitingGoesBeforeHigherClasses) {
  CentralQueue queue({.ageing_s = 30});
  queue.push(waiting(1, Priority::Bulk), 0);
  queue.push(waiting(2, Priority::Interactive), 20);
  EXPECT_EQ(order_of(queue, 30).front(), 2u);
  EXPECT_EQ(order_of(queue, 31).front(), 1u);
}

TEST(CentralQueue, EachClassThatWaitsKeepsItsShareOfDepartures) {
  CentralQueue queue({.ageing_s = 1e9, .reserved_share = 0.05});
  RequestId id = 0;
  for (int i = 0; i < 300; ++i) queue.push(waiting(++id, Priority::Bulk), 0);
  int bulk = 0;
  constexpr int kDepartures = 2'000;
  for (int i = 0; i < kDepartures; ++i) {
    queue.push(waiting(++id, Priority::Interactive), 0);
    bulk += depart(queue, 0) <= 300;
  }
  EXPECT_NEAR(bulk / double{kDepartures}, 0.05, 0.005);
}

TEST(CentralQueue, TenantsAreServedByTheirWeightsWithinFivePercent) {
  CentralQueue queue({.tenant_weights = {1, 2, 1}});
  Rng rng(1, "sizes");
  std::vector<double> served(3);
  RequestId id = 0;
  const auto refill = [&](uint32_t tenant) {
    queue.push(waiting(++id, Priority::Default, tenant), 0);
  };
  for (int i = 0; i < 20; ++i) {
    for (uint32_t tenant = 0; tenant < 3; ++tenant) refill(tenant);
  }
  for (int i = 0; i < 8'000; ++i) {
    const Request next = queue.peek(0, 0)->request;
    queue.depart(next.id);
    // Tenant 2's requests are ten times as large: fairness is of tokens, not of requests.
    const double scale = next.tenant == 2 ? 10 : 1;
    const double prompt = scale * rng.uniform(100, 2000),
                 output = scale * rng.exponential(1.0 / 200);
    queue.charge(next.tenant, prompt, output);
    served[next.tenant] += prompt + 2 * output;
    refill(next.tenant);
  }
  EXPECT_NEAR(served[1] / served[0], 2, 0.1);
  EXPECT_NEAR(served[2] / served[0], 1, 0.05);
}

TEST(CentralQueue, IdlingEarnsNoCredit) {
  CentralQueue queue({});
  queue.push(waiting(1, Priority::Default, 0), 0);
  queue.charge(0, 1'000'000, 0);  // tenant 0 was served for long while tenant 1 was away
  queue.push(waiting(2, Priority::Default, 1), 0);
  queue.push(waiting(3, Priority::Default, 1), 0);
  queue.charge(1, 10, 0);  // from the level of tenant 0 on, tenant 1 has used more
  EXPECT_EQ(order_of(queue, 0), (Ids{1, 2, 3}));
}

TEST(CentralQueue, LooksNoFurtherThanItsLookAhead) {
  CentralQueue queue({});
  for (RequestId id = 1; id <= 100; ++id) queue.push(waiting(id), 0);
  EXPECT_EQ(queue.peek(CentralQueue::kLookAhead - 1, 0)->request.id, CentralQueue::kLookAhead);
  EXPECT_EQ(queue.peek(CentralQueue::kLookAhead, 0), nullptr);
}

TEST(CentralQueue, RequestsExpireInOrderOfWaiting) {
  CentralQueue queue({.longest_wait_s = 10});
  EXPECT_EQ(queue.next_expiry_s(), std::numeric_limits<double>::infinity());
  queue.push(waiting(1), 0);
  queue.push(waiting(2), 3);
  queue.push(waiting(3), 4);
  EXPECT_TRUE(queue.remove(2));
  EXPECT_FALSE(queue.remove(2));
  EXPECT_DOUBLE_EQ(queue.next_expiry_s(), 10);
  EXPECT_FALSE(queue.pop_expired(9.9));
  EXPECT_EQ(queue.pop_expired(10)->id, 1u);
  EXPECT_DOUBLE_EQ(queue.next_expiry_s(), 14);
  EXPECT_FALSE(queue.pop_expired(13));
  EXPECT_EQ(queue.pop_expired(14)->id, 3u);
  EXPECT_EQ(queue.size(), 0u);
}

TEST(CentralQueue, EachClassHasItsOwnRoom) {
  CentralQueue queue({.most_waiting = 2});
  queue.push(waiting(1, Priority::Bulk), 0);
  queue.push(waiting(2, Priority::Bulk), 0);
  EXPECT_FALSE(queue.has_room(Priority::Bulk));
  EXPECT_TRUE(queue.has_room(Priority::Interactive));
}

TEST(CentralQueue, OwnsThePrefixBlocksOfThoseThatWait) {
  CentralQueue queue({});
  {
    const std::vector<uint64_t> blocks{7, 8};
    Request request = waiting(1);
    request.prefix_blocks = blocks;
    queue.push(request, 0);
  }
  for (RequestId id = 2; id < 200; ++id) queue.push(waiting(id, Priority::Bulk), 0);
  const auto kept = queue.peek(0, 0)->request.prefix_blocks;
  EXPECT_EQ(std::vector<uint64_t>(kept.begin(), kept.end()), (std::vector<uint64_t>{7, 8}));
}

// Whatever comes and goes, each request is either waiting or has left once.
TEST(CentralQueue, LosesAndDoublesNothingUnderRandomUseSeeds1To3) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    Rng rng(seed, "use");
    CentralQueue queue({.longest_wait_s = 50, .ageing_s = 5});
    std::vector<int> departures(3'000);
    RequestId id = 0;
    double now_s = 0;
    size_t pushed = 0, left = 0;
    while (id + 1 < departures.size()) {
      now_s += rng.exponential(1);
      const double what = rng.uniform();
      if (what < 0.5) {
        queue.push(
            waiting(++id, static_cast<Priority>(rng.below(4)), static_cast<uint32_t>(rng.below(5))),
            now_s);
        ++pushed;
      } else if (what < 0.85 && queue.size() > 0) {
        ++departures[depart(queue, now_s)];
        ++left;
      } else if (what < 0.9) {
        const RequestId victim = rng.below(id + 1);
        if (queue.remove(victim)) ++departures[victim], ++left;
      } else if (const auto expired = queue.pop_expired(now_s)) {
        ++departures[expired->id];
        ++left;
      }
      ASSERT_EQ(queue.size(), pushed - left);
    }
    for (RequestId each = 1; each <= id; ++each) EXPECT_LE(departures[each], 1);
  }
}

}  // namespace
}  // namespace trex::schedule
