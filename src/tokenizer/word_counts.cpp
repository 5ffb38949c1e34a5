#include "tokenizer/word_counts.h"

#include <algorithm>
#include <unordered_map>

#include "base/hash.h"
#include "base/parallel_for.h"
#include "tokenizer/piece_splitter.h"
#include "tokenizer/text_files.h"
#include "tokenizer/utf8.h"

namespace trex::tokenizer {
namespace {

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return hash64(text); }
};

using Counts = std::unordered_map<std::string, int64_t, TextHash, std::equal_to<>>;

constexpr size_t kBlockBytes = 16 << 20;

// One thread's share of the counting.
struct Counter {
  explicit Counter(const SplitPatterns& patterns) : splitter(patterns) {}

  void add(const std::string& raw) {
    const std::string repaired = is_valid_utf8(raw) ? std::string() : with_replacements(raw);
    const std::string_view text = repaired.empty() ? raw : repaired;
    uint32_t begin = 0;
    for (const uint32_t end : splitter.split(text)) {
      const std::string_view piece = text.substr(begin, end - begin);
      const auto found = counts.find(piece);
      if (found != counts.end()) {
        ++found->second;
      } else {
        counts.emplace(piece, 1);
      }
      begin = end;
    }
  }

  PieceSplitter splitter;
  Counts counts;
};

class ParallelCounter {
 public:
  ParallelCounter(const std::vector<std::string>& patterns, int threads)
      : patterns_(SplitPatterns::compile(patterns, "pre-tokenizer")) {
    for (int i = 0; i < threads; ++i) counters_.emplace_back(patterns_);
  }

  void add(const std::vector<std::string>& texts) {
    const auto stride = static_cast<int64_t>(counters_.size());
    parallel_for(stride, static_cast<int>(stride), [&](int64_t share) {
      for (size_t i = share; i < texts.size(); i += stride) counters_[share].add(texts[i]);
    });
  }

  std::vector<CountedWord> sorted() {
    Counts& total = counters_[0].counts;
    for (size_t i = 1; i < counters_.size(); ++i) {
      for (const auto& [word, count] : counters_[i].counts) total[word] += count;
      counters_[i].counts.clear();
    }
    std::vector<CountedWord> words;
    words.reserve(total.size());
    for (const auto& [word, count] : total) words.push_back({word, count});
    std::sort(words.begin(), words.end(),
              [](const CountedWord& a, const CountedWord& b) { return a.bytes < b.bytes; });
    return words;
  }

 private:
  SplitPatterns patterns_;
  std::vector<Counter> counters_;
};

}  // namespace

std::vector<CountedWord> count_words(const std::vector<std::string>& texts,
                                     const std::vector<std::string>& patterns, int threads) {
  ParallelCounter counter(patterns, threads);
  counter.add(texts);
  return counter.sorted();
}

std::vector<CountedWord> count_words_in_files(const TokenizerSettings& settings,
                                              const std::vector<std::string>& patterns,
                                              Progress& progress) {
  const int threads = static_cast<int>(settings.workers.value_or(num_cores()));
  ParallelCounter counter(patterns, threads);
  std::vector<std::string> block;
  size_t block_bytes = 0;
  int64_t num_rows = 0;
  progress.started("count words", 0, "rows");
  for (const Path& file : jsonl_files(settings.inputs)) {
    LineReader lines(file);
    while (const auto line = lines.next()) {
      for (std::string& text : texts_of(line->object(), settings.fields)) {
        block_bytes += text.size();
        block.push_back(std::move(text));
      }
      ++num_rows;
      if (block_bytes < kBlockBytes) continue;
      counter.add(block);
      block.clear();
      block_bytes = 0;
      progress.advanced(num_rows);
    }
  }
  counter.add(block);
  progress.advanced(num_rows);
  progress.finished();
  return counter.sorted();
}

}  // namespace trex::tokenizer
