// Random damage to a valid file: it is read whole, or refused by an error that names the file.
// Never a crash, never an answer from bytes outside the file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/error.h"
#include "base/rng.h"
#include "checkpoint/safetensors.h"

namespace trex::checkpoint {
namespace {

constexpr int kFiles = 2000;

std::string valid_bytes(const Path& folder) {
  const auto numbers = torch::arange(24, torch::kFloat32);
  const std::vector<NamedTensor> tensors = {
      {"layers.0.attn.wq", numbers.view({4, 6})},
      {"layers.0.scale", numbers.to(torch::kUInt8).view(torch::kFloat8_e8m0fnu).view({2, 12})},
      {"empty", torch::empty({0, 3})},
      {"ids", numbers.to(torch::kInt64)}};
  write_safetensors(folder / "valid.safetensors", tensors, {{"format", "pt"}});
  return read_file(folder / "valid.safetensors");
}

// Characters that keep a header nearly JSON: damage gets past the parser and reaches the checks.
constexpr std::string_view kLikely = "0123456789,:[]{}\"- eE.+UF8ITB";

void damage_once(std::string& bytes, Rng& rng) {
  if (bytes.empty()) return;
  const size_t at = rng.below(bytes.size());
  switch (rng.below(7)) {
    case 0:
      bytes[at] = static_cast<char>(rng.below(256));
      break;
    case 1:
    case 2:
      bytes[at] = kLikely[rng.below(kLikely.size())];
      break;
    case 3:
      bytes.resize(at);
      break;
    case 4:
      bytes.insert(at, std::string(1 + rng.below(3), kLikely[rng.below(kLikely.size())]));
      break;
    case 5:
      bytes.insert(at, bytes.substr(rng.below(bytes.size()), rng.below(80)));
      break;
    default:
      bytes.erase(at, 1 + rng.below(8));
  }
}

// The header length at the front, so that damage behind it is looked at.
void repair_length(std::string& bytes, size_t header_end) {
  const size_t length = std::min(header_end, bytes.size()) - 8;
  for (size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(length >> (8 * i) & 0xFF);
}

void write_bytes(const Path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class DamagedFile : public testing::Test {
 protected:
  // Whether the file is still a valid one.
  bool is_read(const std::string& bytes) {
    const Path path = folder_.path() / "x.safetensors";
    write_bytes(path, bytes);
    try {
      const auto file = SafetensorsFile::open(path);
      size_t num_bytes = 0;
      for (const TensorSpec& spec : file.specs()) num_bytes += file.read(spec.name).nbytes();
      EXPECT_LE(num_bytes, bytes.size());
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Input);
      EXPECT_THAT(error.what(), testing::StartsWith(path.string() + ": "));
      return false;
    }
  }

  TemporaryFolder folder_;
  const std::string valid_ = valid_bytes(folder_.path());
  const size_t header_end_ = valid_.find("}}") + 2;
};

class Corruption : public DamagedFile, public testing::WithParamInterface<uint64_t> {};

TEST_P(Corruption, IsReadOrRefusedByName) {
  ASSERT_TRUE(is_read(valid_));
  int num_read = 0;
  for (int i = 0; i < kFiles; ++i) {
    Rng rng(GetParam(), "corruption", static_cast<uint64_t>(i));
    std::string bytes = valid_;
    for (uint64_t n = 1 + rng.below(4); n > 0; --n) damage_once(bytes, rng);
    if (bytes.size() > 8 && rng.below(2) == 0) {
      repair_length(bytes, header_end_ + bytes.size() - valid_.size());
    }
    SCOPED_TRACE(testing::Message() << "file " << i);
    num_read += is_read(bytes) ? 1 : 0;
  }
  // Damage to the data alone goes unseen, most to the header does not.
  EXPECT_GT(num_read, kFiles / 50);
  EXPECT_LT(num_read, kFiles / 2);
}

TEST_F(DamagedFile, OfEveryLengthIsRefused) {
  for (size_t length = 0; length < valid_.size(); ++length) {
    EXPECT_FALSE(is_read(valid_.substr(0, length))) << length;
  }
}

TEST_F(DamagedFile, WithDeepNestingIsRefused) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  for (const char* key : {"dtype", "shape", "data_offsets", "other"}) {
    std::string bytes = std::string(8, '\0') + "{\"a\":{\"" + key + "\":" + deep + "}}";
    repair_length(bytes, bytes.size());
    EXPECT_FALSE(is_read(bytes)) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(Seed, Corruption, testing::Values(1, 2, 3));

}  // namespace
}  // namespace trex::checkpoint
