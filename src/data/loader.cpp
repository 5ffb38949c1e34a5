#include "data/loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/error.h"
#include "base/hash.h"
#include "data/row_plan.h"
#include "data/token_source.h"

namespace trex::data {
namespace {

// The rows of the epoch that a source is in.
struct Epoch {
  uint64_t number = 0;
  std::vector<RowParts> rows;
};

struct BlendedSource {
  TokenSource tokens;
  double weight = 0;
  int64_t taken = 0;            // rows in all
  int64_t epoch_first_row = 0;  // rows of the epochs before
  int64_t rows_first_epoch = 0;
  Epoch epoch;
};

void add_part(PackedSequence& row, const DocumentPart& part, const DocumentView& document,
              int32_t index) {
  for (int64_t i = part.begin; i < part.end; ++i) {
    const int64_t next = i + 1;
    const bool has_target = next < static_cast<int64_t>(document.tokens.size()) &&
                            (document.labels.empty() || document.labels[next] != 0);
    row.tokens.push_back(document.tokens[i]);
    row.targets.push_back(has_target ? document.tokens[next] : kIgnoredTarget);
    row.documents.push_back(index);
    row.positions.push_back(static_cast<int32_t>(i - part.begin));
  }
}

PackedSequence make_row(const TokenSource& source, const RowParts& parts, int64_t seq_len,
                        int32_t source_index) {
  PackedSequence row;
  for (auto* items : {&row.tokens, &row.targets, &row.documents, &row.positions})
    items->reserve(seq_len);
  for (size_t i = 0; i < parts.size(); ++i) {
    add_part(row, parts[i], source.document(parts[i].document), static_cast<int32_t>(i));
  }
  row.tokens.resize(seq_len, 0);
  row.targets.resize(seq_len, kIgnoredTarget);
  row.documents.resize(seq_len, kPaddingDocument);
  row.positions.resize(seq_len, 0);
  row.sources.assign(seq_len, source_index);
  return row;
}

std::vector<BlendedSource> open_sources(const LoaderSettings& settings) {
  if (settings.sources.empty()) throw input_error("data", "sources", "at least one path", "none");
  if (!settings.weights.empty() && settings.weights.size() != settings.sources.size()) {
    throw input_error("data", "weights",
                      fmt::format("one for each of {} sources", settings.sources.size()),
                      fmt::format("{}", settings.weights.size()));
  }
  std::vector<BlendedSource> sources;
  for (const Path& path : settings.sources) sources.push_back({.tokens = TokenSource::open(path)});
  for (size_t i = 1; i < sources.size(); ++i) {
    if (sources[i].tokens.vocab_size() == sources[0].tokens.vocab_size()) continue;
    throw input_error(settings.sources[i].string(), "vocab_size",
                      fmt::format("{}", sources[0].tokens.vocab_size()),
                      fmt::format("{}", sources[i].tokens.vocab_size()),
                      "all sources need the same tokenizer");
  }
  return sources;
}

void check_lengths(const std::vector<BlendedSource>& sources, int64_t seq_len) {
  for (const BlendedSource& source : sources) {
    const auto& lengths = source.tokens.lengths();
    const auto too_long =
        std::count_if(lengths.begin(), lengths.end(), [&](int64_t n) { return n > seq_len; });
    if (too_long == 0) continue;
    throw input_error(source.tokens.name(), "documents",
                      fmt::format("at most {} tokens each with packing = fit", seq_len),
                      fmt::format("{} of {} longer, up to {}", too_long, lengths.size(),
                                  *std::max_element(lengths.begin(), lengths.end())),
                      "set max_length of data tokenize, or a longer seq_len");
  }
}

}  // namespace

struct Loader::State {
  std::vector<BlendedSource> sources;
  int64_t seq_len = 0;
  uint64_t seed = 0;
  bool fit = false;
  int64_t taken = 0;
  std::string fingerprint;

  std::vector<RowParts> plan(size_t source, uint64_t epoch) const {
    const EpochKey key{.seed = seed, .source = source, .epoch = epoch};
    const auto& lengths = sources[source].tokens.lengths();
    return fit ? plan_fitted(lengths, seq_len, key) : plan_concatenated(lengths, seq_len, key);
  }

  // The source that is furthest behind its share; the first of equals.
  size_t next_source() const {
    size_t best = 0;
    double largest = -1e300;
    for (size_t i = 0; i < sources.size(); ++i) {
      const double deficit = sources[i].weight * static_cast<double>(taken + 1) -
                             static_cast<double>(sources[i].taken);
      if (deficit > largest + 1e-9) {
        largest = deficit;
        best = i;
      }
    }
    return best;
  }

  // Counts the row and moves to the source's epoch that holds it.
  const RowParts& take(size_t index) {
    BlendedSource& source = sources[index];
    enter_epoch_of(index, source.taken);
    const RowParts& parts = source.epoch.rows[source.taken - source.epoch_first_row];
    ++source.taken;
    ++taken;
    return parts;
  }

  // Epochs of fitted rows differ in length, so they are walked from the one before.
  void enter_epoch_of(size_t index, int64_t row) {
    BlendedSource& source = sources[index];
    if (row < source.epoch_first_row) {
      source.epoch = {0, plan(index, 0)};
      source.epoch_first_row = 0;
    }
    while (row - source.epoch_first_row >= static_cast<int64_t>(source.epoch.rows.size())) {
      source.epoch_first_row += static_cast<int64_t>(source.epoch.rows.size());
      const uint64_t next = source.epoch.number + 1;
      source.epoch = {next, plan(index, next)};
    }
  }

  void set_weights(const std::vector<double>& given) {
    double sum = 0;
    for (size_t i = 0; i < sources.size(); ++i) {
      sources[i].weight =
          given.empty() ? static_cast<double>(sources[i].epoch.rows.size()) : given[i];
      sum += sources[i].weight;
    }
    for (BlendedSource& source : sources) source.weight /= sum;
  }

  void set_fingerprint() {
    ContentHasher hasher;
    hasher.add(fmt::format("{} {} {}", seq_len, seed, fit));
    for (const BlendedSource& source : sources) {
      hasher.add(fmt::format("{:016x} {:.17g}", source.tokens.checksum(), source.weight));
    }
    fingerprint = hasher.hex();
  }
};

Loader::Loader(std::unique_ptr<State> state) : state_(std::move(state)) {}
Loader::~Loader() = default;
Loader::Loader(Loader&&) noexcept = default;
Loader& Loader::operator=(Loader&&) noexcept = default;

Loader Loader::open(const LoaderSettings& settings, int64_t seq_len, uint64_t seed) {
  TREX_CHECK(seq_len > 0);
  auto state = std::make_unique<State>();
  state->sources = open_sources(settings);
  state->seq_len = seq_len;
  state->seed = seed;
  state->fit = settings.packing == "fit";
  if (state->fit) check_lengths(state->sources, seq_len);
  for (size_t i = 0; i < state->sources.size(); ++i) {
    BlendedSource& source = state->sources[i];
    source.epoch.rows = state->plan(i, 0);
    source.rows_first_epoch = static_cast<int64_t>(source.epoch.rows.size());
  }
  state->set_weights(settings.weights);
  state->set_fingerprint();
  return Loader(std::move(state));
}

PackedSequence Loader::next() {
  const size_t source = state_->next_source();
  const RowParts& parts = state_->take(source);
  return make_row(state_->sources[source].tokens, parts, state_->seq_len,
                  static_cast<int32_t>(source));
}

void Loader::skip(int64_t rows) {
  for (int64_t i = 0; i < rows; ++i) {
    ++state_->sources[state_->next_source()].taken;
    ++state_->taken;
  }
}

Json Loader::position() const {
  Json taken = Json::array();
  for (const BlendedSource& source : state_->sources) taken.push_back(source.taken);
  return {
      {"rows", state_->taken}, {"taken", std::move(taken)}, {"fingerprint", state_->fingerprint}};
}

void Loader::seek(const Json& position) {
  const JsonObject object(position, "data position");
  if (object.string("fingerprint") != state_->fingerprint) {
    throw object.error("fingerprint", in_quotes(state_->fingerprint),
                       in_quotes(object.string("fingerprint")),
                       "it was saved with other data, weights, packing, seq_len or seed");
  }
  const auto taken = object.integers("taken");
  const int64_t rows = object.integer("rows");
  const bool is_whole = taken.size() == state_->sources.size() &&
                        std::all_of(taken.begin(), taken.end(), [](int64_t n) { return n >= 0; }) &&
                        std::accumulate(taken.begin(), taken.end(), int64_t{0}) == rows;
  if (!is_whole) {
    throw object.error(
        "taken", fmt::format("rows of {} sources that add up to {}", state_->sources.size(), rows),
        position.at("taken").dump());
  }
  for (size_t i = 0; i < taken.size(); ++i) state_->sources[i].taken = taken[i];
  state_->taken = rows;
}

int64_t Loader::rows_taken() const { return state_->taken; }

int64_t Loader::epoch_tokens() const {
  int64_t tokens = 0;
  for (const BlendedSource& source : state_->sources) tokens += source.tokens.num_tokens();
  return tokens;
}

int64_t Loader::epoch_rows() const {
  int64_t rows = 0;
  for (const BlendedSource& source : state_->sources) rows += source.rows_first_epoch;
  return rows;
}

int64_t Loader::vocab_size() const { return state_->sources[0].tokens.vocab_size(); }

std::vector<SourceState> Loader::sources() const {
  std::vector<SourceState> states;
  for (const BlendedSource& source : state_->sources) {
    const auto rows = static_cast<int64_t>(source.epoch.rows.size());
    const double in_epoch =
        static_cast<double>(source.taken - source.epoch_first_row) / static_cast<double>(rows);
    states.push_back({.name = source.tokens.name(),
                      .documents = source.tokens.num_documents(),
                      .tokens = source.tokens.num_tokens(),
                      .rows_per_epoch = rows,
                      .weight = source.weight,
                      .rows_taken = source.taken,
                      .epochs_taken = static_cast<double>(source.epoch.number) + in_epoch});
  }
  return states;
}

}  // namespace trex::data
