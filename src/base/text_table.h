// Tables and paragraphs for a terminal, as wide as it is.
#pragma once

#include <string>
#include <vector>

namespace trex {

// Characters of UTF-8, each one column wide.
size_t columns_of(const std::string& text);

// Columns as wide as their widest cell, numbers to the right. What does not fit into `width` (0:
// any) stands on further lines of the row, indented; the header likewise.
class TextTable {
 public:
  struct Column {
    std::string header;
    bool is_number = false;
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Leaves out a column in which all cells are alike.
  void drop(const std::string& header);
  std::string text(size_t width) const;
  size_t width() const;  // of a row on one line

  std::vector<std::string> header() const;
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

 private:
  std::vector<size_t> widths() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Of the terminal behind standard output; 0 when it is none.
size_t columns_of_stdout();

// Broken at spaces before `width` (0: never); all lines but the first are indented.
std::string wrapped(const std::string& text, size_t width, size_t indent);

}  // namespace trex
