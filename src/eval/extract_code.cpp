#include "eval/extract_code.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace trex::eval {
namespace {

constexpr std::string_view kFence = "```";
constexpr size_t kLongFence = 50;

using Texts = std::vector<std::string_view>;

// The first of the longest; nothing when there is none.
std::optional<std::string> longest(const Texts& texts, size_t more_than = 0) {
  const std::string_view* best = nullptr;
  for (const std::string_view& text : texts) {
    if (text.size() > more_than && (best == nullptr || text.size() > best->size())) best = &text;
  }
  if (best == nullptr) return std::nullopt;
  return std::string(*best);
}

// Bodies of ```python blocks; such a block may open inside another one.
Texts python_fences(std::string_view text) {
  constexpr std::string_view kOpening = "```python";
  Texts bodies;
  size_t at = 0;
  while ((at = text.find(kOpening, at)) != std::string_view::npos) {
    const size_t begin = at + kOpening.size();
    at = begin;
    if (begin >= text.size() ||
        std::string_view(" \t\r\n").find(text[begin]) == std::string_view::npos)
      continue;
    const size_t end = text.find(kFence, begin);
    if (end == std::string_view::npos) break;
    bodies.push_back(trimmed(text.substr(begin, end - begin)));
    at = end + kFence.size();
  }
  return bodies;
}

struct Fence {
  std::string_view label, body;
};

// Fences in pairs from the start of the text: one opens, the next closes.
std::vector<Fence> all_fences(std::string_view text) {
  std::vector<Fence> fences;
  size_t at = 0;
  while ((at = text.find(kFence, at)) != std::string_view::npos) {
    const size_t label = at + kFence.size();
    const size_t end = text.find(kFence, label);
    if (end == std::string_view::npos) break;
    const size_t line_end = std::min(text.find('\n', label), end);
    fences.push_back({trimmed(text.substr(label, line_end - label)),
                      trimmed(text.substr(line_end, end - line_end))});
    at = end + kFence.size();
  }
  return fences;
}

Texts unlabelled_fences(std::string_view text) {
  Texts bodies;
  for (const Fence& fence : all_fences(text)) {
    if (fence.label.empty()) bodies.push_back(fence.body);
  }
  return bodies;
}

// Contents of <python> tags. `lower` is the text in lower case.
Texts python_tags(std::string_view text, std::string_view lower) {
  constexpr std::string_view kOpen = "<python>", kClose = "</python>";
  Texts bodies;
  size_t at = 0;
  while ((at = lower.find(kOpen, at)) != std::string_view::npos) {
    const size_t begin = at + kOpen.size();
    const size_t end = lower.find(kClose, begin);
    if (end == std::string_view::npos) break;
    bodies.push_back(trimmed(text.substr(begin, end - begin)));
    at = end + kClose.size();
  }
  return bodies;
}

// Where the last closing think tag begins and ends; nothing without one.
struct Tag {
  size_t begin, end;
};
std::optional<Tag> last_think_end(std::string_view lower) {
  std::optional<Tag> last;
  for (const std::string_view tag : {"</think>", "</redacted_reasoning>"}) {
    const size_t at = lower.rfind(tag);
    if (at != std::string_view::npos && (!last || at > last->begin))
      last = Tag{at, at + tag.size()};
  }
  return last;
}

std::optional<std::string> in_fences(std::string_view text) {
  if (auto code = longest(python_fences(text))) return code;
  if (auto code = longest(unlabelled_fences(text), kLongFence)) return code;
  return longest(unlabelled_fences(text));
}

}  // namespace

std::optional<FoundCode> extract_code(std::string_view reply) {
  if (trimmed(reply).empty()) return std::nullopt;
  const std::string lower = lower_case(reply);
  if (auto code = longest(python_fences(reply))) return FoundCode{*code, "python_fence"};
  if (auto code = longest(unlabelled_fences(reply), kLongFence))
    return FoundCode{*code, "long_fence"};
  if (auto code = longest(unlabelled_fences(reply))) return FoundCode{*code, "fence"};
  if (const auto tag = longest(python_tags(reply, lower))) {
    return FoundCode{in_fences(*tag).value_or(*tag), "python_tag"};
  }
  if (const auto think = last_think_end(lower)) {
    // Fences there would have been found above.
    const std::string_view after = trimmed(reply.substr(think->end));
    if (!after.empty()) return FoundCode{std::string(after), "after_think"};
    Texts bodies;
    for (const Fence& fence : all_fences(reply.substr(0, think->begin)))
      bodies.push_back(fence.body);
    if (auto code = longest(bodies)) return FoundCode{*code, "in_think"};
  }
  return FoundCode{std::string(trimmed(reply)), "whole_reply"};
}

}  // namespace trex::eval
