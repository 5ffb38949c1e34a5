// Finding the program in a reply: "extractor S" of the published harness (or-data 3.3).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trex::eval {

struct FoundCode {
  std::string code;
  std::string
      rule;  // python_fence, long_fence, fence, python_tag, after_think, in_think, whole_reply
};

// The first rule that finds something wins:
//   1. fenced blocks labelled `python` (lower case) anywhere, also in the reasoning: the longest;
//   2. unlabelled fenced blocks of more than 50 characters: the longest;
//   3. any unlabelled fenced block: the longest;
//   4. <python>...</python> (any case): the longest; in it 1 to 3 again, else as it is;
//   5. the text after the last closing think tag: in it 1 and 2, else as it is;
//   6. fenced blocks inside the think part, whatever their label: the longest;
//   7. the whole reply.
// Nothing when the reply is blank. An unclosed fence is no fence.
std::optional<FoundCode> extract_code(std::string_view reply);

}  // namespace trex::eval
