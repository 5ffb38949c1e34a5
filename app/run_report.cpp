#include "app/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/run_state.h"
#include "base/error.h"
#include "base/text.h"
#include "report/page.h"

namespace trex::app {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kMostPointsOfACurve = 400;
constexpr size_t kNumExamples = 5;

Json read_json(const Path& path) { return parse_json(read_file(path), path.string()); }

std::string setting(const Stage& stage, std::string_view key) {
  for (const config::EffectiveValue& value : stage.settings) {
    if (value.key != key || value.value.is_null()) continue;
    return value.value.is_string() ? value.value.get<std::string>() : value.value.dump();
  }
  return {};
}

std::vector<const Stage*> stages_of(const Recipe& recipe, std::string_view verb) {
  std::vector<const Stage*> stages;
  for (const Stage& stage : recipe.stages) {
    if (stage.kind->verb == verb) stages.push_back(&stage);
  }
  return stages;
}

// The stage in whose folder a path setting points, or null.
const Stage* stage_of_path(const Recipe& recipe, const std::string& path) {
  for (const Stage& stage : recipe.stages) {
    if (path.starts_with(stage.folder.string() + "/")) return &stage;
  }
  return nullptr;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// --- Training ---------------------------------------------------------------------------------

struct Curve {
  std::vector<std::pair<double, double>> loss, tokens_per_second;  // over tokens, in millions
  double tokens = 0, seconds = 0, mfu_sum = 0;
  size_t steps = 0;
};

double number_or_gap(const Json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number() ? found->get<double>() : kNaN;
}

Curve read_curve(const Stage& stage) {
  Curve curve;
  LineReader lines(stage.folder / "metrics.jsonl");
  while (const auto line = lines.next()) {
    const double tokens = number_or_gap(line->value, "tokens");
    if (!line->value.contains("loss") || !std::isfinite(tokens)) continue;
    curve.tokens = tokens;
    curve.seconds += number_or_gap(line->value, "step_seconds");
    curve.mfu_sum += number_or_gap(line->value, "mfu");
    ++curve.steps;
    curve.loss.emplace_back(tokens / 1e6, number_or_gap(line->value, "next_token_loss"));
    curve.tokens_per_second.emplace_back(tokens / 1e6,
                                         number_or_gap(line->value, "tokens_per_second"));
  }
  return curve;
}

// Means of equal runs of points: a curve of thousands of steps stays small and readable.
std::vector<std::pair<double, double>> thinned(
    const std::vector<std::pair<double, double>>& points) {
  const size_t stride = (points.size() + kMostPointsOfACurve - 1) / kMostPointsOfACurve;
  if (stride <= 1) return points;
  std::vector<std::pair<double, double>> means;
  for (size_t i = 0; i < points.size(); i += stride) {
    const size_t end = std::min(i + stride, points.size());
    double x = 0, y = 0;
    for (size_t j = i; j < end; ++j) {
      x += points[j].first;
      y += points[j].second;
    }
    means.emplace_back(x / static_cast<double>(end - i), y / static_cast<double>(end - i));
  }
  return means;
}

void add_training(const Recipe& recipe, report::Page& page) {
  const auto stages = stages_of(recipe, "train");
  if (stages.empty()) return;
  report::LineChart loss{
      .title = "Next-token loss", .x_label = "million tokens", .y_label = "nats"};
  report::LineChart speed{
      .title = "Speed", .x_label = "million tokens", .y_label = "tokens per second"};
  report::Table table{
      .header = {"stage", "steps", "tokens", "final loss", "tokens/s", "MFU", "time"}};
  for (const Stage* stage : stages) {
    const Curve curve = read_curve(*stage);
    if (curve.steps == 0) continue;
    const auto smooth_loss = thinned(curve.loss);
    loss.series.push_back({stage->name, smooth_loss});
    speed.series.push_back({stage->name, thinned(curve.tokens_per_second)});
    table.rows.push_back({stage->name, fmt::format("{}", curve.steps),
                          fmt::format("{:.2f} M", curve.tokens / 1e6),
                          fmt::format("{:.3f}", smooth_loss.back().second),
                          fmt::format("{:.0f}", curve.tokens / curve.seconds),
                          percent(curve.mfu_sum / static_cast<double>(curve.steps)),
                          readable_duration(curve.seconds)});
  }
  if (table.rows.empty()) return;
  page.heading("Training");
  page.chart(loss);
  page.chart(speed);
  page.table(table);
  page.paragraph(
      "MFU is the model's own arithmetic, padding left out, over the peak of a large "
      "matrix product measured on this machine at the start of each stage.");
}

// --- Scores -----------------------------------------------------------------------------------

// A summary.json of an eval stage, and which model on which questions it is about.
struct Score {
  const Stage* stage;
  std::string model, suite;
  Json summary;

  double pass_at_1() const { return summary.at("pass_at_1").get<double>(); }
  double low() const { return summary.at("interval_95").at(0).get<double>(); }
  double high() const { return summary.at("interval_95").at(1).get<double>(); }
  int64_t items() const { return summary.at("num_items").get<int64_t>(); }
};

std::vector<Score> read_scores(const Recipe& recipe) {
  std::vector<Score> scores;
  for (const Stage* stage : stages_of(recipe, "eval")) {
    const Stage* model = stage_of_path(recipe, setting(*stage, "checkpoint"));
    const std::string benchmark = setting(*stage, "benchmark");
    scores.push_back({stage, model != nullptr ? model->name : "recorded replies",
                      benchmark == "generated" ? "held-out generated" : benchmark,
                      read_json(stage->folder / "summary.json")});
  }
  return scores;
}

// Distinct values in order of appearance.
template <class Member>
std::vector<std::string> distinct(const std::vector<Score>& scores, Member member) {
  std::vector<std::string> values;
  for (const Score& score : scores) {
    const std::string& value = score.*member;
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return values;
}

const Score* find_score(const std::vector<Score>& scores, const std::string& model,
                        const std::string& suite) {
  for (const Score& score : scores) {
    if (score.model == model && score.suite == suite) return &score;
  }
  return nullptr;
}

void add_score_chart(const std::vector<Score>& scores, report::Page& page) {
  report::BarChart chart{.title = "Pass@1 with 95 % intervals",
                         .y_label = "% of questions",
                         .labels = distinct(scores, &Score::model)};
  for (const std::string& suite : distinct(scores, &Score::suite)) {
    std::vector<report::Bar> bars;
    for (const std::string& model : chart.labels) {
      const Score* score = find_score(scores, model, suite);
      bars.push_back(score == nullptr ? report::Bar{kNaN, 0, 0}
                                      : report::Bar{100 * score->pass_at_1(), 100 * score->low(),
                                                    100 * score->high()});
    }
    chart.bars.emplace_back(suite, std::move(bars));
  }
  page.chart(chart);
}

std::string most_frequent_reasons(const Json& summary) {
  std::vector<std::pair<int64_t, std::string>> reasons;
  for (const auto& [reason, count] : summary.at("by_reason").items()) {
    if (reason != "correct") reasons.emplace_back(count.get<int64_t>(), reason);
  }
  std::sort(reasons.rbegin(), reasons.rend());
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min<size_t>(3, reasons.size()); ++i) {
    texts.push_back(fmt::format("{} {}", reasons[i].first, reasons[i].second));
  }
  return joined(texts, ", ");
}

void add_family_table(const Score& score, report::Page& page) {
  const auto families = score.summary.find("by_family");
  if (families == score.summary.end() || families->size() < 2) return;
  report::Table table{.header = {"family", "questions", "correct", "Pass@1"}};
  for (const auto& [family, part] : families->items()) {
    table.rows.push_back({family, part.at("num_items").dump(), part.at("num_correct").dump(),
                          percent(part.at("pass_at_1").get<double>())});
  }
  page.begin_fold(fmt::format("{} by problem family ({})", score.model, score.suite));
  page.table(table);
  page.end_fold();
}

void add_scores(const std::vector<Score>& scores, report::Page& page) {
  if (scores.empty()) return;
  page.heading("Pass@1");
  page.paragraph(
      "One reply a question. Its program runs in a sandbox against our Gurobi-compatible "
      "module; the reply counts if the optimal value agrees with the label to 1e-6.");
  add_score_chart(scores, page);
  report::Table table{.header = {"model", "questions", "n", "correct", "Pass@1", "95 % interval",
                                 "failures, most frequent"}};
  for (const Score& score : scores) {
    table.rows.push_back({score.model, score.suite, fmt::format("{}", score.items()),
                          score.summary.at("num_correct").dump(), percent(score.pass_at_1()),
                          fmt::format("{:.1f}–{:.1f} %", 100 * score.low(), 100 * score.high()),
                          most_frequent_reasons(score.summary)});
  }
  page.table(table);
  page.paragraph(
      "Held-out questions share no entity name and no sentence plan with the training data, and "
      "their numbers are drawn anew, but they come from the same problem families. The value "
      "decides: a program may call things by other names. NL4OPT is public and written by people; "
      "a model of a few million parameters is expected to score near zero on it.");
  for (const Score& score : scores) add_family_table(score, page);
}

// --- Worked examples --------------------------------------------------------------------------

std::map<std::string, std::string> questions_by_id(const Path& prompts) {
  std::map<std::string, std::string> questions;
  LineReader lines(prompts);
  while (const auto line = lines.next()) {
    const auto messages = line->object().objects("messages");
    if (!messages.empty())
      questions[line->object().string("id")] = messages.back().string("content");
  }
  return questions;
}

void add_example(const Json& record, const std::string& question, report::Page& page) {
  const auto text_of = [&](const char* key) {
    const Json& value = record.at(key);
    return value.is_string() ? value.get<std::string>() : value.is_null() ? "none" : value.dump();
  };
  const bool is_correct = record.at("correct").get<bool>();
  page.begin_fold(fmt::format("{}: {}", is_correct ? "Correct" : "Wrong", text_of("id")),
                  is_correct);
  page.note("Question", question);
  page.note("The model's program", "");
  page.code(text_of("code"));
  page.note("Verdict", fmt::format("{}; value {}, label {}", text_of("reason"), text_of("value"),
                                   text_of("label")));
  page.end_fold();
}

// Of different families where possible; two failures among them if there are any, because those
// tell more.
void add_examples(const std::vector<Score>& scores, report::Page& page) {
  const Score* best = nullptr;
  for (const Score& score : scores) {
    if (best == nullptr || score.pass_at_1() > best->pass_at_1()) best = &score;
  }
  if (best == nullptr) return;
  const auto questions = questions_by_id(best->stage->folder / "prompts.jsonl");
  std::vector<Json> correct, wrong;
  std::vector<std::string> families;
  LineReader lines(best->stage->folder / "records.jsonl");
  while (const auto line = lines.next()) {
    const std::string family = line->object().string_or("family", "");
    const bool is_new = std::find(families.begin(), families.end(), family) == families.end();
    if (line->value.at("correct").get<bool>()) {
      if (is_new) families.push_back(family);
      (is_new ? correct.insert(correct.begin() + static_cast<std::ptrdiff_t>(families.size()) - 1,
                               line->value)
              : correct.insert(correct.end(), line->value));
    } else {
      wrong.push_back(line->value);
    }
  }
  const size_t num_wrong = std::min<size_t>({2, wrong.size(), kNumExamples});
  const size_t num_correct = std::min(kNumExamples - num_wrong, correct.size());
  page.heading(fmt::format("Worked examples ({})", best->model));
  for (size_t i = 0; i < num_correct; ++i) {
    add_example(correct[i], questions.at(correct[i].at("id").get<std::string>()), page);
  }
  for (size_t i = 0; i < std::min(kNumExamples - num_correct, wrong.size()); ++i) {
    add_example(wrong[i], questions.at(wrong[i].at("id").get<std::string>()), page);
  }
}

// --- Data and times ---------------------------------------------------------------------------

std::string counts_text(const Json& counts) {
  std::vector<std::string> texts;
  for (const auto& [name, count] : counts.items())
    texts.push_back(fmt::format("{} {}", count.dump(), name));
  return joined(texts, ", ");
}

void add_data(const Recipe& recipe, report::Page& page) {
  const auto stages = stages_of(recipe, "data generate");
  if (stages.empty()) return;
  page.heading("Data");
  page.paragraph(
      "Every row is a generated optimisation problem whose optimum a solver proved and an "
      "independent verifier confirmed. Nothing is taken from a public set.");
  report::Table table{.header = {"stage", "kind", "split", "rows", "by family", "rejected"}};
  for (const Stage* stage : stages) {
    const Json card = read_json(stage->folder / "card.json");
    const std::string rejected = counts_text(card.at("rejections"));
    table.rows.push_back({stage->name, setting(*stage, "kind"), setting(*stage, "split"),
                          card.at("rows").dump(), counts_text(card.at("by_family")),
                          rejected.empty() ? "none" : rejected});
  }
  page.table(table);
}

void add_times(const Recipe& recipe, report::Page& page) {
  page.heading("Stages");
  report::Table table{.header = {"stage", "command", "time"}};
  for (const Stage& stage : recipe.stages) {
    const auto record = read_record(stage);
    table.rows.push_back({stage.name, fmt::format("trex {}", stage.kind->verb),
                          record ? readable_duration(record->seconds) : "not run"});
  }
  page.table(table);
}

void add_figures(const Recipe& recipe, const std::vector<Score>& scores, report::Page& page) {
  std::vector<std::pair<std::string, std::string>> figures;
  for (const Score& score : scores) {
    if (score.suite != scores.front().suite) continue;
    figures.emplace_back(percent(score.pass_at_1()),
                         fmt::format("{}, {}", score.model, score.suite));
  }
  double seconds = 0;
  for (const Stage& stage : recipe.stages) {
    if (const auto record = read_record(stage)) seconds += record->seconds;
  }
  figures.emplace_back(readable_duration(seconds), "for all stages");
  page.figures(figures);
}

}  // namespace

Path write_run_report(const Recipe& recipe, const Path& out) {
  report::Page page(recipe.title, recipe.summary);
  const std::vector<Score> scores = read_scores(recipe);
  add_figures(recipe, scores, page);
  add_scores(scores, page);
  add_training(recipe, page);
  add_examples(scores, page);
  add_data(recipe, page);
  add_times(recipe, page);
  const Path path = out / "report.html";
  write_file(path, page.html());
  return path;
}

}  // namespace trex::app
