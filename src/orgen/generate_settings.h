// Settings of `trex data generate`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"

namespace trex::orgen {

struct GenerateSettings {
  int64_t count = 1000;
  int64_t seed = 1;
  std::string kind = "documents";
  std::string split = "train";
  std::string names = "real";
  std::vector<std::string> families;  // empty: all of them
  std::vector<std::string> levels{"tiny"};
  std::vector<Path> avoid;
  std::vector<Path> benchmarks;
  std::string near_duplicates = "report";
  double without_result = 0.15;
  double with_repair = 0.10;
  std::optional<int64_t> workers;

  template <class Visitor>
  void describe(Visitor&& visit) {
    using namespace config;
    visit("count", count, "Rows to write, all shards together.", in_range(1, 1e9));
    visit("seed", seed, "Of all random choices.", at_least(0));
    visit("kind", kind,
          "Documents for pre-training; questions with messages for fine-tuning and evaluation; "
          "excerpts: passages of a problem and the lines of data that they become, as messages.",
          one_of({"documents", "questions", "excerpts"}));
    visit("split", split, "Held-out rows share no name, sentence plan or random stream with train.",
          one_of({"train", "heldout"}));
    visit("names", names,
          "Of foods, products and the like: real words, a few dozen each; invented ones such as "
          "Ferngate, seven thousand, too many to learn by heart; mixed: both, in turn.",
          one_of({"real", "invented", "mixed"}));
    visit("families", families, "Problem families in turn; none named: all.");
    visit("levels", levels, "Sizes in turn: tiny, small, medium, large, industrial.");
    visit("avoid", avoid, "Files of rows whose texts must not come again.");
    visit("benchmarks", benchmarks,
          "Files of benchmark questions (en_question, problem or question) that no row may "
          "resemble.");
    visit("near_duplicates", near_duplicates, "Rows like an earlier one but for names and numbers.",
          one_of({"report", "drop"}));
    visit("without_result", without_result, "Share of documents that end with the program.",
          in_range(0, 1));
    visit("with_repair", with_repair,
          "Share of documents with a wrong first attempt and its repair.", in_range(0, 1));
    visit("workers", workers, "Threads; auto: one a core. The output does not depend on it.",
          in_range(1, 1024));
  }
};

}  // namespace trex::orgen
