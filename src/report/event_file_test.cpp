#include "report/event_file.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "report/crc32c.h"

namespace trex::report {
namespace {

std::string bytes_of_hex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

// Vectors of RFC 3720, appendix B.4, and the usual check value.
TEST(Crc32c, AgreesWithPublishedVectors) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
  std::string ascending;
  for (char c = 0; c < 32; ++c) ascending += c;
  EXPECT_EQ(crc32c(ascending), 0x46DD794Eu);
  EXPECT_EQ(crc32c(""), 0u);
}

// Written by the RecordWriter and the protocol buffers of the PyPI package tensorboard 2.21.0.
TEST(EventFile, GivesTheBytesOfTensorBoardsOwnWriter) {
  const std::string expected = bytes_of_hex(
      "1800000000000000a37f4b220900001040fc54d9411a0d627261696e2e4576656e743a32338d2fe9"
      "31000000000000009d8383e90900006040fc54d94110ac022a230a0b0a046c6f737315000020400a"
      "140a0d6c6561726e696e675f72617465156f12833a9aded29e");
  TemporaryFolder folder;
  EventFile file = EventFile::create(folder.path(), 1700000000.25);
  file.scalars(300, 1700000001.5, {{"loss", 2.5}, {"learning_rate", 0.001}});
  EXPECT_EQ(read_file(file.path()), expected);
}

TEST(EventFile, SecondFileOfTheSameSecondSortsBehindTheFirst) {
  TemporaryFolder folder;
  const Path first = EventFile::create(folder.path(), 1700000000.25).path();
  const Path second = EventFile::create(folder.path(), 1700000000.75).path();
  EXPECT_LT(first, second);
  EXPECT_EQ(read_file(first).size(), 40u);
}

TEST(EventFile, KeepsValuesThatAreNotFinite) {
  TemporaryFolder folder;
  EventFile file = EventFile::create(folder.path(), 1.0);
  file.scalars(1, 2.0, {{"loss", std::nan("")}});
  const std::string bytes = read_file(file.path());
  // The last field of the event is the float: quiet NaN, then the checksum of four bytes.
  EXPECT_EQ(bytes.substr(bytes.size() - 8, 4), std::string("\x00\x00\xC0\x7F", 4));
}

TEST(EventFile, NamesTheFolderThatItCannotWrite) {
  TemporaryFolder folder;
  write_file(folder.path() / "taken", "a file, not a folder");
  EXPECT_THROW(EventFile::create(folder.path() / "taken", 1.0), Error);
}

}  // namespace
}  // namespace trex::report
