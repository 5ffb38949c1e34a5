#include "eval/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace trex::eval {
namespace {

std::string row_of(const std::string& name, const Score& score) {
  const auto [low, high] = wilson_interval(score.num_correct, score.num_items);
  return fmt::format("{:<28} {:>6} {:>8} {:>7.1f} %   {:.1f} to {:.1f} %\n", name, score.num_items,
                     score.num_correct, 100 * score.pass_at_1(), 100 * low, 100 * high);
}

// Counts the texts of a list in `record`'s run; records of an older version have none.
void count_texts(const Json& record, const char* list, std::map<std::string, int64_t>& counts) {
  const auto run = record.find("run");
  if (run == record.end() || !run->is_object() || !run->contains(list)) return;
  const std::set<std::string> texts = run->at(list);  // a program counts once
  for (const std::string& text : texts) ++counts[text];
}

}  // namespace

std::pair<double, double> wilson_interval(int64_t num_correct, int64_t num_items) {
  if (num_items == 0) return {0, 1};
  constexpr double z = 1.959963984540054;  // normal quantile of 0.975
  const double n = static_cast<double>(num_items);
  const double share = static_cast<double>(num_correct) / n;
  const double centre = share + z * z / (2 * n);
  const double spread = z * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  const double scale = 1 + z * z / n;
  return {std::max(0.0, (centre - spread) / scale), std::min(1.0, (centre + spread) / scale)};
}

double Score::pass_at_1() const {
  return num_items == 0 ? 0 : static_cast<double>(num_correct) / static_cast<double>(num_items);
}

Json Score::json() const {
  const auto [low, high] = wilson_interval(num_correct, num_items);
  return {{"num_items", num_items},
          {"num_correct", num_correct},
          {"pass_at_1", pass_at_1()},
          {"interval_95", {low, high}}};
}

Summary summarise(std::span<const Json> records) {
  Summary summary;
  for (const Json& record : records) {
    const int64_t correct = record["correct"] == true ? 1 : 0;
    const auto count = [correct](Score& score) {
      ++score.num_items;
      score.num_correct += correct;
    };
    count(summary.all);
    if (record["flags"].empty()) {
      count(summary.unflagged);
    } else {
      summary.has_flags = true;
    }
    const std::string family = record["family"];
    if (!family.empty()) count(summary.families[family]);
    ++summary.reasons[record["reason"]];
    count_texts(record, "features", summary.features);
    count_texts(record, "unsupported", summary.unsupported);
    if (!record["value"].is_null()) ++summary.num_with_value;
    if (record["finish_reason"] == "length") ++summary.num_cut_off;
  }
  return summary;
}

Json to_json(const Summary& summary) {
  Json json = summary.all.json();
  json["unflagged"] = summary.has_flags ? summary.unflagged.json() : Json(nullptr);
  json["num_with_value"] = summary.num_with_value;
  json["num_cut_off"] = summary.num_cut_off;
  json["by_reason"] = Json::object();
  for (const auto& [reason, count] : summary.reasons) json["by_reason"][reason] = count;
  json["by_feature"] = Json(summary.features);
  json["by_unsupported"] = Json(summary.unsupported);
  json["by_family"] = Json::object();
  for (const auto& [family, score] : summary.families) json["by_family"][family] = score.json();
  return json;
}

std::string table_of(const std::string& benchmark, const Summary& summary) {
  std::string table = fmt::format("{:<28} {:>6} {:>8} {:>9}   {}\n", "", "rows", "correct",
                                  "Pass@1", "95 % interval");
  table += row_of(benchmark, summary.all);
  if (summary.has_flags) table += row_of("  without audit flags", summary.unflagged);
  for (const auto& [family, score] : summary.families) table += row_of("  " + family, score);

  std::vector<std::pair<std::string, int64_t>> reasons(summary.reasons.begin(),
                                                       summary.reasons.end());
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  table += "\n";
  for (const auto& [reason, count] : reasons) table += fmt::format("{:<28} {:>6}\n", reason, count);
  return table;
}

}  // namespace trex::eval
