#include "base/progress.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace trex {
namespace {

constexpr const char* kRewrite = "\r\x1b[K";

// Collects what is printed to a stream.
class ProgressTest : public testing::Test {
 protected:
  ~ProgressTest() override {
    std::fclose(out_);
    std::free(bytes_);
  }

  // What was printed since the last call.
  std::string printed() {
    std::fflush(out_);
    const std::string all(bytes_, size_);
    return all.substr(std::exchange(shown_, all.size()));
  }

  FakeClock clock_;
  char* bytes_ = nullptr;
  size_t size_ = 0, shown_ = 0;
  std::FILE* out_ = ::open_memstream(&bytes_, &size_);
};

TEST_F(ProgressTest, WithoutATerminalItPrintsALineEveryTenSeconds) {
  PrintedProgress progress(out_, /*is_terminal=*/false, clock_);
  progress.started("generate", 300, "documents");
  progress.advanced(0);
  for (int second = 1; second <= 20; ++second) {
    clock_.advance(1);
    progress.advanced(second * 10);
    if (second == 9) {
      EXPECT_EQ(printed(), "");
    }
  }
  EXPECT_EQ(printed(),
            "generate: 100/300 documents, 10 documents/s, 20.0s left\n"
            "generate: 200/300 documents, 10 documents/s, 10.0s left\n");
  clock_.advance(10);
  progress.finished();
  EXPECT_EQ(printed(), "generate: 200 documents in 30.0s\n");
}

TEST_F(ProgressTest, OnATerminalItRewritesOneLineTenTimesASecond) {
  PrintedProgress progress(out_, /*is_terminal=*/true, clock_);
  progress.started("train", 0, "steps");
  progress.advanced(0, "loss 9");
  EXPECT_EQ(printed(), std::string(kRewrite) + "train: 0 steps, loss 9");
  clock_.advance(0.05);
  progress.advanced(1, "loss 8");
  EXPECT_EQ(printed(), "");
  clock_.advance(0.45);
  progress.advanced(2, "loss 7");
  EXPECT_EQ(printed(), std::string(kRewrite) + "train: 2 steps, 4 steps/s, loss 7");
  progress.finished("final loss 7");
  EXPECT_EQ(printed(), std::string(kRewrite) + "train: final loss 7 in 500ms\n");
}

TEST_F(ProgressTest, RateLeavesOutWhatAnEarlierRunDid) {
  PrintedProgress progress(out_, /*is_terminal=*/false, clock_);
  progress.started("eval", 1000, "questions");
  progress.advanced(900);
  clock_.advance(10);
  progress.advanced(950);
  EXPECT_EQ(printed(), "eval: 950/1000 questions, 5 questions/s, 10.0s left\n");
}

TEST_F(ProgressTest, ASecondPieceOfWorkStartsAfresh) {
  PrintedProgress progress(out_, /*is_terminal=*/false, clock_);
  progress.started("one", 10, "x");
  clock_.advance(5);
  progress.advanced(10);
  progress.finished();
  progress.started("two", 10, "y");
  progress.advanced(0);
  clock_.advance(20);
  progress.advanced(5);
  EXPECT_EQ(printed(), "one: 10 x in 5.0s\ntwo: 5/10 y, 0.25 y/s, 20.0s left\n");
}

TEST_F(ProgressTest, WorkCutShortOnATerminalEndsItsLine) {
  try {
    PrintedProgress progress(out_, /*is_terminal=*/true, clock_);
    progress.started("train", 0, "steps");
    progress.advanced(3);
    throw input_error("f", "", "x", "y");
  } catch (const Error&) {
  }
  EXPECT_EQ(printed(), std::string(kRewrite) + "train: 3 steps\n");
}

}  // namespace
}  // namespace trex
