// Finds added tokens ("<｜User｜>") in a text: the leftmost match, the longest of those.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trex::tokenizer {

struct FoundToken {
  size_t begin, end;
  int32_t id;  // -1 when nothing was found; begin and end are then the text's size
};

// A trie; safe to share between threads.
class AddedTokenMatcher {
 public:
  AddedTokenMatcher();
  void add(std::string_view content, int32_t id);

  // The first match that begins at or after `from`.
  FoundToken find(std::string_view text, size_t from) const;

 private:
  struct Node {
    int32_t first_child = -1, next_sibling = -1;
    int32_t id = -1;  // of the token that ends here
    uint8_t byte = 0;
  };

  int32_t child(int32_t node, uint8_t byte) const;

  std::vector<Node> nodes_;             // [0] is the root
  std::array<int32_t, 256> from_root_;  // the root's children; -1 for none
};

}  // namespace trex::tokenizer
