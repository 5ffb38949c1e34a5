#include "data/tokenize.h"

#include <fmt/format.h>

#include <numeric>
#include <set>

#include "base/error.h"
#include "base/hash.h"
#include "base/parallel_for.h"
#include "base/text.h"
#include "data/row_encoder.h"
#include "data/token_shard.h"
#include "tokenizer/text_files.h"

namespace trex::data {
namespace {

constexpr size_t kBlockRows = 1024;

std::string source_name(const Path& input) {
  const Path& last = input.filename().empty() ? input.parent_path().filename() : input.filename();
  return split(last.string(), '.').front();
}

// The counts of a card as they stand in a shard and in card.json.
Json counts_json(const SourceCard& card) {
  return {{"rows", card.rows},
          {"documents", card.documents},
          {"tokens", card.tokens},
          {"learned_tokens", card.learned_tokens},
          {"dropped_too_long", card.dropped_too_long},
          {"dropped_without_answer", card.dropped_without_answer}};
}

void read_counts(const JsonObject& counts, SourceCard& card) {
  card.rows = counts.integer("rows");
  card.documents = counts.integer("documents");
  card.tokens = counts.integer("tokens");
  card.learned_tokens = counts.integer("learned_tokens");
  card.dropped_too_long = counts.integer("dropped_too_long");
  card.dropped_without_answer = counts.integer("dropped_without_answer");
}

// Tokenizes one source; remembers in each shard how far it had come.
class SourceTokenizer {
 public:
  SourceTokenizer(const TokenizeSettings& settings, const tokenizer::Tokenizer& tokenizer,
                  const Path& input, const Path& out)
      : settings_(settings),
        vocab_size_(tokenizer.vocab_size()),
        files_(tokenizer::jsonl_files({input})),
        folder_(out / source_name(input)) {
    card_.name = source_name(input);
    const int64_t threads = settings.workers.value_or(num_cores());
    for (int64_t i = 0; i < threads; ++i) encoders_.emplace_back(settings, tokenizer);
    set_key(tokenizer);
    start_shard();
  }

  SourceCard run(Progress& progress) {
    progress.started("tokenize " + card_.name, 0, "rows");
    if (!resume()) {
      remove_stale_shards();
      const int64_t rows_done = card_.rows;
      int64_t rows_seen = 0;
      for (const Path& file : files_) read_file_rows(file, rows_done, rows_seen, progress);
      encode_block();
      write_shard(/*is_last=*/true);
    }
    progress.advanced(card_.rows);
    progress.finished();
    if (card_.documents == 0) {
      throw input_error(files_.front().string(), "", "at least one document",
                        fmt::format("none: {} rows, {} too long, {} without an answer", card_.rows,
                                    card_.dropped_too_long, card_.dropped_without_answer));
    }
    return card_;
  }

 private:
  void set_key(const tokenizer::Tokenizer& tokenizer) {
    ContentHasher hasher;
    hasher.add(fmt::format("{} {} {} {} {}", settings_.mode, settings_.field.value_or(""),
                           settings_.max_length.value_or(0), settings_.too_long,
                           settings_.shard_tokens));
    hasher.add(tokenizer.fingerprint());
    if (settings_.tools_template) hasher.add(content_hash_of(*settings_.tools_template));
    for (const Path& file : files_) hasher.add(content_hash_of(file));
    key_ = hasher.hex();
  }

  Path shard_path(int64_t index) const { return folder_ / fmt::format("part-{:05}.tokens", index); }

  void start_shard() { writer_ = TokenShardWriter(vocab_size_, settings_.mode == "chat"); }

  // Takes over the finished shards of an earlier run; true when they are all there.
  bool resume() {
    while (std::filesystem::exists(shard_path(card_.shards))) {
      try {
        const TokenShard shard = TokenShard::open(shard_path(card_.shards));
        const JsonObject about(shard.about(), shard_path(card_.shards).string());
        if (about.string("key") != key_) return false;
        read_counts(about.object("so_far"), card_);
        ++card_.shards;
        if (about.boolean("is_last")) return true;
      } catch (const Error&) {
        return false;  // damaged or of another kind: it is written anew
      }
    }
    return false;
  }

  void remove_stale_shards() const {
    for (int64_t i = card_.shards; std::filesystem::remove(shard_path(i)); ++i) {
    }
  }

  void read_file_rows(const Path& file, int64_t rows_done, int64_t& rows_seen, Progress& progress) {
    LineReader lines(file);
    while (auto line = lines.next()) {
      if (rows_seen++ < rows_done) continue;
      block_.push_back(std::move(*line));
      if (block_.size() < kBlockRows) continue;
      encode_block();
      progress.advanced(card_.rows);
    }
  }

  void encode_block() {
    std::vector<EncodedRow> rows(block_.size());
    const auto stride = static_cast<int64_t>(encoders_.size());
    parallel_for(stride, static_cast<int>(stride), [&](int64_t share) {
      for (size_t i = share; i < block_.size(); i += stride) {
        rows[i] = encoders_[share].encode(block_[i].object());
      }
    });
    block_.clear();
    for (const EncodedRow& row : rows) add(row);
  }

  void add(const EncodedRow& row) {
    ++card_.rows;
    card_.dropped_too_long += row.dropped_too_long;
    card_.dropped_without_answer += row.dropped_without_answer;
    for (const EncodedDocument& document : row.documents) {
      writer_.add(document.tokens, document.labels);
      ++card_.documents;
      card_.tokens += static_cast<int64_t>(document.tokens.size());
      card_.learned_tokens +=
          document.labels.empty()
              ? static_cast<int64_t>(document.tokens.size())
              : std::accumulate(document.labels.begin(), document.labels.end(), int64_t{0});
    }
    if (writer_.num_tokens() >= settings_.shard_tokens) write_shard(/*is_last=*/false);
  }

  void write_shard(bool is_last) {
    writer_.write(shard_path(card_.shards), {{"source", card_.name},
                                             {"key", key_},
                                             {"is_last", is_last},
                                             {"so_far", counts_json(card_)}});
    ++card_.shards;
    start_shard();
  }

  const TokenizeSettings& settings_;
  int32_t vocab_size_;
  std::vector<Path> files_;
  Path folder_;
  std::string key_;
  std::vector<RowEncoder> encoders_;
  std::vector<JsonLine> block_;
  TokenShardWriter writer_{1, false};
  SourceCard card_;
};

void check_settings(const TokenizeSettings& settings) {
  if (settings.inputs.empty())
    throw input_error("data tokenize", "inputs", "at least one path", "none");
  if (settings.mode == "chat" && settings.too_long == "split") {
    throw input_error("data tokenize", "too_long", "\"drop\" with mode = chat", "\"split\"",
                      "half a conversation teaches nothing");
  }
  std::set<std::string> names;
  for (const Path& input : settings.inputs) {
    if (names.insert(source_name(input)).second) continue;
    throw input_error("data tokenize", "inputs", "sources with different names",
                      fmt::format("{} twice", in_quotes(source_name(input))));
  }
}

}  // namespace

std::vector<SourceCard> tokenize(const TokenizeSettings& settings, const Path& out,
                                 Progress& progress) {
  check_settings(settings);
  const auto tokenizer = tokenizer::Tokenizer::load(*settings.tokenizer);
  std::vector<SourceCard> cards;
  Json sources = Json::array();
  for (const Path& input : settings.inputs) {
    cards.push_back(SourceTokenizer(settings, tokenizer, input, out).run(progress));
    Json source = counts_json(cards.back());
    source["name"] = cards.back().name;
    source["shards"] = cards.back().shards;
    sources.push_back(std::move(source));
  }
  const Json card = {{"version", 1},
                     {"mode", settings.mode},
                     {"vocab_size", tokenizer.vocab_size()},
                     {"tokenizer", tokenizer.fingerprint()},
                     {"sources", std::move(sources)}};
  write_file(out / "card.json", card.dump(2) + "\n");
  return cards;
}

}  // namespace trex::data
