// The clock of a simulation: a binary heap of events by (time, sequence number).
//
// Times are whole nanoseconds since the start, so that sums never depend on their order; events at
// one instant happen in the order in which they were pushed. Not thread-safe.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace trex::simulate {

using Nanoseconds = int64_t;
inline constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();

// The longest run, three years: sums of a few such times do not overflow. What is later is then.
inline constexpr double kLongest_s = 1e8;

inline Nanoseconds nanoseconds(double seconds) {
  return std::llround(std::clamp(seconds, -kLongest_s, kLongest_s) * 1e9);
}
inline double seconds(Nanoseconds time) { return static_cast<double>(time) * 1e-9; }

template <class Event>
class EventQueue {
 public:
  void push(Nanoseconds at, Event event) {
    heap_.push_back({at, sequence_++, event});
    std::push_heap(heap_.begin(), heap_.end(), is_later);
  }

  bool is_empty() const { return heap_.empty(); }
  Nanoseconds next_time() const { return heap_.empty() ? kNever : heap_.front().at; }

  // The queue must not be empty.
  Event pop() {
    std::pop_heap(heap_.begin(), heap_.end(), is_later);
    const Event event = heap_.back().event;
    heap_.pop_back();
    return event;
  }

 private:
  struct Entry {
    Nanoseconds at;
    uint64_t sequence;
    Event event;
  };
  static bool is_later(const Entry& a, const Entry& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }

  std::vector<Entry> heap_;
  uint64_t sequence_ = 0;
};

}  // namespace trex::simulate
