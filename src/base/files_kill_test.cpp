// What is left on the disk when a writer is killed in the middle of its work.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "base/files.h"
#include "base/json.h"

namespace trex {
namespace {

// Runs `round(0)`, `round(1)`, ... in a child and kills it after `rounds` of them have been
// reported; the next one is then under way.
void kill_after(int rounds, const std::function<void(int)>& round) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    for (int i = 0;; ++i) {
      round(i);
      if (::write(ends[1], "r", 1) != 1) ::_exit(1);
    }
  }
  ::close(ends[1]);
  char reported;
  for (int i = 0; i < rounds; ++i) ASSERT_EQ(::read(ends[0], &reported, 1), 1);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
}

TEST(FilesAfterKill, ReplacedFileIsTheOldOneOrTheNewOne) {
  constexpr size_t kSize = 300'000;
  const TemporaryFolder folder;
  const Path file = folder.path() / "state";
  for (int rounds = 1; rounds <= 12; ++rounds) {
    kill_after(rounds, [&](int i) {
      write_file(file, std::string(kSize, static_cast<char>('a' + i % 26)));
    });
    const std::string bytes = read_file(file);
    ASSERT_EQ(bytes.size(), kSize);
    EXPECT_EQ(bytes.find_first_not_of(bytes[0]), std::string::npos) << "mixed bytes";
  }
}

TEST(FilesAfterKill, JournalHoldsEveryReportedRecordAndNoPart) {
  const TemporaryFolder folder;
  const Path file = folder.path() / "records.jsonl";
  const auto record = [](int64_t i) { return Json{{"i", i}, {"text", std::string(5000, 'x')}}; };
  int64_t expected = 0;
  for (int rounds = 1; rounds <= 12; ++rounds) {
    const int64_t first = expected;
    Journal journal = Journal::open(file);
    kill_after(rounds, [&](int i) { journal.append(to_line(record(first + i))); });
    (void)Journal::open(file);  // as a resumed run does
    LineReader lines(file);
    for (expected = 0; const auto line = lines.next(); ++expected) {
      ASSERT_EQ(line->value, record(expected));
    }
    EXPECT_GE(expected, first + rounds);
  }
}

}  // namespace
}  // namespace trex
