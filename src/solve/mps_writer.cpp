#include <fmt/format.h>

#include <iterator>
#include <unordered_set>

#include "base/text.h"
#include "solve/mps.h"

namespace trex::solve {
namespace {

// Names that survive free format: no blanks, nothing that begins a comment, all distinct.
template <class Items>
std::vector<std::string> safe_names(const Items& items, std::unordered_set<std::string> taken) {
  std::vector<std::string> names;
  for (const auto& item : items) {
    std::string name;
    for (const char letter : item.name) {
      const bool blank = static_cast<unsigned char>(letter) <= ' ';
      if (!blank) name += letter;
      if (blank && (name.empty() || name.back() != '_')) name += '_';
    }
    if (name.empty() || name[0] == '*' || name[0] == '$') name = "_" + name;
    while (!taken.insert(name).second) name += "_";
    names.push_back(std::move(name));
  }
  return names;
}

using Out = std::back_insert_iterator<std::string>;

struct RowForm {
  char type;
  double right;
  double range;  // 0 for none
};

RowForm form_of(const Row& row) {
  const bool no_lower = is_infinite(row.lower), no_upper = is_infinite(row.upper);
  if (no_lower && no_upper) return {'N', 0, 0};
  if (no_lower) return {'L', row.upper, 0};
  if (no_upper) return {'G', row.lower, 0};
  if (row.lower == row.upper) return {'E', row.lower, 0};
  return {'G', row.lower, row.upper - row.lower};
}

void write_columns(Out out, const Model& model, const std::vector<std::string>& columns,
                   const std::vector<std::string>& rows) {
  std::vector<std::vector<const Entry*>> entries(model.columns.size());
  for (const Entry& entry : model.matrix)
    entries[static_cast<size_t>(entry.column)].push_back(&entry);
  fmt::format_to(out, "COLUMNS\n");
  bool integers = false;
  int markers = 0;
  const auto mark = [&](bool wanted) {
    if (integers == wanted) return;
    integers = wanted;
    fmt::format_to(out, "    MARKER{} 'MARKER' '{}'\n", markers++, wanted ? "INTORG" : "INTEND");
  };
  for (size_t j = 0; j < columns.size(); ++j) {
    mark(model.columns[j].domain != Domain::Continuous);
    // A column without entries still has to be listed.
    if (model.columns[j].objective != 0 || entries[j].empty()) {
      fmt::format_to(out, "    {} OBJ {}\n", columns[j], shortest(model.columns[j].objective));
    }
    for (const Entry* entry : entries[j]) {
      fmt::format_to(out, "    {} {} {}\n", columns[j], rows[static_cast<size_t>(entry->row)],
                     shortest(entry->value));
    }
  }
  mark(false);
}

void write_bound(Out out, const Column& column, const std::string& name) {
  const bool no_lower = is_infinite(column.lower), no_upper = is_infinite(column.upper);
  const auto line = [&](const char* type, double value) {
    fmt::format_to(out, " {} BOUND {} {}\n", type, name, shortest(value));
  };
  if (column.domain == Domain::Binary && column.lower == 0 && column.upper == 1) {
    fmt::format_to(out, " BV BOUND {}\n", name);
  } else if (no_lower && no_upper) {
    fmt::format_to(out, " FR BOUND {}\n", name);
  } else if (column.lower == column.upper) {
    line("FX", column.lower);
  } else {
    if (no_lower) fmt::format_to(out, " MI BOUND {}\n", name);
    // Said even when it is 0: a negative upper bound would make it infinite.
    if (!no_lower && (column.lower != 0 || (!no_upper && column.upper < 0)))
      line("LO", column.lower);
    if (!no_upper) line("UP", column.upper);
    if (no_upper && column.domain != Domain::Continuous)
      fmt::format_to(out, " PL BOUND {}\n", name);
  }
}

}  // namespace

std::string to_mps(const Model& model) {
  const auto columns = safe_names(model.columns, {});
  const auto rows = safe_names(model.rows, {"OBJ"});
  std::string text;
  const Out out = std::back_inserter(text);
  struct Named {
    std::string name;
  };
  fmt::format_to(out, "NAME {}\n",
                 model.name.empty() ? "" : safe_names(std::vector{Named{model.name}}, {})[0]);
  // Older readers do not know OBJSENSE; they still read what minimises.
  if (model.sense == Sense::Maximize) fmt::format_to(out, "OBJSENSE\n    MAX\n");
  fmt::format_to(out, "ROWS\n N OBJ\n");
  for (size_t i = 0; i < rows.size(); ++i)
    fmt::format_to(out, " {} {}\n", form_of(model.rows[i]).type, rows[i]);
  write_columns(out, model, columns, rows);
  fmt::format_to(out, "RHS\n");
  if (model.offset != 0) fmt::format_to(out, "    RHS OBJ {}\n", shortest(-model.offset));
  for (size_t i = 0; i < rows.size(); ++i) {
    const RowForm form = form_of(model.rows[i]);
    if (form.right != 0) fmt::format_to(out, "    RHS {} {}\n", rows[i], shortest(form.right));
  }
  fmt::format_to(out, "RANGES\n");
  for (size_t i = 0; i < rows.size(); ++i) {
    const RowForm form = form_of(model.rows[i]);
    if (form.range != 0) fmt::format_to(out, "    RANGE {} {}\n", rows[i], shortest(form.range));
  }
  fmt::format_to(out, "BOUNDS\n");
  for (size_t j = 0; j < columns.size(); ++j) write_bound(out, model.columns[j], columns[j]);
  if (!model.quadratic.empty()) fmt::format_to(out, "QUADOBJ\n");
  for (const QuadraticEntry& entry : model.quadratic) {
    fmt::format_to(out, "    {} {} {}\n", columns[static_cast<size_t>(entry.column)],
                   columns[static_cast<size_t>(entry.other)], shortest(entry.value));
  }
  fmt::format_to(out, "ENDATA\n");
  return text;
}

}  // namespace trex::solve
