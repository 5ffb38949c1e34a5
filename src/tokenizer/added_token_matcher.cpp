#include "tokenizer/added_token_matcher.h"

namespace trex::tokenizer {

AddedTokenMatcher::AddedTokenMatcher() : nodes_(1) { from_root_.fill(-1); }

int32_t AddedTokenMatcher::child(int32_t node, uint8_t byte) const {
  if (node == 0) return from_root_[byte];
  int32_t next = nodes_[node].first_child;
  while (next >= 0 && nodes_[next].byte != byte) next = nodes_[next].next_sibling;
  return next;
}

void AddedTokenMatcher::add(std::string_view content, int32_t id) {
  int32_t node = 0;
  for (const char character : content) {
    const auto byte = static_cast<uint8_t>(character);
    int32_t next = child(node, byte);
    if (next < 0) {
      next = static_cast<int32_t>(nodes_.size());
      nodes_.push_back({.next_sibling = nodes_[node].first_child, .byte = byte});
      nodes_[node].first_child = next;
      if (node == 0) from_root_[byte] = next;
    }
    node = next;
  }
  nodes_[node].id = id;
}

FoundToken AddedTokenMatcher::find(std::string_view text, size_t from) const {
  for (size_t begin = from; begin < text.size(); ++begin) {
    int32_t node = from_root_[static_cast<uint8_t>(text[begin])];
    FoundToken found{.begin = begin, .end = begin, .id = -1};
    for (size_t i = begin + 1; node >= 0; ++i) {
      if (nodes_[node].id >= 0) found = {begin, i, nodes_[node].id};
      if (i == text.size()) break;
      node = child(node, static_cast<uint8_t>(text[i]));
    }
    if (found.id >= 0) return found;
  }
  return {text.size(), text.size(), -1};
}

}  // namespace trex::tokenizer
