// The operator model against published kernel measurements (heterogeneous serving, section 14.2
// step 3).
#include <gmock/gmock.h>

#include <cmath>

#include "base/error.h"
#include "base/files.h"
#include "perf/kernel_fit.h"

namespace trex::perf {
namespace {

const std::vector<KernelTable>& tables() {
  static const std::vector<KernelTable> kTables =
      read_kernel_tables(Path(TREX_SOURCE_DIR) / "data/traces/calibration", Catalogue::shipped());
  return kTables;
}

std::string name_of(const KernelTable& table) {
  return table.device + " " + std::string(to_string(table.kernel)) + " " + table.arithmetic;
}

// 7 tables of products, 6 of prompts (not L40S fp8), 7 of decoding, 4 of experts, 4 of all-reduces.
TEST(Calibration, ReadsEveryTable) {
  EXPECT_EQ(tables().size(), 28u);
  for (const KernelTable& table : tables()) EXPECT_GE(table.samples.size(), 63u) << name_of(table);
}

TEST(Calibration, MedianErrorsAreWithinTheLimits) {
  for (const KernelTable& table : tables()) {
    const CalibrationReport report = calibration_report(table);
    EXPECT_LT(report.shipped.median, 0.15) << name_of(table);
    EXPECT_LT(report.fitted.median, 0.05) << name_of(table);
  }
}

// --- the fit itself, against data made here ---

KernelSample sample(double x, double y, double seconds) {
  return {.features = {x, y},
          .seconds = seconds,
          .compute_s = 1e-3,
          .memory_s = 1e-4,
          .in_scope = true};
}

// An all-reduce table has bytes and ranks: log(seconds / (5 us + 1 ms)) linear in both is between
// any nodes, so the fit must return it also where no sample is.
TEST(KernelFit, RecoversWhatItsTablesCanSay) {
  const auto truth = [](double x, double y) { return (5e-6 + 1e-3) * std::exp(0.1 * x - 0.3 * y); };
  std::vector<KernelSample> samples;
  for (double x = 9; x <= 29; x += 2) {
    for (double y = 1; y <= 3; y += 1) samples.push_back(sample(x, y, truth(x, y)));
  }
  const KernelFit fit(Kernel::AllReduce, samples, "test");
  for (const double x : {10.0, 15.5, 28.0})
    EXPECT_NEAR(fit.seconds(sample(x, 2.5, 0)), truth(x, 2.5), 2e-3 * truth(x, 2.5)) << x;
}

// One sample of ten is off by a factor of three: the others' times stand.
TEST(KernelFit, AnOutlierHardlyMoves) {
  std::vector<KernelSample> samples;
  for (int i = 0; i < 10; ++i) samples.push_back(sample(20, 2, i == 4 ? 3e-3 : 1e-3));
  EXPECT_NEAR(KernelFit(Kernel::AllReduce, samples, "test").seconds(sample(20, 2, 0)), 1e-3,
              0.02e-3);
}

TEST(KernelFit, NoSamplesOrNaNIsRefused) {
  EXPECT_THROW(KernelFit(Kernel::Gemm, {}, "test"), Error);
  const std::vector<KernelSample> bad{sample(20, 2, std::nan(""))};
  EXPECT_THROW(KernelFit(Kernel::AllReduce, bad, "test"), Error);
}

// --- reading ---

std::string refusal(const std::string& row) {
  TemporaryFolder folder;
  write_file(folder.path() / "aic_gemm_ms.csv.zst", "device,dtype,m,n,k,latency_ms\n" + row + "\n");
  try {
    read_kernel_tables(folder.path(), Catalogue::shipped());
  } catch (const Error& error) {
    const std::string text = error.what();
    return text.substr(text.find("csv.zst"));
  }
  return "accepted";
}

TEST(KernelTables, BadNumbersAreNamedWithTheirLine) {
  EXPECT_EQ(refusal("a100,bfloat16,1,128,128,nan"),
            "csv.zst:2: latency_ms: expected a finite number, at least 0; got \"nan\"");
  EXPECT_EQ(refusal("a100,bfloat16,1,128,128,0"),
            "csv.zst:2: latency_ms: expected a finite number above 0; got \"0\"");
  EXPECT_EQ(refusal("a100,bfloat16,-1,128,128,1"),
            "csv.zst:2: m: expected a finite number, at least 0; got \"-1\"");
  EXPECT_EQ(refusal("a100,bfloat16,1,128,128"), "csv.zst:2: columns: expected 6; got 5");
  EXPECT_EQ(refusal("b100,bfloat16,1,128,128,1"),
            "csv.zst:2: device: expected one of a100, h100, h200, l40s; got \"b100\"");
}

}  // namespace
}  // namespace trex::perf
