#include "tokenizer/train_tokenizer.h"

#include <fmt/format.h>

#include <iterator>

#include "base/error.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/chat_tokens.h"
#include "tokenizer/merge_learner.h"
#include "tokenizer/word_merger.h"

namespace trex::tokenizer {
namespace {

// The definition before learning: special tokens and bytes.
struct Base {
  Definition definition;
  std::array<int32_t, 256> byte_ids;
};

Base make_base() {
  Base base;
  base.definition.patterns = deepseek_patterns();
  auto& tokens = base.definition.tokens;
  for (const std::string_view content : kSpecialTokens) {
    base.definition.added.push_back(
        {.id = static_cast<int32_t>(tokens.size()), .content = std::string(content)});
    tokens.emplace_back(content);
  }
  for (const uint8_t byte : bytes_in_alphabet_order()) {
    base.byte_ids[byte] = static_cast<int32_t>(tokens.size());
    tokens.emplace_back(1, static_cast<char>(byte));
  }
  return base;
}

std::vector<int32_t> byte_ids_of(const Base& base, std::string_view word) {
  std::vector<int32_t> ids;
  for (const char byte : word) ids.push_back(base.byte_ids[static_cast<uint8_t>(byte)]);
  return ids;
}

// Each number becomes one token out of what the merges of the numbers before it leave of its
// digits, which is always two parts.
void add_numbers(Base& base, int64_t numbers_up_to) {
  Definition& definition = base.definition;
  for (const auto& [first, last] : {std::pair<int64_t, int64_t>{10, 99}, {100, 999}}) {
    const MergeTable shorter(definition.merges);
    for (int64_t number = first; number <= std::min(last, numbers_up_to); ++number) {
      const std::string digits = std::to_string(number);
      auto parts = byte_ids_of(base, digits);
      WordMerger(shorter).merge(parts);
      definition.merges.push_back(
          {parts[0], parts[1], static_cast<int32_t>(definition.tokens.size())});
      definition.tokens.push_back(digits);
    }
  }
}

void add_chat_tokens(Definition& definition) {
  for (const std::string_view content : kChatTokens) {
    definition.added.push_back({.id = static_cast<int32_t>(definition.tokens.size()),
                                .content = std::string(content),
                                .special = false,
                                .normalized = true});
    definition.tokens.emplace_back(content);
  }
}

}  // namespace

const std::vector<std::string>& deepseek_patterns() {
  static const std::vector<std::string> kPatterns{
      "\\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+",
      "[!\"#$%&'()*+,\\-./"
      ":;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
      "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"};
  return kPatterns;
}

Definition learn_tokenizer(const std::vector<CountedWord>& words, const TokenizerShape& shape,
                           Progress& progress) {
  Base base = make_base();
  add_numbers(base, shape.numbers_up_to);
  Definition& definition = base.definition;
  const auto num_fixed = static_cast<int64_t>(definition.tokens.size() + std::size(kChatTokens));
  if (shape.vocab_size < num_fixed) {
    throw input_error("tokenizer", "vocab_size",
                      fmt::format("at least {} for bytes, numbers and chat tokens", num_fixed),
                      fmt::format("{}", shape.vocab_size), "or lower numbers_up_to");
  }
  const MergeTable numbers(definition.merges);
  WordMerger merger(numbers);
  std::vector<LearningWord> learning;
  learning.reserve(words.size());
  for (const CountedWord& word : words) {
    auto ids = byte_ids_of(base, word.bytes);
    merger.merge(ids);
    if (ids.size() > 1) learning.push_back({std::move(ids), word.count});
  }
  const auto merges =
      learn_merges(std::move(learning), shape.vocab_size - num_fixed, definition.tokens, progress);
  definition.merges.insert(definition.merges.end(), merges.begin(), merges.end());
  add_chat_tokens(definition);
  return std::move(base.definition);
}

Definition train_tokenizer(const TokenizerSettings& settings, Progress& progress) {
  if (settings.inputs.empty())
    throw input_error("tokenizer", "inputs", "at least one path", "none");
  const auto words = count_words_in_files(settings, deepseek_patterns(), progress);
  if (words.empty()) {
    throw input_error(settings.inputs.front().string(), "", "some text to learn from", "none");
  }
  return learn_tokenizer(
      words, {.vocab_size = settings.vocab_size, .numbers_up_to = settings.numbers_up_to},
      progress);
}

}  // namespace trex::tokenizer
