#include "data/loader.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "base/error.h"
#include "data/test_source.h"

namespace trex::data {
namespace {

constexpr int64_t kSeqLen = 16;

class TrainingLoader : public testing::Test {
 protected:
  TrainingLoader() {
    for (int64_t d = 0; d < 60; ++d) lengths_.push_back(1 + d * 7 % 40);
    write_numbered_source(folder_.path() / "long.tokens", lengths_);
    for (int64_t d = 0; d < 50; ++d) short_lengths_.push_back(2 + d * 7 % 15);
    write_numbered_source(folder_.path() / "short.tokens", short_lengths_, /*has_labels=*/true);
  }

  LoaderSettings settings(const std::vector<std::string>& names, const std::string& packing) const {
    LoaderSettings result;
    for (const auto& name : names) result.sources.push_back(folder_.path() / (name + ".tokens"));
    result.packing = packing;
    return result;
  }

  std::string refusal(const LoaderSettings& given) const {
    try {
      Loader::open(given, kSeqLen, 1);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

  TemporaryFolder folder_;
  std::vector<int64_t> lengths_, short_lengths_;
};

bool same_row(const PackedSequence& a, const PackedSequence& b) {
  return a.tokens == b.tokens && a.targets == b.targets && a.documents == b.documents &&
         a.positions == b.positions && a.sources == b.sources;
}

// Tokens are 100 * document + offset, so a row can be checked without the loader's plan.
void check_row(const PackedSequence& row, const std::vector<int64_t>& lengths, bool has_labels) {
  for (size_t i = 0; i < row.tokens.size(); ++i) {
    if (row.documents[i] == kPaddingDocument) {
      EXPECT_EQ(row.targets[i], kIgnoredTarget);
      continue;
    }
    const int64_t document = row.tokens[i] / 100, offset = row.tokens[i] % 100;
    const bool begins = i == 0 || row.documents[i] != row.documents[i - 1];
    EXPECT_EQ(row.positions[i], begins ? 0 : row.positions[i - 1] + 1);
    if (!begins) {
      EXPECT_EQ(row.tokens[i], row.tokens[i - 1] + 1);
    }
    const bool is_last = offset + 1 == lengths[document];
    const bool is_learned = !has_labels || 2 * (offset + 1) >= lengths[document];
    EXPECT_EQ(row.targets[i], is_last || !is_learned ? kIgnoredTarget : row.tokens[i] + 1);
  }
}

TEST_F(TrainingLoader, ConcatenatingGivesEveryTokenOncePerEpoch) {
  Loader loader = Loader::open(settings({"long"}, "concatenate"), kSeqLen, 7);
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::set<int32_t> seen;
    int64_t num_padding = 0;
    for (int64_t i = 0; i < loader.epoch_rows(); ++i) {
      const PackedSequence row = loader.next();
      ASSERT_EQ(row.tokens.size(), static_cast<size_t>(kSeqLen));
      check_row(row, lengths_, false);
      for (size_t t = 0; t < row.tokens.size(); ++t) {
        if (row.documents[t] == kPaddingDocument) {
          ++num_padding;
        } else {
          EXPECT_TRUE(seen.insert(row.tokens[t]).second);
        }
      }
    }
    EXPECT_EQ(static_cast<int64_t>(seen.size()), loader.epoch_tokens());
    EXPECT_LT(num_padding, kSeqLen);
  }
}

TEST_F(TrainingLoader, FittingKeepsDocumentsWholeAndRowsFull) {
  Loader loader = Loader::open(settings({"short"}, "fit"), kSeqLen, 7);
  std::multiset<int32_t> first_tokens;
  for (int64_t i = 0; i < loader.epoch_rows(); ++i) {
    const PackedSequence row = loader.next();
    check_row(row, short_lengths_, true);
    std::map<int32_t, int64_t> sizes;
    for (size_t t = 0; t < row.tokens.size(); ++t) {
      if (row.documents[t] == kPaddingDocument) continue;
      if (row.positions[t] == 0) first_tokens.insert(row.tokens[t]);
      ++sizes[row.documents[t]];
      if (row.targets[t] == kIgnoredTarget) continue;
      EXPECT_EQ(row.documents[t], row.documents[t + 1]);
    }
    for (size_t t = 0; t < row.tokens.size(); ++t) {
      if (row.documents[t] != kPaddingDocument) {
        EXPECT_EQ(sizes[row.documents[t]], short_lengths_[row.tokens[t] / 100]);
      }
    }
  }
  EXPECT_EQ(first_tokens.size(), short_lengths_.size());
  const double fill = static_cast<double>(loader.epoch_tokens()) /
                      static_cast<double>(loader.epoch_rows() * kSeqLen);
  EXPECT_GT(fill, 0.9);
}

TEST_F(TrainingLoader, SameSeedGivesTheSameRowsAndAnotherOthers) {
  const auto given = settings({"long", "short"}, "concatenate");
  Loader a = Loader::open(given, kSeqLen, 3), b = Loader::open(given, kSeqLen, 3);
  Loader c = Loader::open(given, kSeqLen, 4);
  int num_different = 0;
  for (int i = 0; i < 200; ++i) {
    const auto row = a.next();
    EXPECT_TRUE(same_row(row, b.next()));
    num_different += same_row(row, c.next()) ? 0 : 1;
  }
  EXPECT_GT(num_different, 150);
}

TEST_F(TrainingLoader, ContinuesExactlyFromASavedPosition) {
  for (const std::string packing : {"concatenate", "fit"}) {
    auto given = settings({"short", "short"}, packing);
    given.weights = {0.7, 0.3};
    Loader whole = Loader::open(given, kSeqLen, 5);
    std::vector<PackedSequence> rows;
    std::vector<Json> positions;
    for (int i = 0; i < 150; ++i) {
      positions.push_back(whole.position());
      rows.push_back(whole.next());
    }
    for (const size_t from : {0u, 1u, 37u, 99u, 149u}) {
      Loader resumed = Loader::open(given, kSeqLen, 5);
      resumed.seek(parse_json(to_line(positions[from]), "position"));
      Loader skipped = Loader::open(given, kSeqLen, 5);
      skipped.skip(static_cast<int64_t>(from));
      for (size_t i = from; i < rows.size(); ++i) {
        EXPECT_TRUE(same_row(resumed.next(), rows[i])) << packing << " " << i;
        EXPECT_TRUE(same_row(skipped.next(), rows[i])) << packing << " " << i;
      }
      resumed.seek(positions[0]);  // also backwards
      EXPECT_TRUE(same_row(resumed.next(), rows[0]));
    }
  }
}

TEST_F(TrainingLoader, SourcesKeepToTheirWeights) {
  auto given = settings({"long", "short"}, "concatenate");
  given.weights = {3, 1};
  Loader loader = Loader::open(given, kSeqLen, 5);
  for (int n = 1; n <= 400; ++n) {
    const auto row = loader.next();
    EXPECT_EQ(row.sources.front(), row.sources.back());
    EXPECT_NEAR(static_cast<double>(loader.sources()[0].rows_taken), 0.75 * n, 1.0);
  }
  EXPECT_EQ(loader.rows_taken(), 400);
}

TEST_F(TrainingLoader, RefusesWhatDoesNotFit) {
  EXPECT_EQ(refusal(LoaderSettings{}), "data: sources: expected at least one path; got none");
  auto given = settings({"long", "short"}, "concatenate");
  given.weights = {1};
  EXPECT_EQ(refusal(given), "data: weights: expected one for each of 2 sources; got 1");
  EXPECT_EQ(refusal(settings({"long"}, "fit")),
            "long: documents: expected at most 16 tokens each with packing = fit; got 35 of 60 "
            "longer, up "
            "to 40 (set max_length of data tokenize, or a longer seq_len)");
  EXPECT_THAT(refusal(settings({"missing"}, "fit")),
              testing::HasSubstr("expected a token shard or a folder"));
  TokenShardWriter other(5, false);
  other.add(std::vector<int32_t>{1, 2});
  other.write(folder_.path() / "other.tokens", Json::object());
  EXPECT_THAT(refusal(settings({"long", "other"}, "concatenate")),
              testing::HasSubstr("vocab_size: expected 100000; got 5"));
}

TEST_F(TrainingLoader, RefusesAPositionOfAnotherRun) {
  const auto given = settings({"short"}, "fit");
  Loader loader = Loader::open(given, kSeqLen, 5);
  EXPECT_THROW(loader.seek(Loader::open(given, kSeqLen, 6).position()), Error);
  EXPECT_THROW(loader.seek(Loader::open(given, kSeqLen + 1, 5).position()), Error);
  Json position = loader.position();
  position["rows"] = 3;
  EXPECT_THROW(loader.seek(position), Error);
  EXPECT_THROW(loader.seek(Json::object()), Error);
}

}  // namespace
}  // namespace trex::data
