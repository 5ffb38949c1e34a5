#include "data/token_shard.h"

#include <gmock/gmock.h>

#include <fstream>
#include <functional>

#include "base/error.h"
#include "base/rng.h"
#include "data/test_source.h"

namespace trex::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal_of(const Path& path) {
  try {
    TokenShard::open(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

class TokenShardFile : public testing::Test {
 protected:
  TokenShardFile() { write_numbered_source(path_, {3, 1, 5}, /*has_labels=*/true); }

  std::string refusal_after(const std::function<void(std::string&)>& damage) {
    std::string bytes = read_file(path_);
    damage(bytes);
    std::ofstream(folder_.path() / "damaged.tokens", std::ios::binary) << bytes;  // no fsync
    return refusal_of(folder_.path() / "damaged.tokens");
  }

  TemporaryFolder folder_;
  Path path_ = folder_.path() / "a.tokens";
};

TEST_F(TokenShardFile, GivesBackWhatWasWritten) {
  const auto shard = TokenShard::open(path_);
  EXPECT_EQ(shard.num_documents(), 3);
  EXPECT_EQ(shard.num_tokens(), 9);
  EXPECT_EQ(shard.vocab_size(), 100'000);
  EXPECT_EQ(shard.about().at("source"), "test");
  EXPECT_THAT(shard.document(0).tokens, ElementsAre(0, 1, 2));
  EXPECT_THAT(shard.document(1).tokens, ElementsAre(100));
  EXPECT_THAT(shard.document(2).tokens, ElementsAre(200, 201, 202, 203, 204));
  EXPECT_THAT(shard.document(2).labels, ElementsAre(0, 0, 0, 1, 1));
}

TEST_F(TokenShardFile, MayBeEmptyAndWithoutLabels) {
  write_numbered_source(path_, {});
  EXPECT_EQ(TokenShard::open(path_).num_documents(), 0);
  write_numbered_source(path_, {2});
  EXPECT_TRUE(TokenShard::open(path_).document(0).labels.empty());
}

TEST_F(TokenShardFile, RefusesOtherFilesAndVersions) {
  EXPECT_THAT(refusal_after([](std::string& b) { b = "short"; }),
              HasSubstr("expected a token shard of at least 64 bytes; got 5 bytes"));
  EXPECT_THAT(refusal_after([](std::string& b) { b[0] = 'X'; }),
              HasSubstr("expected a token shard; got a file of another kind"));
  EXPECT_THAT(refusal_after([](std::string& b) { b[8] = 9; }),
              HasSubstr("version: expected 1; got 9"));
}

// Each byte of a shard is under a checksum, and each shorter file is noticed.
TEST_F(TokenShardFile, RefusesEveryFlippedBitAndEveryCut) {
  const size_t size = read_file(path_).size();
  for (size_t i = 0; i < size; ++i) {
    EXPECT_NE(refusal_after([&](std::string& b) { b[i] ^= 1 << (i % 8); }), "accepted")
        << "byte " << i;
    EXPECT_NE(refusal_after([&](std::string& b) { b.resize(i); }), "accepted") << i << " bytes";
  }
  EXPECT_NE(refusal_after([](std::string& b) { b += 'x'; }), "accepted");
}

TEST_F(TokenShardFile, RefusesRandomBytesBehindAValidMagic) {
  Rng rng(1, "shard fuzz");
  for (int round = 0; round < 300; ++round) {
    EXPECT_NE(refusal_after([&](std::string& b) {
                b.resize(rng.between(12, 200));
                for (size_t i = 12; i < b.size(); ++i) b[i] = static_cast<char>(rng.next());
              }),
              "accepted");
  }
}

}  // namespace
}  // namespace trex::data
