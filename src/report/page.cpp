#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/text.h"
#include "report/assets.h"

namespace trex::report {
namespace {

// Distinct for people with the common colour-vision deficiencies (Okabe and Ito).
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#e69f00", "#56b4e9", "#7f7f7f", "#b8a800"};

const char* colour(size_t index) { return kColours[index % std::size(kColours)]; }

Json number_or_gap(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json axis(const std::string& label, const char* type) {
  return Json{{"type", type},
              {"title", {{"display", !label.empty()}, {"text", label}}},
              {"grid", {{"color", "rgba(128,128,128,0.18)"}}}};
}

// JSON inside a <script> element must not contain "</".
std::string script_safe(const Json& value) {
  std::string text = to_line(value);
  for (size_t at = 0; (at = text.find("</", at)) != std::string::npos; at += 3)
    text.insert(at + 1, "\\");
  return text;
}

bool looks_like_number(const std::string& text) {
  return !text.empty() && text.find_first_of("0123456789") != std::string::npos &&
         text.find_first_not_of("0123456789.,+-–±% []/()KMGiBsxhm") == std::string::npos;
}

// A column is set to the right when every one of its cells is a number.
std::vector<bool> number_columns(const Table& table) {
  std::vector<bool> numbers(table.header.size(), !table.rows.empty());
  for (const auto& row : table.rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      if (!row[c].empty() && !looks_like_number(row[c])) numbers[c] = false;
    }
  }
  return numbers;
}

// Draws the interval of each bar as a thin line above the bars.
constexpr const char* kIntervalPlugin = R"JS(
const intervals = {id: 'intervals', afterDatasetsDraw(chart) {
  const context = chart.ctx;
  chart.data.datasets.forEach((set, s) => {
    if (!set.intervals || !chart.isDatasetVisible(s)) return;
    chart.getDatasetMeta(s).data.forEach((bar, i) => {
      const [low, high] = set.intervals[i];
      const y = chart.scales.y, top = y.getPixelForValue(high), bottom = y.getPixelForValue(low);
      context.save();
      context.strokeStyle = Chart.defaults.color;
      context.beginPath();
      context.moveTo(bar.x, top); context.lineTo(bar.x, bottom);
      context.moveTo(bar.x - 5, top); context.lineTo(bar.x + 5, top);
      context.moveTo(bar.x - 5, bottom); context.lineTo(bar.x + 5, bottom);
      context.stroke();
      context.restore();
    });
  });
}};
Chart.register(intervals);
Chart.defaults.color = getComputedStyle(document.body).getPropertyValue('--soft').trim();
Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
Chart.defaults.animation = false;
Chart.defaults.maintainAspectRatio = false;
)JS";

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

Page::Page(std::string title, std::string subtitle)
    : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

void Page::heading(const std::string& text) {
  body_ += fmt::format("<h2>{}</h2>\n", escaped(text));
}

void Page::paragraph(const std::string& text) {
  body_ += fmt::format("<p>{}</p>\n", escaped(text));
}

void Page::figures(const std::vector<std::pair<std::string, std::string>>& figures) {
  body_ += "<div class=\"figures\">\n";
  for (const auto& [value, meaning] : figures) {
    body_ += fmt::format("<div class=\"figure\"><b>{}</b><span>{}</span></div>\n", escaped(value),
                         escaped(meaning));
  }
  body_ += "</div>\n";
}

void Page::table(const Table& table) {
  const auto is_number = number_columns(table);
  const auto add_row = [&](const std::vector<std::string>& cells, const char* tag) {
    body_ += "<tr>";
    for (size_t c = 0; c < cells.size(); ++c) {
      body_ += fmt::format("<{0}{1}>{2}</{0}>", tag, is_number[c] ? " class=\"number\"" : "",
                           escaped(cells[c]));
    }
    body_ += "</tr>\n";
  };
  body_ += "<div class=\"scroll\"><table>\n<thead>";
  add_row(table.header, "th");
  body_ += "</thead><tbody>\n";
  for (const auto& row : table.rows) add_row(row, "td");
  body_ += "</tbody></table></div>\n";
}

void Page::add_chart(const std::string& title, const std::string& configuration) {
  const int id = num_charts_++;
  body_ += fmt::format(
      "<div class=\"chart\"><h3>{}</h3><div><canvas id=\"chart{}\" role=\"img\" "
      "aria-label=\"{}\"></canvas></div></div>\n",
      escaped(title), id, escaped(title));
  scripts_ +=
      fmt::format("new Chart(document.getElementById('chart{}'), {});\n", id, configuration);
}

void Page::chart(const LineChart& chart) {
  Json datasets = Json::array();
  for (size_t s = 0; s < chart.series.size(); ++s) {
    Json points = Json::array();
    for (const auto& [x, y] : chart.series[s].points) {
      points.push_back({{"x", x}, {"y", number_or_gap(y)}});
    }
    datasets.push_back({{"label", chart.series[s].name},
                        {"data", std::move(points)},
                        {"borderColor", colour(s)},
                        {"backgroundColor", colour(s)},
                        {"pointRadius", 0},
                        {"borderWidth", 1.8},
                        {"showLine", true}});
  }
  const Json configuration{
      {"type", "scatter"},
      {"data", {{"datasets", std::move(datasets)}}},
      {"options",
       {{"interaction", {{"mode", "nearest"}, {"axis", "x"}, {"intersect", false}}},
        {"plugins", {{"legend", {{"display", chart.series.size() > 1}}}}},
        {"scales",
         {{"x", axis(chart.x_label, "linear")},
          {"y", axis(chart.y_label, chart.logarithmic_y ? "logarithmic" : "linear")}}}}}};
  add_chart(chart.title, script_safe(configuration));
}

void Page::chart(const BarChart& chart) {
  Json datasets = Json::array();
  double highest = 0;
  for (size_t s = 0; s < chart.bars.size(); ++s) {
    Json values = Json::array(), intervals = Json::array();
    for (const Bar& bar : chart.bars[s].second) {
      values.push_back(number_or_gap(bar.value));
      intervals.push_back({bar.low, bar.high});
      highest = std::max(highest, bar.high);
    }
    datasets.push_back({{"label", chart.bars[s].first},
                        {"data", std::move(values)},
                        {"intervals", std::move(intervals)},
                        {"backgroundColor", colour(s)}});
  }
  Json y = axis(chart.y_label, "linear");
  y["beginAtZero"] = true;
  y["suggestedMax"] = highest;  // Chart.js looks at the bars alone
  const Json configuration{{"type", "bar"},
                           {"data", {{"labels", chart.labels}, {"datasets", std::move(datasets)}}},
                           {"options",
                            {{"scales", {{"x", axis("", "category")}, {"y", y}}},
                             {"plugins", {{"legend", {{"display", chart.bars.size() > 1}}}}}}}};
  add_chart(chart.title, script_safe(configuration));
}

void Page::code(const std::string& text) { body_ += fmt::format("<pre>{}</pre>\n", escaped(text)); }

void Page::note(const std::string& label, const std::string& text) {
  body_ += fmt::format("<div class=\"note\"><b>{}</b>{}</div>\n", escaped(label), escaped(text));
}

void Page::begin_fold(const std::string& summary, bool is_open) {
  body_ +=
      fmt::format("<details{}><summary>{}</summary>\n", is_open ? " open" : "", escaped(summary));
}

void Page::end_fold() { body_ += "</details>\n"; }

std::string Page::html() const {
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n<h1>{}</h1>\n",
      escaped(title_), page_style(), escaped(title_));
  if (!subtitle_.empty()) page += fmt::format("<p class=\"subtitle\">{}</p>\n", escaped(subtitle_));
  page += body_ + "</main>\n";
  if (num_charts_ > 0) {
    page += fmt::format("<script>{}</script>\n<script>{}{}</script>\n", chart_script(),
                        kIntervalPlugin, scripts_);
  }
  return page + "</body>\n</html>\n";
}

}  // namespace trex::report
