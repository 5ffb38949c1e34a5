// The operator model against published kernel measurements (data/traces/calibration): median
// relative error as shipped and after a fit, beside a roofline with one constant efficiency fitted
// to the same table.
#include <fmt/format.h>

#include "perf/kernel_fit.h"

int main(int argc, char** argv) {
  using namespace trex;
  const Path folder = argc > 1 ? argv[1] : "data/traces/calibration";
  for (const perf::KernelTable& table :
       perf::read_kernel_tables(folder, perf::Catalogue::shipped())) {
    const perf::CalibrationReport r = perf::calibration_report(table);
    fmt::print(
        "{{\"kernel\":\"{}\",\"device\":\"{}\",\"arithmetic\":\"{}\",\"in_scope\":{},\"rows\":{},"
        "\"constant_roofline\":{:.3f},"
        "\"shipped\":{:.3f},\"shipped_p90\":{:.3f},\"fitted_held_out\":{:.3f},\"fitted_p90\":{:.3f}"
        ",\"coefficients\":{},"
        "\"shipped_all_rows\":{:.3f}}}\n",
        perf::to_string(table.kernel), table.device, table.arithmetic, r.num_in_scope,
        r.num_samples, r.constant.median, r.shipped.median, r.shipped.p90, r.fitted.median,
        r.fitted.p90, r.num_coefficients, r.shipped_all.median);
    std::fflush(stdout);
  }
}
