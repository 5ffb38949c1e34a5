#include "base/metrics.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/error.h"

namespace trex {
namespace {

class MetricsTest : public testing::Test {
 protected:
  const TemporaryFolder folder_;
  const Path file_ = folder_.path() / "metrics.jsonl";
  FakeClock clock_;
};

TEST_F(MetricsTest, WritesALineAnEventWithNullForWhatIsNoNumber) {
  clock_.set(100);
  MetricsWriter writer(file_, clock_);
  writer.write(1, {{"loss", 2.5}, {"grad_norm", std::nan("")}});
  clock_.advance(1.5);
  writer.write(2, {{"loss", INFINITY}});
  EXPECT_EQ(read_file(file_),
            "{\"step\":1,\"seconds\":0.0,\"loss\":2.5,\"grad_norm\":null}\n"
            "{\"step\":2,\"seconds\":1.5,\"loss\":null}\n");
}

TEST_F(MetricsTest, ResumedRunDropsLaterStepsAndTheTornLine) {
  write_file(file_, "{\"step\":1}\n{\"step\":2}\n{\"step\":3}\n{\"ste");
  truncate_metrics(file_, 2);
  MetricsWriter(file_, clock_).write(3, {});
  EXPECT_EQ(read_file(file_), "{\"step\":1}\n{\"step\":2}\n{\"step\":3,\"seconds\":0.0}\n");
}

TEST_F(MetricsTest, NothingToDropIsNoError) {
  truncate_metrics(file_, 5);
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(MetricsTest, ALineWithoutAStepIsRefused) {
  write_file(file_, "{\"step\":1}\n{\"loss\":2}\n");
  EXPECT_THROW(truncate_metrics(file_, 5), Error);
  EXPECT_EQ(read_file(file_), "{\"step\":1}\n{\"loss\":2}\n");
}

}  // namespace
}  // namespace trex
