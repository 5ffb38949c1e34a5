// A report as one HTML file that opens offline: text, tables, charts and code, readable on a
// desktop and on a phone, in light and dark. Charts are drawn by Chart.js, which is embedded.
//
// Pieces appear in the order in which they are added. All texts are plain text and are escaped.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace trex::report {

std::string escaped(std::string_view text);  // for HTML text and attributes

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // x, y; a NaN leaves a gap
};

struct LineChart {
  std::string title, x_label, y_label;
  std::vector<Series> series;
  bool logarithmic_y = false;
};

// A bar with an interval around its value; all in the unit of `y_label`.
struct Bar {
  double value = 0, low = 0, high = 0;
};

struct BarChart {
  std::string title, y_label;
  std::vector<std::string> labels;                             // groups, left to right
  std::vector<std::pair<std::string, std::vector<Bar>>> bars;  // one list a colour; one bar a group
};

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each as long as the header
};

class Page {
 public:
  explicit Page(std::string title, std::string subtitle = {});

  void heading(const std::string& text);
  void paragraph(const std::string& text);
  // Large numbers side by side: {"92 %", "held-out Pass@1"}.
  void figures(const std::vector<std::pair<std::string, std::string>>& figures);
  void table(const Table& table);
  void chart(const LineChart& chart);
  void chart(const BarChart& chart);
  void code(const std::string& text);
  void note(const std::string& label, const std::string& text);  // a labelled short text
  void begin_fold(const std::string& summary, bool is_open = false);
  void end_fold();

  std::string html() const;

 private:
  void add_chart(const std::string& title, const std::string& configuration);

  std::string title_, subtitle_, body_, scripts_;
  int num_charts_ = 0;
};

}  // namespace trex::report
