// Settings of `trex tokenizer train`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/settings.h"

namespace trex::tokenizer {

struct TokenizerSettings {
  std::vector<Path> inputs;
  std::vector<std::string> fields{"text", "messages"};
  int64_t vocab_size = 8192;
  int64_t numbers_up_to = 999;
  std::optional<int64_t> workers;

  template <class Visitor>
  void describe(Visitor&& visit) {
    visit("inputs", inputs, "JSON lines files (.jsonl, .jsonl.zst) or folders of them.");
    visit("fields", fields,
          "Fields to learn from, where a row has them: text, or a list of messages with content.");
    visit("vocab_size", vocab_size,
          "Tokens in all: 256 bytes, the numbers, learned merges and the chat tokens. Fewer when "
          "no pair occurs twice any more.",
          config::in_range(300, 1 << 20));
    visit("numbers_up_to", numbers_up_to, "Each number from 0 to this one becomes a single token.",
          config::in_range(9, 999));
    visit("workers", workers, "Threads; auto: one a core.", config::in_range(1, 1024));
  }
};

}  // namespace trex::tokenizer
