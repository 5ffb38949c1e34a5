// The data card: what a file of rows holds, what was rejected and why.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "orgen/generate_settings.h"

namespace trex::orgen {

// Length of one text field over all rows, in characters.
struct Lengths {
  std::vector<int64_t> values;
  Json json() const;  // min, median, p95, max, mean; null when empty
};

struct Card {
  int64_t rows = 0;
  int64_t near_duplicates = 0;   // rows like an earlier one but for names and numbers
  int64_t exact_duplicates = 0;  // rows whose text an earlier row has
  std::map<std::string, int64_t> by_family, by_variant, by_level, by_domain;
  std::map<std::string, Lengths> lengths;     // question, program, text
  std::map<std::string, int64_t> rejections;  // check id -> draws
  std::string content_hash;

  void add(const JsonLine& row, bool is_near_duplicate);
  int64_t rejected() const;
  Json json() const;

 private:
  std::map<uint64_t, int64_t> seen_;
};

// Writes card.json and card.md into `out`.
void write_card(const Card& card, const GenerateSettings& settings, int64_t num_benchmark_questions,
                const Path& out);

// The card as Markdown, also what `trex data stats` prints.
std::string card_text(const Json& card);

// The card of a file of rows, without settings. Throws Input for a row without a question.
Card card_of_file(const Path& file);

}  // namespace trex::orgen
