// The channel that carries a program's results to whoever runs it (README.md). Without
// open_reports nothing is written. The secret and the descriptor stay in this library: a program
// cannot read them from Python.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gurobi/core.h"

namespace trex::gurobi {

// Reads the secret from one descriptor up to its end, closes it and keeps the other for reports.
// Does nothing when the descriptors are not open; only the first call counts.
void open_reports(int report_descriptor, int secret_descriptor);

void report_optimize(const Core& core);

// `core` is null when no variable of the program holds a model.
void report_end(const std::optional<std::string>& name, const std::shared_ptr<Core>& core,
                const std::vector<std::string>& unsupported);

}  // namespace trex::gurobi
