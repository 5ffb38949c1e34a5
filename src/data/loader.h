// Rows of tokens for training: token shards, shuffled, packed and blended.
//
// Row n of a run is a pure function of (sources, settings, seq_len, seed, n): it does not depend
// on workers, ranks or on what was read before. A run's position is therefore how many rows it has
// taken, and resuming is exact for any number of ranks (rank r of R uses rows with n % R == r).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "data/loader_settings.h"

namespace trex::data {

constexpr int32_t kIgnoredTarget = -100;
constexpr int32_t kPaddingDocument = -1;

// One row; every vector has seq_len entries. Padding, only ever at the end of a row, has token 0,
// target kIgnoredTarget, document kPaddingDocument, position 0 and the source of the row.
struct PackedSequence {
  std::vector<int32_t> tokens;
  std::vector<int32_t> targets;    // the document's next token, or kIgnoredTarget where no loss
  std::vector<int32_t> documents;  // index of the document in the row: 0, 1, ...
  std::vector<int32_t> positions;  // 0, 1, ... within the document's part in this row
  std::vector<int32_t> sources;    // index of the blend source of each token
};

// What one source holds and how far it has been read.
struct SourceState {
  std::string name;
  int64_t documents = 0, tokens = 0;
  int64_t rows_per_epoch =
      0;              // of the epoch that it is in; with packing = fit they differ a little
  double weight = 0;  // share of rows; the shares sum to 1
  int64_t rows_taken = 0;
  double epochs_taken = 0;
};

// Not safe for use by two threads at once.
class Loader {
 public:
  // Maps all shards and checks their headers, indices and checksums. Throws Input: no source, a
  // damaged shard, shards of different vocabularies, weights that do not fit the sources, or with
  // packing = fit a document longer than seq_len.
  static Loader open(const LoaderSettings& settings, int64_t seq_len, uint64_t seed);
  ~Loader();
  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;

  PackedSequence next();
  // Passes over `rows` rows without making them.
  void skip(int64_t rows);

  // {"rows": n, "taken": [rows of each source], "fingerprint": "..."}. seek() throws Input when the
  // position was saved with other data, another seed, packing, blend or seq_len.
  Json position() const;
  void seek(const Json& position);

  int64_t rows_taken() const;
  int64_t epoch_tokens() const;  // tokens of all documents of all sources
  int64_t epoch_rows() const;    // rows of the first epoch of all sources
  int64_t vocab_size() const;    // of the tokenizer that made the shards
  std::vector<SourceState> sources() const;

 private:
  struct State;
  explicit Loader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace trex::data
