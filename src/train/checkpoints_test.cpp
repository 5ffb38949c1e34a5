#include "train/checkpoints.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace trex::train {
namespace {

using testing::HasSubstr;

void fill_with(const Path& folder, const std::string& text) {
  write_file(folder / "weights", text);
}

TEST(Checkpoints, LatestIsTheHighestCompleteStep) {
  TemporaryFolder run;
  Checkpoints checkpoints(run.path(), 5);
  EXPECT_FALSE(checkpoints.latest().has_value());
  for (const int64_t step : {100, 20, 9}) {
    checkpoints.write_step(step, [](const Path& folder) { fill_with(folder, "x"); });
  }
  EXPECT_EQ(checkpoints.latest(), run.path() / "step_000100");
  std::filesystem::remove(run.path() / "step_000100" / "DONE");
  EXPECT_EQ(checkpoints.latest(), run.path() / "step_000020");
}

TEST(Checkpoints, KeepsTheNewestOnes) {
  TemporaryFolder run;
  Checkpoints checkpoints(run.path(), 2);
  for (const int64_t step : {1, 2, 3}) {
    checkpoints.write_step(step, [](const Path& folder) { fill_with(folder, "x"); });
  }
  EXPECT_FALSE(std::filesystem::exists(run.path() / "step_000001"));
  EXPECT_TRUE(is_done(run.path() / "step_000002"));
  EXPECT_TRUE(is_done(run.path() / "step_000003"));
}

TEST(Checkpoints, AFailureWhileWritingLeavesTheOlderOne) {
  TemporaryFolder run;
  Checkpoints checkpoints(run.path(), 1);
  checkpoints.write_step(1, [](const Path& folder) { fill_with(folder, "one"); });
  EXPECT_THROW(checkpoints.write_step(2,
                                      [](const Path& folder) {
                                        fill_with(folder, "half");
                                        throw environment_error("disk", "space", "none");
                                      }),
               Error);
  EXPECT_EQ(Checkpoints(run.path(), 1).latest(), run.path() / "step_000001");
  // The next run has swept the unfinished folder away.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(run.path()), {}), 1);
}

TEST(Checkpoints, WritingANameAgainReplacesIt) {
  TemporaryFolder run;
  Checkpoints checkpoints(run.path(), 1);
  checkpoints.write_named("final", [](const Path& folder) { fill_with(folder, "old"); });
  checkpoints.write_named("final", [](const Path& folder) { fill_with(folder, "new"); });
  EXPECT_EQ(read_file(run.path() / "final" / "weights"), "new");
  EXPECT_FALSE(checkpoints.latest().has_value());
}

TEST(Manifest, NamesTheFileThatChanged) {
  TemporaryFolder run;
  const Path folder = Checkpoints(run.path(), 1).write_step(1, [](const Path& unfinished) {
    fill_with(unfinished, "weights");
  });
  verify_manifest(folder);
  write_file(folder / "weights", "weightz");
  EXPECT_THAT([&] { verify_manifest(folder); },
              testing::ThrowsMessage<Error>(HasSubstr("weights: expected the bytes that")));
  write_file(folder / "weights", "weight");
  EXPECT_THAT([&] { verify_manifest(folder); },
              testing::ThrowsMessage<Error>(HasSubstr("weights: expected 7 bytes; got 6 bytes")));
  std::filesystem::remove(folder / "weights");
  EXPECT_THAT([&] { verify_manifest(folder); },
              testing::ThrowsMessage<Error>(HasSubstr("a file of this checkpoint; got nothing")));
}

}  // namespace
}  // namespace trex::train
