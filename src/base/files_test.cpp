#include "base/files.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compress.h"
#include "base/error.h"
#include "base/hash.h"

namespace trex {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FilesTest : public testing::Test {
 protected:
  Path path(const std::string& name) const { return folder_.path() / name; }

  template <class Action>
  std::string refusal(Action action) const {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Environment);
      std::string text = error.what();
      const std::string prefix = folder_.path().string() + "/";
      if (text.starts_with(prefix)) text.erase(0, prefix.size());
      return text;
    }
    return "no error";
  }

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const Path& file : files_below(folder_.path())) {
      found.push_back(std::filesystem::relative(file, folder_.path()).string());
    }
    return found;
  }

  TemporaryFolder folder_;
};

TEST_F(FilesTest, AnyBytesComeBackAsWritten) {
  for (const std::string& bytes :
       {std::string(), std::string("a\0b\xff\n", 5), std::string(200'000, 'x')}) {
    write_file(path("plain"), bytes);
    EXPECT_EQ(read_file(path("plain")), bytes);
    write_file(path("packed.zst"), bytes);
    EXPECT_EQ(read_file(path("packed.zst")), bytes);
  }
  EXPECT_LT(std::filesystem::file_size(path("packed.zst")), 1000u);
  EXPECT_THAT(names(), ElementsAre("packed.zst", "plain"));  // nothing stays beside them
}

TEST_F(FilesTest, WritingMakesTheFolders) {
  write_file(path("a/b/c.txt"), "x");
  EXPECT_EQ(read_file(path("a/b/c.txt")), "x");
}

TEST_F(FilesTest, FilesWithoutASizeAreRead) {
  EXPECT_THAT(read_file("/proc/self/status"), HasSubstr("VmRSS:"));
}

TEST_F(FilesTest, RefusalsNameThePathAndTheReason) {
  std::filesystem::create_directory(path("folder"));
  write_file(path("file"), "x");
  EXPECT_EQ(refusal([&] { read_file(path("none")); }),
            "none: expected a readable file; got No such file or directory");
  EXPECT_EQ(refusal([&] { read_file(path("folder")); }), "folder: expected a file; got a folder");
  EXPECT_EQ(refusal([&] { MappedFile::open(path("folder")); }),
            "folder: expected a file; got a folder");
  EXPECT_EQ(refusal([&] { files_below(path("none")); }),
            "none: expected a file or folder; got nothing");
  EXPECT_EQ(refusal([&] { write_file(path("folder"), "x"); }),
            "folder: expected a path that can be replaced; got Is a directory");
  EXPECT_EQ(refusal([&] { write_file(path("file/x"), "x"); }),
            "file: expected a folder that can be made; got Not a directory");
  EXPECT_THAT(names(), ElementsAre("file"));  // no temporary file is left of the refused writes
}

TEST_F(FilesTest, DamagedZstdIsAnInputError) {
  const std::string whole = compressed("some text");
  for (const std::string& bytes : {std::string(), std::string("not zstd"),
                                   whole.substr(0, whole.size() - 3), whole + "tail"}) {
    EXPECT_THROW(
        {
          try {
            decompressed(bytes, "x.zst");
          } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            EXPECT_THAT(error.what(), testing::StartsWith("x.zst: expected "));
            throw;
          }
        },
        Error)
        << bytes.size();
  }
  EXPECT_EQ(decompressed(whole + compressed(" and more"), "x.zst"), "some text and more");
}

TEST_F(FilesTest, DoneMarksTheFolder) {
  EXPECT_FALSE(is_done(path("set")));
  mark_done(path("set"));
  EXPECT_TRUE(is_done(path("set")));
}

TEST_F(FilesTest, JournalKeepsWholeLinesAndCutsATornOne) {
  write_file(path("torn"), "one\ntwo\nthr");
  Journal::open(path("torn")).append("four");
  EXPECT_EQ(read_file(path("torn")), "one\ntwo\nfour\n");
  write_file(path("only-torn"), "on");
  Journal::open(path("only-torn")).append("two");
  EXPECT_EQ(read_file(path("only-torn")), "two\n");
}

TEST_F(FilesTest, JournalBeginsEmptyAndGoesOnWhereItWas) {
  {
    Journal journal = Journal::open(path("deep/journal"));
    EXPECT_EQ(read_file(path("deep/journal")), "");
    journal.append("one");
    journal.append("");
    journal.sync();
  }
  Journal::open(path("deep/journal")).append("three");
  EXPECT_EQ(read_file(path("deep/journal")), "one\n\nthree\n");
}

TEST_F(FilesTest, MappedFileShowsTheBytesAlsoOfAnEmptyFile) {
  write_file(path("empty"), "");
  write_file(path("full"), "abc");
  EXPECT_EQ(MappedFile::open(path("empty")).bytes(), "");
  const MappedFile moved = MappedFile::open(path("full"));
  EXPECT_EQ(moved.bytes(), "abc");
}

TEST_F(FilesTest, FilesBelowAreSorted) {
  for (const char* name : {"b", "a/z", "a/b", "c"}) write_file(path(name), name);
  EXPECT_THAT(names(), ElementsAre("a/b", "a/z", "b", "c"));
  EXPECT_THAT(files_below(path("b")), ElementsAre(path("b")));
}

TEST_F(FilesTest, ContentHashSeesNamesAndBytesButNotTimes) {
  write_file(path("one/a"), "x");
  write_file(path("two/a"), "x");
  EXPECT_EQ(content_hash_of(path("one")), content_hash_of(path("two")));
  EXPECT_EQ(content_hash_of(path("one/a")), content_hash_of(path("two/a")));
  write_file(path("two/a"), "y");
  EXPECT_NE(content_hash_of(path("one")), content_hash_of(path("two")));
  write_file(path("three/b"), "x");
  EXPECT_NE(content_hash_of(path("one")), content_hash_of(path("three")));
}

TEST_F(FilesTest, TemporaryFolderTakesItsFilesWithIt) {
  Path kept;
  {
    const TemporaryFolder folder;
    kept = folder.path();
    write_file(kept / "a/b", "x");
  }
  EXPECT_FALSE(std::filesystem::exists(kept));
}

// Values from the XXH3 specification's test of the empty input, seed 0.
TEST(Hash, MatchesThePublishedValuesForNothing) {
  EXPECT_EQ(hash64(""), 0x2D06800538D394C2u);
  EXPECT_EQ(content_hash(""), "99aa06d3014798d86001c324468d497f");
}

TEST(Hash, SeedAndBytesChangeIt) {
  EXPECT_NE(hash64("a"), hash64("b"));
  EXPECT_NE(hash64("a", 0), hash64("a", 1));
}

TEST(ContentHasher, CountsWhereAPieceEnds) {
  const auto of = [](std::initializer_list<std::string_view> pieces) {
    ContentHasher hasher;
    for (const auto piece : pieces) hasher.add(piece);
    return hasher.hex();
  };
  EXPECT_NE(of({"ab", "c"}), of({"a", "bc"}));
  EXPECT_NE(of({"a"}), of({"a", ""}));
  EXPECT_EQ(of({"a", "b"}), of({"a", "b"}));
}

}  // namespace
}  // namespace trex
