#include "schedule/in_flight.h"

#include <utility>

#include "schedule/scheduler.h"

namespace trex::schedule {

InFlight::InFlight(InFlight&& other) noexcept { *this = std::move(other); }

InFlight& InFlight::operator=(InFlight&& other) noexcept {
  if (this == &other) return *this;
  if (scheduler_ != nullptr) abandoned(0, last_s_);
  scheduler_ = std::exchange(other.scheduler_, nullptr);
  flight_ = other.flight_;
  instance_ = other.instance_;
  request_ = other.request_;
  last_s_ = other.last_s_;
  return *this;
}

InFlight::~InFlight() {
  if (scheduler_ != nullptr) abandoned(0, last_s_);
}

void InFlight::first_token(double now_s) {
  last_s_ = now_s;
  scheduler_->first_token(flight_, now_s);
}

void InFlight::completed(double output_tokens, double now_s) {
  std::exchange(scheduler_, nullptr)->end(flight_, output_tokens, true, now_s);
}

void InFlight::abandoned(double output_tokens, double now_s) {
  std::exchange(scheduler_, nullptr)->end(flight_, output_tokens, false, now_s);
}

}  // namespace trex::schedule
