#include "simulate/slot_engine.h"

#include <algorithm>

#include "base/check.h"

namespace trex::simulate {

void SlotEngine::push(Nanoseconds at, Notice notice) {
  events_.push_back({at, sequence_++, notice});
  std::push_heap(events_.begin(), events_.end(), is_later);
}

void SlotEngine::note_busy(Nanoseconds now) {
  if (running_ > 0) totals_.busy += now - busy_since_;
  busy_since_ = now;
}

void SlotEngine::admit(const EngineRequest& request, Nanoseconds now) {
  note_busy(now);
  ++running_;
  const double prompt_s =
      slowdown_ * spec_.prompt_token_s * static_cast<double>(request.prompt_tokens);
  const double token_s = slowdown_ * spec_.token_s;
  // No later than ten times the longest run, so that however many prompts do not overflow.
  prompts_done_ =
      std::min(std::max(prompts_done_, now) + nanoseconds(prompt_s), 10 * nanoseconds(kLongest_s));
  totals_.computed_tokens += request.prompt_tokens;
  push(prompts_done_ + nanoseconds(token_s), {Notice::Kind::FirstToken, request.index, 0});
  push(prompts_done_ + nanoseconds(token_s * static_cast<double>(request.output_tokens)),
       {Notice::Kind::Finished, request.index, request.output_tokens});
}

void SlotEngine::submit(const EngineRequest& request, Nanoseconds now) {
  ++totals_.submitted;
  if (running_ < spec_.slots) {
    admit(request, now);
  } else {
    waiting_.push_back(request);
  }
}

void SlotEngine::advance(Nanoseconds now, std::vector<Notice>& notices) {
  TREX_CHECK(now == next_event(), "advance to {} but the next event is at {}", now, next_event());
  std::pop_heap(events_.begin(), events_.end(), is_later);
  const Notice notice = events_.back().notice;
  events_.pop_back();
  notices.push_back(notice);
  if (notice.kind != Notice::Kind::Finished) return;
  totals_.output_tokens += notice.tokens;
  totals_.delivered_tokens += notice.tokens;
  ++totals_.finished;
  note_busy(now);
  --running_;
  if (waiting_.empty()) return;
  const EngineRequest next = waiting_.front();
  waiting_.pop_front();
  admit(next, now);
}

// What is left of every running piece of work stretches by the same factor, so the heap keeps its
// order.
void SlotEngine::set_slowdown(double factor, Nanoseconds now) {
  const double stretch = factor / slowdown_;
  const auto moved = [&](Nanoseconds at) {
    return at <= now ? at : now + std::llround(static_cast<double>(at - now) * stretch);
  };
  for (Event& event : events_) event.at = moved(event.at);
  std::make_heap(events_.begin(), events_.end(), is_later);
  prompts_done_ = moved(prompts_done_);
  slowdown_ = factor;
}

std::vector<Lost> SlotEngine::crash(Nanoseconds now) {
  note_busy(now);
  std::vector<Lost> lost;
  const auto has_begun = [&](RequestIndex request) {
    return std::none_of(events_.begin(), events_.end(), [&](const Event& event) {
      return event.notice.request == request && event.notice.kind == Notice::Kind::FirstToken;
    });
  };
  for (const Event& event : events_) {
    if (event.notice.kind != Notice::Kind::Finished) continue;
    const double left = seconds(event.at - now) / (slowdown_ * spec_.token_s);
    const int64_t emitted = event.notice.tokens - static_cast<int64_t>(std::ceil(left - 1e-6));
    lost.push_back({event.notice.request,
                    has_begun(event.notice.request) ? std::max<int64_t>(emitted, 1) : 0});
  }
  for (const EngineRequest& request : waiting_) lost.push_back({request.index, 0});
  std::sort(lost.begin(), lost.end(),
            [](const Lost& a, const Lost& b) { return a.request < b.request; });
  for (const Lost& one : lost) {
    totals_.output_tokens += one.emitted_tokens;
    totals_.delivered_tokens += one.emitted_tokens;
  }
  totals_.lost += static_cast<int64_t>(lost.size());
  events_.clear();
  waiting_.clear();
  running_ = 0;
  prompts_done_ = now;
  return lost;
}

EngineLoad SlotEngine::load() const {
  return {.running = running_, .waiting = static_cast<int64_t>(waiting_.size())};
}

void SlotEngine::check_conservation() const {
  const auto here = running_ + static_cast<int64_t>(waiting_.size());
  TREX_CHECK(totals_.submitted == totals_.finished + totals_.lost + here,
             "{} submitted, {} finished, {} lost, {} here", totals_.submitted, totals_.finished,
             totals_.lost, here);
}

}  // namespace trex::simulate
