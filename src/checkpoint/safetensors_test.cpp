#include "checkpoint/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace trex::checkpoint {
namespace {

std::string file_bytes(const std::string& header, size_t data_bytes) {
  std::string bytes;
  for (size_t i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return bytes + header + std::string(data_bytes, '\1');
}

class Safetensors : public testing::Test {
 protected:
  std::string error_of(const std::string& bytes) {
    const Path path = folder_.path() / "x.safetensors";
    write_file(path, bytes);
    try {
      SafetensorsFile::open(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Input);
      std::string text = error.what();
      EXPECT_TRUE(text.starts_with(path.string() + ": ")) << text;
      return text.substr(std::min(text.size(), path.string().size() + 2));
    }
    return "no error";
  }
  TemporaryFolder folder_;
};

TEST_F(Safetensors, EveryDtypeComesBackAsWritten) {
  std::vector<NamedTensor> tensors;
  const auto bytes = torch::arange(48).to(torch::kUInt8);
  for (const auto dtype :
       {torch::kFloat64, torch::kFloat32, torch::kFloat16, torch::kBFloat16, torch::kFloat8_e4m3fn,
        torch::kFloat8_e5m2, torch::kFloat8_e8m0fnu, torch::kInt64, torch::kInt32, torch::kInt16,
        torch::kInt8, torch::kUInt8}) {
    tensors.push_back({c10::toString(dtype), bytes.view(dtype).view({2, -1})});
  }
  tensors.push_back({"scalar", torch::full({}, 3.5)});
  tensors.push_back({"empty", torch::empty({0, 7})});
  tensors.push_back({"strided", torch::arange(12).view({3, 4}).t()});
  write_safetensors(folder_.path() / "x.safetensors", tensors, {{"format", "pt"}});
  const auto file = SafetensorsFile::open(folder_.path() / "x.safetensors");
  EXPECT_EQ(file.specs().size(), tensors.size());
  EXPECT_EQ(file.metadata().at("format"), "pt");
  for (const auto& [name, tensor] : tensors) {
    const auto read = file.read(name);
    ASSERT_EQ(read.scalar_type(), tensor.scalar_type());
    ASSERT_EQ(read.sizes(), tensor.sizes());
    if (read.numel() == 0) continue;
    EXPECT_TRUE(torch::equal(read.flatten().view(torch::kUInt8),
                             tensor.contiguous().flatten().view(torch::kUInt8)))
        << name;
  }
}

TEST_F(Safetensors, LayoutIsThatOfTheFormat) {
  const auto tensor = torch::tensor({1.0f, 2.0f});
  const std::vector<NamedTensor> tensors = {{"a", tensor}};
  write_safetensors(folder_.path() / "x.safetensors", tensors);
  const std::string bytes = read_file(folder_.path() / "x.safetensors");
  const std::string header = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  EXPECT_EQ(bytes.substr(8, header.size()), header);
  EXPECT_EQ(bytes[0], 56);  // the header padded to a multiple of 8
  EXPECT_EQ(bytes.substr(8 + header.size(), 56 - header.size()),
            std::string(56 - header.size(), ' '));
  EXPECT_EQ(bytes.substr(64), std::string("\0\0\x80\x3F\0\0\0\x40", 8));
}

TEST_F(Safetensors, RefusalsNameTheTensor) {
  EXPECT_EQ(error_of("abc"), "expected a safetensors file (8 bytes of header length); got 3 bytes");
  EXPECT_EQ(error_of(std::string("\xFF\xFF\xFF\xFF\xFF\0\0\0", 8)),
            "header length: expected at most 100000000 bytes; got 1099511627775 (is it a "
            "safetensors file?)");
  EXPECT_EQ(error_of(file_bytes("{}", 0).substr(0, 9)),
            "header length: expected at most the 1 bytes that follow; got 2 (the file is cut off "
            "or not a safetensors file)");
  EXPECT_THAT(error_of(file_bytes("{\"a\"", 0)),
              testing::StartsWith("header: expected JSON; got "));
  EXPECT_EQ(error_of(file_bytes("[]", 0)), "header: expected a JSON object; got a list");
  EXPECT_EQ(error_of(file_bytes(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4)),
            "a: expected 8 bytes for F32 [2]; got 4 bytes");
  EXPECT_EQ(error_of(file_bytes(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 4)),
            "a.data_offsets: expected [begin, end] within 4 bytes of data; got [0,8]");
  EXPECT_EQ(
      error_of(file_bytes(
          R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})",
          6)),
      "b: expected data that begins at byte 4; got an overlap at byte 2");
  EXPECT_EQ(
      error_of(file_bytes(
          R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})",
          12)),
      "b: expected data that begins at byte 4; got a gap at byte 8");
  EXPECT_EQ(error_of(file_bytes(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 6)),
            "expected 4 bytes of data; got 6 bytes");
  EXPECT_EQ(
      error_of(file_bytes(
          R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
          0)),
      "a: expected one entry in the header; got two");
  EXPECT_EQ(error_of(file_bytes(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,0]}})", 0)),
            "a.shape: expected extents of at least 0; got -1");
  EXPECT_THAT(
      error_of(file_bytes(
          R"({"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0)),
      testing::StartsWith("a.shape: expected fewer than 2^59 elements"));
  EXPECT_THAT(error_of(file_bytes(R"({"a":{"dtype":"F4","shape":[0],"data_offsets":[0,0]}})", 0)),
              testing::StartsWith("a.dtype: expected one of F64, F32,"));
  EXPECT_THAT(error_of(file_bytes(R"({"a":{"dtype":"U8","shape":[0]}})", 0)),
              testing::StartsWith("a.data_offsets: expected"));
}

TEST_F(Safetensors, ReadingWhatIsNotThereNamesIt) {
  write_safetensors(folder_.path() / "x.safetensors", {});
  const auto file = SafetensorsFile::open(folder_.path() / "x.safetensors");
  EXPECT_THROW(file.read("nothing"), Error);
  EXPECT_FALSE(file.has("nothing"));
}

}  // namespace
}  // namespace trex::checkpoint
