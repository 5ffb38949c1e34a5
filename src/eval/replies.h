// Prompts out, replies in: files of JSON lines, so that any model can answer.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "base/files.h"
#include "eval/benchmark.h"

namespace trex::eval {

struct Reply {
  std::optional<std::string> text;  // absent when asking failed
  std::string finish_reason;        // "stop", "length", ...; empty when it was not recorded
  std::string model;                // what answered; empty when it was not recorded
  Json seed, usage;                 // of the sampling; token counts; null when not recorded
};

// prompts.jsonl: {"id": ..., "messages": [...]} for each item, in order.
std::string prompt_lines(const Benchmark& benchmark, std::span<const Item> items);

// Rows {"id": ..., "reply": text or null} with optional "finish_reason", "model", "seed" (a whole
// number) and "usage" (an object); other fields are passed over.
// Throws Input: a malformed row, an id twice, an item without a row.
std::map<std::string, Reply> read_replies(const Path& file, std::span<const Item> items);

// Has `trex generate` answer the prompts file; its progress goes where ours goes. Throws Failed or
// the error's own kind when it does not succeed.
void ask_checkpoint(const Path& checkpoint, const Path& prompts, const Path& replies,
                    int64_t max_new_tokens);

}  // namespace trex::eval
