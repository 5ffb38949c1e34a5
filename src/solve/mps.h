// MPS files, free and fixed, as Gurobi, CPLEX, CBC and HiGHS read and write them.
//
// Sections: NAME, OBJSENSE, ROWS, COLUMNS with integer markers, RHS, RANGES, BOUNDS (UP LO FX FR MI
// PL BV LI UI), QUADOBJ or QSECTION (each pair of Q once), QMATRIX (both places), ENDATA. As usual:
// the first N row is the objective and its RHS is minus the constant; later N rows are kept as rows
// without bounds; an integer column that BOUNDS does not mention is binary; a negative upper bound
// makes a lower bound of 0 infinite.
#pragma once

#include <string>
#include <string_view>

#include "base/files.h"
#include "solve/model.h"

namespace trex::solve {

// Throws Input naming file, line and field. Names with blanks are understood in fixed format, which
// is tried when the file makes no sense as free format. A file name may end in .zst.
Model read_mps(const Path& path);
Model parse_mps(std::string_view text, const std::string& where);

// Free format. Blanks in names become underscores, and names stay distinct. Numbers read back as
// the same double.
std::string to_mps(const Model& model);

}  // namespace trex::solve
