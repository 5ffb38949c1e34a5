#include "base/log.h"

#include <gmock/gmock.h>

namespace trex {
namespace {

TEST(Log, LinesHaveLevelAreaAndMessageOnStandardError) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  log_info("train", "resumed step=12");
  log_warning("eval", "skipped items=3");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "info train: resumed step=12\nwarning eval: skipped items=3\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace trex
