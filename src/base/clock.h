// Time as an argument, so that tests can replace it.
#pragma once

#include <chrono>

namespace trex {

class Clock {
 public:
  virtual ~Clock() = default;

  // Seconds since an arbitrary start; never goes back.
  virtual double seconds() const = 0;
};

// The machine's monotonic clock. Safe from any thread.
class SystemClock final : public Clock {
 public:
  double seconds() const override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

// Stands still until a test or a simulation moves it.
class FakeClock final : public Clock {
 public:
  double seconds() const override { return now_; }
  void advance(double seconds) { now_ += seconds; }
  void set(double seconds) { now_ = seconds; }

 private:
  double now_ = 0;
};

// Wall time since construction.
class Stopwatch {
 public:
  explicit Stopwatch(const Clock& clock) : clock_(clock), start_(clock.seconds()) {}
  double seconds() const { return clock_.seconds() - start_; }

 private:
  const Clock& clock_;  // must outlive the stopwatch
  double start_;
};

}  // namespace trex
