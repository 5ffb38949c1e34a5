// Efficiency of a kernel as tables over its sizes, fitted to measurements: what refines the shipped
// efficiencies (section 5.6) once a device has been measured.
//
//   seconds = (launch + max(compute, memory)) * exp(sum of tables)
//
// Each table is interpolated linearly between a few nodes, in log2 of two or three sizes, so the
// tables predict shapes that were never measured. Robust least squares of log(measured / roofline)
// with a penalty on bends: nodes without samples continue their neighbours. Same samples, same
// result.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "perf/fit.h"
#include "perf/kernel_tables.h"

namespace trex::perf {

class KernelFit {
 public:
  // Throws Input at `where` if there are no samples, or a time is not finite and positive.
  KernelFit(Kernel kernel, std::span<const KernelSample> samples, const std::string& where);

  double seconds(const KernelSample& shape) const;
  size_t num_coefficients() const { return coefficients_.size(); }

 private:
  struct Table {
    std::vector<size_t> axes;  // features, up to three
    size_t first = 0;          // of its coefficients
    size_t size = 0;
  };
  // Non-zero weights of a shape: the corners of its cell in each table.
  using Weights = std::vector<std::pair<size_t, double>>;
  void trim_nodes(std::span<const KernelSample> samples);
  void weigh(const KernelSample& shape, Weights& weights) const;
  void add_bends(std::vector<std::vector<double>>& gram) const;

  std::vector<std::vector<double>> nodes_;  // by feature
  std::vector<Table> tables_;
  std::vector<double> coefficients_;
};

// How far the operator model is from one table, and how far after a fit. Every fifth sample is held
// out of the fit.
struct CalibrationReport {
  size_t num_samples = 0;  // all of the table
  size_t num_in_scope = 0;
  size_t num_coefficients = 0;
  FitError constant;  // roofline times one constant for the table: the baseline
  FitError shipped;   // in scope
  FitError shipped_all;
  FitError fitted;  // in scope, on the held-out samples
};

CalibrationReport calibration_report(const KernelTable& table);

}  // namespace trex::perf
