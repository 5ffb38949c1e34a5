// How long an engine takes to read prompts, told by when first tokens come (9.7).
//
// A time to first token is waiting for a slot, waiting behind other prompts, and the prompt itself.
// The first says how long others' answers are and the second how many prompts there were: predicted
// at dispatch, both miss by far more than the engine's speed does. Here they are known, as engines
// read prompts one after the other: this one's reading began when it had a slot and the one before
// was done. So what is compared to its prediction is the rest of the time, and waiting cancels out.
#pragma once

#include <optional>

namespace trex::schedule {

// A first token came.
struct PromptDone {
  double at_s = 0;              // when it was heard of
  double ready_s = 0;           // since when it could be read: it had a slot, and had arrived
  double tokens = 0;            // of the prompt, as read
  double prompt_s = 0;          // reading it, as the model has it
  double token_s = 0;           // of that, what one more token takes
  double step_s = 0;            // a step of the answers meanwhile, as the model has it
  bool decodes = false;         // there were answers meanwhile
  double tokens_behind = 0;     // of prompts that wait behind it
  double tokens_each_step = 0;  // most that a step reads; 0: prompts are read apart from steps
  bool joins_at_once = false;   // it waited at the engine for its slot
  bool is_sure = true;          // that it was read whole, and nothing else
};

// Prompts that were read one after the other, and what the model has for them.
struct PromptSample {
  double observed_s = 0;
  double prompt_s = 0;
  double steps_s = 0;  // of the steps that they came with
};

// One instance's. Constant memory; not thread-safe.
class PromptLine {
 public:
  // What came before, when this one shows that it is complete and there is enough of it to compare.
  std::optional<PromptSample> done(const PromptDone& prompt);

  // A prompt left that may have been read in part: the next ones cannot be compared.
  void lose() { is_next_lost_ = true; }

 private:
  // Prompts whose first tokens came with one step.
  struct Group {
    PromptDone first;
    double begun_s = 0, last_s = 0;
    double tokens = 0, prompt_s = 0, tokens_behind = 0;
    bool began_idle = false, is_lost = false;
  };
  // Groups without a pause between them.
  struct Stretch {
    PromptSample sample;
    double unsure_at_begin_s = 0, unsure_at_end_s = 0;
  };
  std::optional<PromptSample> begin(const PromptDone& prompt);
  void close_group();
  bool is_clear() const;

  Group group_;
  Stretch stretch_;
  bool has_group_ = false, is_next_lost_ = false;
  double read_ahead_tokens_ = 0;  // of the next prompt, in the last step of the group before
};

}  // namespace trex::schedule
