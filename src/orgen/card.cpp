#include "orgen/card.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/hash.h"
#include "base/text.h"
#include "orgen/duplicates.h"
#include "orgen/family.h"
#include "orgen/render.h"
#include "solve/solve.h"

namespace trex::orgen {
namespace {

Json counts_json(const std::map<std::string, int64_t>& counts) {
  Json json = Json::object();
  for (const auto& [name, count] : counts) json[name] = count;
  return json;
}

Json settings_json(const GenerateSettings& settings) {
  GenerateSettings copy = settings;
  copy.workers.reset();
  Json json = Json::object();
  for (const config::Field& field : config::fields_of(copy)) {
    if (field.key != "workers") json[field.key] = field.value();
  }
  return json;
}

Json versions_json() {
  Json families = Json::object();
  for (const Family* family : FamilyRegistry::instance().entries()) {
    families[family->name] = family->version;
  }
  return Json{{"families", families},
              {"renderer", kRendererVersion},
              {"lexicon", kLexiconVersion},
              {"solver", solve::solver_version()}};
}

const std::vector<std::string> kKnownGaps{
    "English only; data always inline as sentences, not as tables or files.",
    "Numbers are written in digits without thousands separators; no distractors.",
    "Sentence plans are written by hand; no paraphrases.",
    "The answer is checked by one solver, an independent verifier and, for linear programs, a "
    "duality proof; no second solver runs while generating."};

std::string verification_text(const GenerateSettings& settings, const std::string& solver) {
  if (settings.kind == "excerpts") {
    return "Every row's lines of data were checked against its text; no optimum is told.";
  }
  return fmt::format(
      "Every row was solved to a proven optimum with {} and verified from the model's own data.",
      solver);
}

}  // namespace

Json Lengths::json() const {
  if (values.empty()) return nullptr;
  std::vector<int64_t> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double share) {
    return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))];
  };
  const int64_t sum = std::accumulate(sorted.begin(), sorted.end(), int64_t{0});
  return Json{{"min", sorted.front()},
              {"median", at(0.5)},
              {"p95", at(0.95)},
              {"max", sorted.back()},
              {"mean", sum / static_cast<int64_t>(sorted.size())}};
}

void Card::add(const JsonLine& line, bool is_near_duplicate) {
  const JsonObject row = line.object();
  ++rows;
  near_duplicates += is_near_duplicate ? 1 : 0;
  exact_duplicates += seen_[hash64(normalised_text(row.string("question")))]++ > 0 ? 1 : 0;
  const std::string family = row.string_or("family", "unknown");
  ++by_family[family];
  ++by_variant[family + "/" + row.string_or("variant", "unknown")];
  ++by_level[row.string_or("level", "unknown")];
  ++by_domain[family + "/" + row.string_or("domain", "unknown")];
  for (const char* field : {"question", "program", "text"}) {
    if (row.has(field)) {
      lengths[field].values.push_back(static_cast<int64_t>(row.string(field).size()));
    }
  }
}

int64_t Card::rejected() const {
  int64_t total = 0;
  for (const auto& [reason, count] : rejections) total += count;
  return total;
}

Json Card::json() const {
  Json characters = Json::object();
  for (const auto& [field, values] : lengths) characters[field] = values.json();
  return Json{{"version", 1},
              {"rows", rows},
              {"exact_duplicates", exact_duplicates},
              {"near_duplicates", near_duplicates},
              {"by_family", counts_json(by_family)},
              {"by_variant", counts_json(by_variant)},
              {"by_level", counts_json(by_level)},
              {"by_domain", counts_json(by_domain)},
              {"characters", characters},
              {"rejections", counts_json(rejections)}};
}

std::string card_text(const Json& card) {
  std::string text = fmt::format("{} rows\n\n", card["rows"].get<int64_t>());
  text +=
      fmt::format("- exact duplicates: {}\n- like an earlier row but for names and numbers: {}\n",
                  card["exact_duplicates"].get<int64_t>(), card["near_duplicates"].get<int64_t>());
  const std::pair<const char*, const char*> kTables[] = {{"by_variant", "variant"},
                                                         {"by_level", "level"},
                                                         {"by_domain", "domain"},
                                                         {"rejections", "rejected by"}};
  for (const auto& [key, title] : kTables) {
    if (card[key].empty()) continue;
    text += fmt::format("\n| {} | count |\n| --- | ---: |\n", title);
    for (const auto& [name, count] : card[key].items()) {
      text += fmt::format("| {} | {} |\n", name, count.get<int64_t>());
    }
  }
  text += "\n| characters of | min | median | p95 | max |\n| --- | ---: | ---: | ---: | ---: |\n";
  for (const auto& [field, lengths] : card["characters"].items()) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", field, lengths["min"].get<int64_t>(),
                        lengths["median"].get<int64_t>(), lengths["p95"].get<int64_t>(),
                        lengths["max"].get<int64_t>());
  }
  return text;
}

Card card_of_file(const Path& file) {
  Card card;
  NearDuplicates near_duplicates;
  LineReader lines(file);
  while (const auto line = lines.next()) {
    const bool is_near = near_duplicates.add(line->object().string("question"));
    card.add(*line, is_near);
  }
  return card;
}

void write_card(const Card& card, const GenerateSettings& settings, int64_t num_benchmark_questions,
                const Path& out) {
  Json json = card.json();
  json["settings"] = settings_json(settings);
  json["versions"] = versions_json();
  json["content_hash"] = card.content_hash;
  json["benchmark_questions_compared"] = num_benchmark_questions;
  json["licence"] = "Apache-2.0; generated, nothing taken from a public set";
  json["known_gaps"] = kKnownGaps;
  write_file(out / "card.json", json.dump(2) + "\n");

  std::string text =
      fmt::format("# Operations-research {} ({})\n\n", settings.kind, settings.split);
  text += card_text(json);
  text +=
      fmt::format("\n{} Compared with {} benchmark questions{}.\n\nLicence: {}.\n\nKnown gaps\n\n",
                  verification_text(settings, json["versions"]["solver"].get<std::string>()),
                  num_benchmark_questions, num_benchmark_questions == 0 ? " (none were given)" : "",
                  json["licence"].get<std::string>());
  for (const std::string& gap : kKnownGaps) text += "- " + gap + "\n";
  write_file(out / "card.md", text);
}

}  // namespace trex::orgen
