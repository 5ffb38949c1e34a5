// The central queue: requests that no instance should have yet (heterogeneous serving, 9.5).
//
// Between classes strict priority, with ageing and a reserved minimum share; inside a class the
// tenant with the smallest virtual token counter (VTC, arXiv 2401.00588); inside a tenant the
// earliest deadline, then the earliest arrival. When some could not begin in time in that order,
// the least slack goes first: the earliest moment at which its prompt must begin. Those that have
// missed it come before all others, so the scheduler sheds them first.
//
// Not thread-safe: the scheduler's lock covers it. It keeps the memory of the most that ever
// waited, so that in the steady state neither pushing nor leaving allocates.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <optional>
#include <unordered_map>
#include <vector>

#include "schedule/queue_settings.h"
#include "schedule/request.h"

namespace trex::schedule {

// A waiting request. Its prefix blocks are owned: the caller's are borrowed for one call only.
struct Waiting {
  Request request;
  std::vector<uint64_t> prefix_blocks;
  double since_s = 0;
  double latest_start_s = 0;  // its deadline less the shortest time that its prompt can take
};

class CentralQueue {
 public:
  explicit CentralQueue(QueueSettings settings) : settings_(std::move(settings)) {}

  size_t size() const { return position_.size(); }
  size_t size(Priority priority) const { return classes_[static_cast<size_t>(priority)].size; }
  bool has_room(Priority priority) const;

  // The request must not wait already. `shortest_s`: what its prompt takes at the least.
  void push(const Request& request, double now_s, double shortest_s = 0);
  bool remove(RequestId request);

  // How many are expected to leave a second; by it the queue sees who would be late. Needed only
  // while one with a deadline waits. Until the first time nobody is expected to be late.
  bool has_deadlines() const { return with_deadline_ > 0; }
  void expect_departures(double per_s);

  // The request that should go next, or the one behind it, and so on: `depth` 0 is the head. At
  // most kLookAhead deep. The pointer is valid until the queue changes.
  static constexpr size_t kLookAhead = 64;
  const Waiting* peek(size_t depth, double now_s);

  // Takes out a request that peek gave, and counts its departure.
  void depart(RequestId request);

  // One request that has waited too long, taken out.
  std::optional<Request> pop_expired(double now_s);
  double next_expiry_s();  // infinity when nothing waits

  // Tokens that a tenant has used, prompt or answer (costs are applied here).
  void charge(uint32_t tenant, double prompt_tokens, double output_tokens);

 private:
  using Slot = uint32_t;

  enum class Order : uint8_t { Deadline, Slack };
  static constexpr size_t kNumOrders = 2;

  // Requests in one order, the next one at `head`. Most arrive at the back and leave at the front,
  // so a sorted array moves little.
  struct Sorted {
    std::vector<Slot> slots;
    size_t head = 0;

    size_t size() const { return slots.size() - head; }
    auto begin() const { return slots.begin() + static_cast<std::ptrdiff_t>(head); }
  };
  // One tenant's requests of one class, in both orders.
  struct Line {
    std::array<Sorted, kNumOrders> orders;

    size_t size() const { return orders[0].size(); }
    Slot front() const { return *orders[0].begin(); }
  };
  struct Tenant {
    double counter = 0;
    std::array<Line, kNumPriorities> lines;
  };
  struct Class {
    size_t size = 0;
    double departures = 0;  // fading
  };

  double key(Slot slot, Order order) const;
  bool goes_before(Slot a, Slot b, Order order) const;
  void erase_from(Sorted& sorted, Slot slot, Order order);
  Tenant& tenant(uint32_t index);
  double weight(uint32_t tenant) const;
  void lift(uint32_t tenant);
  size_t next_class(double now_s) const;
  void add_class_to_order(size_t priority, double now_s);
  void add_tenants_to_order(size_t priority, Order order);
  bool all_begin_in_time(size_t from, double now_s) const;
  void order(double now_s);
  void erase(Slot slot);
  void forget_departed();

  QueueSettings settings_;
  std::pmr::unsynchronized_pool_resource memory_;  // of what has nodes: outlives it
  std::vector<Waiting> slots_;
  std::vector<Slot> free_;
  std::pmr::unordered_map<RequestId, Slot> position_{&memory_};
  struct Arrival {
    RequestId request;
    double since_s;
  };
  // Of all that wait, and some that have left, oldest first. The first one waits.
  std::pmr::deque<Arrival> arrivals_{&memory_};
  std::vector<Tenant> tenants_;
  std::array<Class, kNumPriorities> classes_;
  std::vector<Slot> ordered_;         // the look-ahead, valid while is_ordered_
  std::vector<uint32_t> by_counter_;  // scratch of order()
  size_t with_deadline_ = 0;
  double departures_per_s_ = 0;
  bool is_ordered_ = false;
  double ordered_at_s_ = 0;
};

}  // namespace trex::schedule
