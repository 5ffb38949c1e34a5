#include "schedule/prompt_line.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trex::schedule {
namespace {

// First tokens of one step come together but for the jitter of connections.
constexpr double kTogether = 0.25;  // of a step
// A stretch is compared when at most this share of its time is not known.
constexpr double kMostUnsure = 0.1;

}  // namespace

std::optional<PromptSample> PromptLine::done(const PromptDone& prompt) {
  if (!has_group_ || prompt.at_s - group_.last_s > kTogether * prompt.step_s) return begin(prompt);
  group_.tokens += prompt.tokens;
  group_.prompt_s += prompt.prompt_s;
  group_.tokens_behind = prompt.tokens_behind;
  group_.is_lost = group_.is_lost || !prompt.is_sure;
  return std::nullopt;
}

std::optional<PromptSample> PromptLine::begin(const PromptDone& prompt) {
  const double last_s = has_group_ ? group_.last_s : prompt.ready_s;
  const bool began_idle = !has_group_ || prompt.ready_s > last_s;
  std::optional<PromptSample> sample;
  if (has_group_) {
    close_group();
    const bool ends = began_idle || is_next_lost_;
    if (is_clear()) sample = stretch_.sample;
    if (sample || ends) stretch_ = {.unsure_at_begin_s = ends ? 0 : stretch_.unsure_at_end_s};
  }
  if (began_idle) read_ahead_tokens_ = 0;
  group_ = {.first = prompt,
            .begun_s = std::max(last_s, prompt.ready_s),
            .last_s = prompt.at_s,
            .tokens = prompt.tokens,
            .prompt_s = prompt.prompt_s,
            .tokens_behind = prompt.tokens_behind,
            .began_idle = began_idle,
            .is_lost = std::exchange(is_next_lost_, false) || !prompt.is_sure};
  has_group_ = true;
  return sample;
}

// A step reads as much of the line as it can, so the last one of the group has read of the next
// prompt too, as far as that was there. A prompt that comes while answers are written waits for the
// end of a step: half of one, more or less.
void PromptLine::close_group() {
  const PromptDone& first = group_.first;
  double steps = group_.began_idle ? 1 : 0, prompt_s = group_.prompt_s;
  stretch_.unsure_at_end_s = 0;
  if (first.tokens_each_step > 0) {
    const double tokens = std::max(group_.tokens - read_ahead_tokens_, 0.0);
    steps = std::max(std::ceil(tokens / first.tokens_each_step), 1.0);
    const double ahead = std::min(steps * first.tokens_each_step - tokens, group_.tokens_behind);
    prompt_s += (ahead - read_ahead_tokens_) * first.token_s;
    read_ahead_tokens_ = ahead;
    if (ahead > 0) stretch_.unsure_at_end_s = (first.step_s + ahead * first.token_s) / 2;
    if (group_.began_idle && first.decodes && !first.joins_at_once) {
      steps += 0.5;
      stretch_.unsure_at_begin_s = 0.5 * first.step_s;
    }
  }
  if (group_.is_lost) {
    stretch_ = {.unsure_at_begin_s = stretch_.unsure_at_end_s};
    return;
  }
  stretch_.sample.observed_s += group_.last_s - group_.begun_s;
  stretch_.sample.prompt_s += prompt_s;
  stretch_.sample.steps_s += steps * first.step_s;
}

// All but a little of its time is known.
bool PromptLine::is_clear() const {
  const PromptSample& sample = stretch_.sample;
  const double unsure_s = stretch_.unsure_at_begin_s + stretch_.unsure_at_end_s;
  return sample.observed_s > 0 && sample.prompt_s > 0 &&
         unsure_s <= kMostUnsure * (sample.prompt_s + sample.steps_s);
}

}  // namespace trex::schedule
