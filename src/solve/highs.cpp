#include "solve/highs.h"

#include <fmt/format.h>
#include <interfaces/highs_c_api.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "base/error.h"

namespace trex::solve {
namespace {

struct Destroy {
  void operator()(void* highs) const { Highs_destroy(highs); }
};
using Handle = std::unique_ptr<void, Destroy>;

Error breakdown(const std::string& doing) {
  return environment_error("HiGHS", "success in " + doing, "an error");
}

void set_options(void* highs, const HighsSettings& settings) {
  const auto expect = [](HighsInt status, const char* option) {
    if (status == kHighsStatusError) throw breakdown(fmt::format("setting {}", option));
  };
  const auto flag = [&](const char* option, bool value) {
    expect(Highs_setBoolOptionValue(highs, option, value), option);
  };
  const auto real = [&](const char* option, double value) {
    expect(Highs_setDoubleOptionValue(highs, option, value), option);
  };
  const auto text = [&](const char* option, const char* value) {
    expect(Highs_setStringOptionValue(highs, option, value), option);
  };
  flag("output_flag", false);
  const auto whole = [&](const char* option, int64_t value) {
    value = std::min<int64_t>(value, std::numeric_limits<HighsInt>::max());  // which means no limit
    expect(Highs_setIntOptionValue(highs, option, static_cast<HighsInt>(value)), option);
  };
  whole("threads", 1);
  whole("mip_max_nodes", settings.nodes);
  text("parallel", "off");
  text("presolve", settings.presolve ? "on" : "off");
  // Naming the algorithms keeps HiGHS from trying its other interior point code, which loads an
  // OpenBLAS that starts a thread for each core.
  text("mip_lp_solver", "simplex");
  text("mip_ipm_solver", "ipx");
  real("time_limit", std::max(settings.time.count(), 0.0));
  real("primal_feasibility_tolerance", settings.tolerance);
  real("dual_feasibility_tolerance", settings.tolerance);
  real("mip_feasibility_tolerance", settings.tolerance);
  real("mip_rel_gap", settings.relative_gap);
  real("mip_abs_gap", settings.absolute_gap);
  real("small_matrix_value", 1e-12);   // the least it accepts: below, entries are dropped
  real("qp_regularization_value", 0);  // it would move the optimum
}

// A compressed matrix: entries of column (or row) k are at start[k] to start[k + 1].
struct Compressed {
  std::vector<HighsInt> start, index;
  std::vector<double> value;
};

struct Triple {
  int64_t major, minor;
  double value;
};

Compressed compressed(std::vector<Triple> entries, size_t num_major) {
  std::sort(entries.begin(), entries.end(), [](const Triple& a, const Triple& b) {
    return std::pair(a.major, a.minor) < std::pair(b.major, b.minor);
  });
  Compressed result;
  result.start.assign(num_major + 1, 0);
  for (const Triple& entry : entries) {
    ++result.start[static_cast<size_t>(entry.major) + 1];
    result.index.push_back(static_cast<HighsInt>(entry.minor));
    result.value.push_back(entry.value);
  }
  for (size_t k = 0; k < num_major; ++k) result.start[k + 1] += result.start[k];
  return result;
}

void pass_model(void* highs, const Model& model) {
  const size_t num_columns = model.columns.size();
  std::vector<double> cost, lower, upper, row_lower, row_upper;
  std::vector<HighsInt> integrality;
  for (const Column& column : model.columns) {
    cost.push_back(column.objective);
    lower.push_back(column.lower);
    upper.push_back(column.upper);
    integrality.push_back(column.domain == Domain::Continuous ? kHighsVarTypeContinuous
                                                              : kHighsVarTypeInteger);
  }
  for (const Row& row : model.rows) {
    row_lower.push_back(row.lower);
    row_upper.push_back(row.upper);
  }
  std::vector<Triple> entries, hessian;
  for (const Entry& entry : model.matrix) entries.push_back({entry.column, entry.row, entry.value});
  for (const QuadraticEntry& entry : model.quadratic) {
    hessian.push_back({entry.other, entry.column, entry.value});  // lower triangle by columns
  }
  const Compressed a = compressed(std::move(entries), num_columns);
  const Compressed q = compressed(std::move(hessian), num_columns);
  const HighsInt status = Highs_passModel(
      highs, static_cast<HighsInt>(num_columns), static_cast<HighsInt>(model.rows.size()),
      static_cast<HighsInt>(a.value.size()), static_cast<HighsInt>(q.value.size()),
      kHighsMatrixFormatColwise, kHighsHessianFormatTriangular, kHighsObjSenseMinimize,
      model.offset, cost.data(), lower.data(), upper.data(), row_lower.data(), row_upper.data(),
      a.start.data(), a.index.data(), a.value.data(), q.start.data(), q.index.data(),
      q.value.data(), model.has_integers() ? integrality.data() : nullptr);
  if (status == kHighsStatusError) throw breakdown("taking the model");
}

HighsStatus status_of(void* highs) {
  const HighsInt status = Highs_getModelStatus(highs);
  switch (status) {
    case kHighsModelStatusOptimal:
    case kHighsModelStatusModelEmpty:
      return HighsStatus::Optimal;
    case kHighsModelStatusInfeasible:
      return HighsStatus::Infeasible;
    case kHighsModelStatusUnbounded:
      return HighsStatus::Unbounded;
    case kHighsModelStatusUnboundedOrInfeasible:
      return HighsStatus::UnboundedOrInfeasible;
    case kHighsModelStatusTimeLimit:
    case kHighsModelStatusSolutionLimit:  // what it says when mip_max_nodes is reached
      return HighsStatus::LimitReached;
    default:
      return HighsStatus::Unclear;
  }
}

void take_values(void* highs, bool with_duals, HighsResult& result) {
  HighsInt primal = kHighsSolutionStatusNone;
  Highs_getIntInfoValue(highs, "primal_solution_status", &primal);
  result.has_values =
      result.status == HighsStatus::Optimal || primal == kHighsSolutionStatusFeasible;
  if (!result.has_values) return;
  const auto num_columns = static_cast<size_t>(Highs_getNumCol(highs));
  const auto num_rows = static_cast<size_t>(Highs_getNumRow(highs));
  std::vector<double> column_dual(num_columns), row_dual(num_rows), activity(num_rows);
  result.values.resize(num_columns);
  Highs_getSolution(highs, result.values.data(), column_dual.data(), activity.data(),
                    row_dual.data());
  if (!with_duals) return;
  result.row_duals = std::move(row_dual);
  result.reduced_costs = std::move(column_dual);
}

}  // namespace

HighsResult run_highs(const Model& model, const HighsSettings& settings) {
  const Handle highs(Highs_create());
  if (highs == nullptr) throw breakdown("starting");
  set_options(highs.get(), settings);
  pass_model(highs.get(), model);
  if (model.quadratic.empty() && !model.has_integers()) {
    Highs_setStringOptionValue(highs.get(), "solver", "simplex");
  }
  const HighsInt run = Highs_run(highs.get());
  HighsResult result{.status = status_of(highs.get())};
  if (run == kHighsStatusError) result.status = HighsStatus::Unclear;
  take_values(highs.get(), !model.has_integers(), result);
  if (model.has_integers()) {
    Highs_getDoubleInfoValue(highs.get(), "mip_dual_bound", &result.bound);
    Highs_getInt64InfoValue(highs.get(), "mip_node_count", &result.nodes);
  }
  return result;
}

std::string highs_version() { return Highs_version(); }

}  // namespace trex::solve
