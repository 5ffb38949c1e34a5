#include "schedule/queue.h"

#include <algorithm>
#include <limits>
#include <span>

#include "base/check.h"

namespace trex::schedule {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();
// Departures are counted over about this many of them.
constexpr double kDepartureFade = 1.0 - 1.0 / 256;

double deadline(const Request& request) {
  return request.ttft_deadline_s > 0 ? request.ttft_deadline_s : kForever;
}

}  // namespace

bool CentralQueue::has_room(Priority priority) const {
  return size(priority) < static_cast<size_t>(settings_.most_waiting);
}

double CentralQueue::key(Slot slot, Order order) const {
  const Waiting& waiting = slots_[slot];
  return order == Order::Deadline ? deadline(waiting.request) : waiting.latest_start_s;
}

bool CentralQueue::goes_before(Slot a, Slot b, Order order) const {
  const double first_key = key(a, order), second_key = key(b, order);
  if (first_key != second_key) return first_key < second_key;
  const Request &first = slots_[a].request, &second = slots_[b].request;
  if (first.arrival_s != second.arrival_s) return first.arrival_s < second.arrival_s;
  return first.id < second.id;
}

CentralQueue::Tenant& CentralQueue::tenant(uint32_t index) {
  if (tenants_.size() <= index) tenants_.resize(index + 1);
  return tenants_[index];
}

double CentralQueue::weight(uint32_t index) const {
  return index < settings_.tenant_weights.size() ? settings_.tenant_weights[index] : 1;
}

// A tenant that waits again begins at the level of those that waited all along: idling earns no
// credit.
void CentralQueue::lift(uint32_t index) {
  double least = kForever;
  for (size_t t = 0; t < tenants_.size(); ++t) {
    bool waits = false;
    for (const Line& line : tenants_[t].lines) waits = waits || line.size() > 0;
    if (t == index && waits) return;
    if (waits) least = std::min(least, tenants_[t].counter);
  }
  if (least < kForever) tenants_[index].counter = std::max(tenants_[index].counter, least);
}

void CentralQueue::push(const Request& request, double now_s, double shortest_s) {
  TREX_CHECK(!position_.contains(request.id), "request {} waits already", request.id);
  if (free_.empty()) {
    free_.push_back(static_cast<Slot>(slots_.size()));
    slots_.emplace_back();
  }
  const Slot slot = free_.back();
  free_.pop_back();
  Waiting& waiting = slots_[slot];
  waiting.request = request;
  waiting.prefix_blocks.assign(request.prefix_blocks.begin(), request.prefix_blocks.end());
  waiting.request.prefix_blocks = waiting.prefix_blocks;
  waiting.since_s = now_s;
  waiting.latest_start_s = deadline(request) - shortest_s;
  with_deadline_ += request.ttft_deadline_s > 0 ? 1 : 0;

  tenant(request.tenant);
  lift(request.tenant);
  Line& line = tenants_[request.tenant].lines[static_cast<size_t>(request.priority)];
  for (const Order order : {Order::Deadline, Order::Slack}) {
    Sorted& sorted = line.orders[static_cast<size_t>(order)];
    const auto place = std::upper_bound(sorted.begin(), sorted.slots.cend(), slot,
                                        [&](Slot x, Slot y) { return goes_before(x, y, order); });
    sorted.slots.insert(place, slot);
  }
  position_[request.id] = slot;
  arrivals_.push_back({request.id, now_s});
  classes_[static_cast<size_t>(request.priority)].size += 1;
  is_ordered_ = false;
}

void CentralQueue::erase_from(Sorted& sorted, Slot slot, Order order) {
  const auto place = std::lower_bound(sorted.begin(), sorted.slots.cend(), slot,
                                      [&](Slot x, Slot y) { return goes_before(x, y, order); });
  if (place != sorted.begin()) {
    sorted.slots.erase(place);
    return;
  }
  ++sorted.head;
  // Give the space back when most of it is behind the head.
  if (sorted.head * 2 > sorted.slots.size()) {
    sorted.slots.erase(sorted.slots.cbegin(), sorted.begin());
    sorted.head = 0;
  }
}

void CentralQueue::erase(Slot slot) {
  const Request& request = slots_[slot].request;
  const auto priority = static_cast<size_t>(request.priority);
  Line& line = tenants_[request.tenant].lines[priority];
  for (const Order order : {Order::Deadline, Order::Slack}) {
    erase_from(line.orders[static_cast<size_t>(order)], slot, order);
  }
  with_deadline_ -= request.ttft_deadline_s > 0 ? 1 : 0;
  classes_[priority].size -= 1;
  position_.erase(request.id);
  free_.push_back(slot);
  is_ordered_ = false;
  forget_departed();
}

bool CentralQueue::remove(RequestId request) {
  const auto found = position_.find(request);
  if (found == position_.end()) return false;
  erase(found->second);
  return true;
}

void CentralQueue::depart(RequestId request) {
  const auto found = position_.find(request);
  TREX_CHECK(found != position_.end(), "request {} does not wait", request);
  const auto priority = static_cast<size_t>(slots_[found->second].request.priority);
  for (Class& each : classes_) each.departures *= kDepartureFade;
  classes_[priority].departures += 1;
  erase(found->second);
}

size_t CentralQueue::next_class(double now_s) const {
  double total = 0;
  for (const Class& each : classes_) total += each.departures;
  size_t next = kNumPriorities;
  double oldest = kForever;
  for (size_t p = 0; p < kNumPriorities; ++p) {
    if (classes_[p].size == 0) continue;
    if (next == kNumPriorities) next = p;  // strict priority
    if (classes_[p].departures < settings_.reserved_share * total) return p;
    double since = kForever;
    for (const Tenant& tenant : tenants_) {
      if (tenant.lines[p].size() > 0)
        since = std::min(since, slots_[tenant.lines[p].front()].since_s);
    }
    if (now_s - since > settings_.ageing_s && since < oldest) {
      oldest = since;
      next = p;
    }
  }
  return next;
}

void CentralQueue::add_class_to_order(size_t priority, double now_s) {
  by_counter_.clear();
  for (uint32_t t = 0; t < tenants_.size(); ++t) {
    if (tenants_[t].lines[priority].size() > 0) by_counter_.push_back(t);
  }
  std::sort(by_counter_.begin(), by_counter_.end(), [this](uint32_t a, uint32_t b) {
    return std::pair(tenants_[a].counter, a) < std::pair(tenants_[b].counter, b);
  });
  const size_t from = ordered_.size();
  add_tenants_to_order(priority, Order::Deadline);
  if (all_begin_in_time(from, now_s)) return;
  ordered_.resize(from);
  add_tenants_to_order(priority, Order::Slack);
}

void CentralQueue::add_tenants_to_order(size_t priority, Order order) {
  for (const uint32_t t : by_counter_) {
    const Sorted& sorted = tenants_[t].lines[priority].orders[static_cast<size_t>(order)];
    for (const Slot slot : std::span(sorted.begin(), sorted.slots.end())) {
      if (ordered_.size() == kLookAhead) return;
      ordered_.push_back(slot);
    }
  }
}

// Of the look-ahead, the k-th begins when k have left.
bool CentralQueue::all_begin_in_time(size_t from, double now_s) const {
  if (departures_per_s_ <= 0 || with_deadline_ == 0) return true;
  for (size_t k = from; k < ordered_.size(); ++k) {
    const double begins_s = now_s + static_cast<double>(k) / departures_per_s_;
    if (begins_s > slots_[ordered_[k]].latest_start_s) return false;
  }
  return true;
}

void CentralQueue::expect_departures(double per_s) {
  if (per_s == departures_per_s_) return;
  departures_per_s_ = per_s;
  is_ordered_ = false;
}

void CentralQueue::order(double now_s) {
  if (is_ordered_ && ordered_at_s_ == now_s) return;
  ordered_.clear();
  const size_t first = next_class(now_s);
  if (first < kNumPriorities) add_class_to_order(first, now_s);
  for (size_t p = 0; p < kNumPriorities; ++p) {
    if (p != first) add_class_to_order(p, now_s);
  }
  is_ordered_ = true;
  ordered_at_s_ = now_s;
}

const Waiting* CentralQueue::peek(size_t depth, double now_s) {
  order(now_s);
  return depth < ordered_.size() ? &slots_[ordered_[depth]] : nullptr;
}

// Requests wait since ever later times, so the first that still waits is the next to expire.
void CentralQueue::forget_departed() {
  while (!arrivals_.empty()) {
    const auto found = position_.find(arrivals_.front().request);
    if (found != position_.end() && slots_[found->second].since_s == arrivals_.front().since_s)
      return;
    arrivals_.pop_front();
  }
}

double CentralQueue::next_expiry_s() {
  return arrivals_.empty() ? kForever : arrivals_.front().since_s + settings_.longest_wait_s;
}

std::optional<Request> CentralQueue::pop_expired(double now_s) {
  if (now_s < next_expiry_s()) return std::nullopt;
  const Slot slot = position_.at(arrivals_.front().request);
  const Request expired = slots_[slot].request;
  erase(slot);
  return expired;
}

void CentralQueue::charge(uint32_t index, double prompt_tokens, double output_tokens) {
  tenant(index).counter +=
      (settings_.input_token_cost * prompt_tokens + settings_.output_token_cost * output_tokens) /
      weight(index);
  is_ordered_ = false;
}

}  // namespace trex::schedule
