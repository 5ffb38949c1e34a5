#include "solve/lp_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "base/text.h"

namespace trex::solve {
namespace {

constexpr size_t kMaxLine = 80;

template <class Items>
std::vector<std::string> safe_names(const Items& items) {
  std::vector<std::string> names;
  std::unordered_set<std::string> taken;
  for (const auto& item : items) {
    std::string name;
    for (const char letter : item.name) {
      const bool forbidden = static_cast<unsigned char>(letter) <= ' ' ||
                             std::string("+-*^<>=:/\\").find(letter) != std::string::npos;
      if (!forbidden) name += letter;
      if (forbidden && (name.empty() || name.back() != '_')) name += '_';
    }
    if (name.empty() || std::string("0123456789.").find(name[0]) != std::string::npos)
      name = "_" + name;
    while (!taken.insert(name).second) name += "_";
    names.push_back(std::move(name));
  }
  return names;
}

// Words of one statement, broken into lines that begin with three blanks.
class Statement {
 public:
  explicit Statement(std::string head) : line_(std::move(head)) {}

  void add(const std::string& word) {
    if (line_.size() + word.size() + 1 > kMaxLine) {
      text_ += line_ + "\n";
      line_ = "  ";
    }
    line_ += " " + word;
  }

  void add_term(double coefficient, const std::string& name) {
    const double size = std::abs(coefficient);
    std::string word = is_first_ ? (coefficient < 0 ? "- " : "") : (coefficient < 0 ? "- " : "+ ");
    if (size != 1) word += shortest(size) + " ";
    is_first_ = false;
    add(word + name);
  }

  std::string text() const { return text_ + line_ + "\n"; }

 private:
  std::string text_, line_;
  bool is_first_ = true;
};

class LpWriter {
 public:
  explicit LpWriter(const Model& model)
      : model_(model),
        columns_(safe_names(model.columns)),
        rows_(safe_names(model.rows)),
        terms_(model.rows.size()) {
    for (const Entry& entry : model.matrix)
      terms_[static_cast<size_t>(entry.row)].push_back({entry.column, entry.value});
    for (auto& terms : terms_) {
      std::sort(terms.begin(), terms.end(),
                [](const Term& a, const Term& b) { return a.column < b.column; });
    }
  }

  std::string text() const {
    std::string text = fmt::format("\\ Model {}\n\\ LP format\n", model_.name);
    text += model_.sense == Sense::Minimize ? "Minimize\n" : "Maximize\n";
    text += objective() + "Subject To\n";
    for (size_t i = 0; i < rows_.size(); ++i) text += row(i);
    text += "Bounds\n";
    for (size_t j = 0; j < columns_.size(); ++j) text += bounds(j);
    if (model_.offset != 0) text += " Constant = 1\n";
    text += list("Binaries", Domain::Binary) + list("Generals", Domain::Integer);
    return text + "End\n";
  }

 private:
  std::string objective() const {
    Statement statement(" ");
    bool empty = true;
    for (size_t j = 0; j < columns_.size(); ++j) {
      if (model_.columns[j].objective == 0) continue;
      statement.add_term(model_.columns[j].objective, columns_[j]);
      empty = false;
    }
    if (model_.offset != 0) statement.add_term(model_.offset, "Constant");
    if (empty && model_.offset == 0 && !columns_.empty()) statement.add("0 " + columns_[0]);
    if (model_.quadratic.empty()) return statement.text();
    // The bracket holds twice the objective, then a division by 2.
    statement.add(empty && model_.offset == 0 ? "[" : "+ [");
    bool first = true;
    for (const QuadraticEntry& entry : model_.quadratic) {
      const auto& a = columns_[static_cast<size_t>(entry.column)];
      const bool square = entry.column == entry.other;
      const double value = square ? entry.value : 2 * entry.value;
      std::string word = value < 0 ? "- " : (first ? "" : "+ ");
      word += shortest(std::abs(value)) + " " +
              (square ? a + " ^ 2" : columns_[static_cast<size_t>(entry.other)] + " * " + a);
      statement.add(word);
      first = false;
    }
    statement.add("] / 2");
    return statement.text();
  }

  std::string comparison(size_t i, const std::string& name, const char* sense, double right) const {
    Statement statement(" " + name + ":");
    for (const Term& term : terms_[i])
      statement.add_term(term.coefficient, columns_[static_cast<size_t>(term.column)]);
    statement.add(fmt::format("{} {}", sense, shortest(right)));
    return statement.text();
  }

  std::string row(size_t i) const {
    const Row& row = model_.rows[i];
    const bool no_lower = is_infinite(row.lower), no_upper = is_infinite(row.upper);
    if (no_lower && no_upper) return "";
    if (no_lower) return comparison(i, rows_[i], "<=", row.upper);
    if (no_upper) return comparison(i, rows_[i], ">=", row.lower);
    if (row.lower == row.upper) return comparison(i, rows_[i], "=", row.lower);
    return comparison(i, rows_[i], ">=", row.lower) +
           comparison(i, rows_[i] + "_upper", "<=", row.upper);
  }

  std::string bounds(size_t j) const {
    const Column& column = model_.columns[j];
    const std::string& name = columns_[j];
    const bool no_lower = is_infinite(column.lower), no_upper = is_infinite(column.upper);
    if (column.domain == Domain::Binary && column.lower == 0 && column.upper == 1) return "";
    if (no_lower && no_upper) return fmt::format(" {} free\n", name);
    if (column.lower == column.upper)
      return fmt::format(" {} = {}\n", name, shortest(column.lower));
    if (no_lower) return fmt::format(" -infinity <= {} <= {}\n", name, shortest(column.upper));
    if (column.lower == 0 && no_upper) return "";
    if (no_upper) return fmt::format(" {} >= {}\n", name, shortest(column.lower));
    if (column.lower == 0) return fmt::format(" {} <= {}\n", name, shortest(column.upper));
    return fmt::format(" {} <= {} <= {}\n", shortest(column.lower), name, shortest(column.upper));
  }

  std::string list(const char* title, Domain domain) const {
    Statement statement("");
    bool empty = true;
    for (size_t j = 0; j < columns_.size(); ++j) {
      if (model_.columns[j].domain != domain) continue;
      statement.add(columns_[j]);
      empty = false;
    }
    return empty ? "" : fmt::format("{}\n{}", title, statement.text());
  }

  const Model& model_;
  const std::vector<std::string> columns_, rows_;
  std::vector<std::vector<Term>> terms_;
};

}  // namespace

std::string to_lp(const Model& model) { return LpWriter(model).text(); }

}  // namespace trex::solve
