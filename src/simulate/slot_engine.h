// An engine whose sequences do not slow each other down: each token of each sequence takes the same
// time whatever the batch, as llama.cpp's slots do while memory bandwidth is not the limit. This is
// the engine of data/traces/four_engines: slots with first-in-first-out waiting; prompts are
// computed one after another in the order of admission, beside the decoding of others; the first
// token comes one decode time after its prompt; a slot is held until the last token.
#pragma once

#include <deque>
#include <vector>

#include "simulate/engine.h"

namespace trex::simulate {

struct SlotEngineSpec {
  double token_s = 0.01;         // per output token of each sequence
  double prompt_token_s = 1e-4;  // per prompt token
  int64_t slots = 8;
};

class SlotEngine final : public Engine {
 public:
  explicit SlotEngine(SlotEngineSpec spec) : spec_(spec) {}

  void submit(const EngineRequest& request, Nanoseconds now) override;
  Nanoseconds next_event() const override { return events_.empty() ? kNever : events_.front().at; }
  void advance(Nanoseconds now, std::vector<Notice>& notices) override;
  void set_slowdown(double factor, Nanoseconds now) override;
  std::vector<Lost> crash(Nanoseconds now) override;
  EngineLoad load() const override;
  const EngineTotals& totals() const override { return totals_; }
  void check_conservation() const override;

 private:
  struct Event {
    Nanoseconds at;
    uint64_t sequence;
    Notice notice;
  };
  static bool is_later(const Event& a, const Event& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }
  void admit(const EngineRequest& request, Nanoseconds now);
  void push(Nanoseconds at, Notice notice);
  void note_busy(Nanoseconds now);

  SlotEngineSpec spec_;
  double slowdown_ = 1;
  std::deque<EngineRequest> waiting_;
  std::vector<Event> events_;  // a heap
  uint64_t sequence_ = 0;
  int64_t running_ = 0;
  Nanoseconds prompts_done_ = 0;  // when the last admitted prompt is computed
  Nanoseconds busy_since_ = 0;
  EngineTotals totals_;
};

}  // namespace trex::simulate
