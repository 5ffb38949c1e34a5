// Settings of `trex data tokenize`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"

namespace trex::data {

struct TokenizeSettings {
  config::Required<Path> tokenizer;
  std::vector<Path> inputs;
  std::string mode = "text";
  std::optional<std::string> field;
  std::optional<Path> tools_template;
  std::optional<int64_t> max_length;
  std::string too_long = "drop";
  int64_t shard_tokens = int64_t{1} << 26;
  std::optional<int64_t> workers;

  template <class Visitor>
  void describe(Visitor&& visit) {
    visit("tokenizer", tokenizer, "tokenizer.json (or .json.zst) to use.");
    visit("inputs", inputs,
          "JSON lines files (.jsonl, .jsonl.zst) or folders of them; each is one source, named by "
          "its file or folder.");
    visit("mode", mode,
          "text: a document is a text and an end token, all of it learned; chat: a list of "
          "messages, answers learned.",
          config::one_of({"text", "chat"}));
    visit("field", field, "Field that holds the document; auto: text or messages, after the mode.");
    visit("tools_template", tools_template,
          "Text of a checkpoint that introduces tools, with {tools} for their schemas; auto: rows "
          "with tools are refused (mode chat).");
    visit("max_length", max_length, "Longest document in tokens; auto: any.", config::at_least(2));
    visit("too_long", too_long,
          "What becomes of a longer document: drop counts it, split cuts it (mode text only).",
          config::one_of({"drop", "split"}));
    visit("shard_tokens", shard_tokens, "Tokens in a shard, about; a killed run loses at most one.",
          config::in_range(1, 1e9));
    visit("workers", workers, "Threads; auto: one a core.", config::in_range(1, 1024));
  }
};

}  // namespace trex::data
