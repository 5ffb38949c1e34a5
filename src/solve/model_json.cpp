#include "solve/model_json.h"

#include <fmt/format.h>

#include <unordered_map>

#include "base/error.h"
#include "base/text.h"
#include "solve/mps.h"

namespace trex::solve {
namespace {

using Places = std::unordered_map<std::string, int64_t>;

Json bound_json(double bound) { return is_infinite(bound) ? Json(nullptr) : Json(bound); }

// null is infinite; absent is `fallback`.
double bound_of(const JsonObject& object, const char* key, double infinite, double fallback) {
  if (!object.has(key)) return fallback;
  if (object.json().at(key).is_null()) return infinite;
  return object.number(key);
}

Domain domain_of(const JsonObject& object) {
  const std::string word = object.string_or("domain", "continuous");
  static const std::vector<std::string> kWords = {"continuous", "integer", "binary"};
  for (size_t i = 0; i < kWords.size(); ++i) {
    if (word == kWords[i]) return static_cast<Domain>(i);
  }
  throw object.error("domain", "continuous, integer or binary", in_quotes(word),
                     did_you_mean(word, kWords));
}

const char* domain_word(Domain domain) {
  if (domain == Domain::Integer) return "integer";
  return domain == Domain::Binary ? "binary" : "continuous";
}

// An item of a list such as ["x", 2.5] or ["x", "y", 2]: names of columns, then a number.
std::pair<std::vector<int64_t>, double> named_number(const Json& item, size_t num_names,
                                                     const Places& places, const JsonObject& owner,
                                                     const char* key) {
  const bool right_shape =
      item.is_array() && item.size() == num_names + 1 && item.back().is_number();
  if (!right_shape) {
    throw owner.error(key,
                      fmt::format("lists of {} and a number",
                                  num_names == 1 ? "a column's name" : "two columns' names"),
                      in_quotes(to_line(item)));
  }
  std::vector<int64_t> columns;
  for (size_t i = 0; i < num_names; ++i) {
    if (!item[i].is_string())
      throw owner.error(key, "the name of a column", in_quotes(to_line(item[i])));
    const auto found = places.find(item[i].get<std::string>());
    if (found == places.end())
      throw owner.error(key, "the name of a column", in_quotes(item[i].get<std::string>()));
    columns.push_back(found->second);
  }
  return {columns, item.back().get<double>()};
}

void read_rows(const JsonObject& top, const Places& places, Model& model) {
  if (!top.has("rows")) return;
  for (const JsonObject& object : top.objects("rows")) {
    object.expect_only({"name", "lower", "upper", "terms"});
    const auto row = static_cast<int64_t>(model.rows.size());
    model.rows.push_back({object.string("name"), bound_of(object, "lower", -kInfinity, -kInfinity),
                          bound_of(object, "upper", kInfinity, kInfinity)});
    if (!object.has("terms")) continue;
    if (!object.json().at("terms").is_array())
      throw object.error("terms", "a list", json_kind(object.json().at("terms")));
    for (const Json& item : object.json().at("terms")) {
      const auto [columns, value] = named_number(item, 1, places, object, "terms");
      model.matrix.push_back({row, columns[0], value});
    }
  }
}

void read_quadratic(const JsonObject& top, const Places& places, Model& model) {
  if (!top.has("quadratic")) return;
  if (!top.json().at("quadratic").is_array())
    throw top.error("quadratic", "a list", json_kind(top.json().at("quadratic")));
  for (const Json& item : top.json().at("quadratic")) {
    const auto [columns, value] = named_number(item, 2, places, top, "quadratic");
    model.quadratic.push_back(
        {std::max(columns[0], columns[1]), std::min(columns[0], columns[1]), value});
  }
}

}  // namespace

Model model_from_json(const Json& json, const std::string& where) {
  const JsonObject top(json, where);
  top.expect_only({"format", "name", "sense", "offset", "columns", "rows", "quadratic"});
  if (top.string("format") != "trex-model-1")
    throw top.error("format", "\"trex-model-1\"", in_quotes(top.string("format")));
  Model model;
  model.name = top.string_or("name", "");
  model.offset = top.number_or("offset", 0);
  const std::string sense = top.string("sense");
  if (sense != "minimize" && sense != "maximize") {
    const std::vector<std::string> words = {"minimize", "maximize"};
    throw top.error("sense", "minimize or maximize", in_quotes(sense), did_you_mean(sense, words));
  }
  model.sense = sense == "minimize" ? Sense::Minimize : Sense::Maximize;
  Places places;
  for (const JsonObject& object : top.objects("columns")) {
    object.expect_only({"name", "domain", "lower", "upper", "objective"});
    const Domain domain = domain_of(object);
    places.emplace(object.string("name"), static_cast<int64_t>(model.columns.size()));
    model.columns.push_back(
        {.name = object.string("name"),
         .domain = domain,
         .lower = bound_of(object, "lower", -kInfinity, 0),
         .upper = bound_of(object, "upper", kInfinity, domain == Domain::Binary ? 1 : kInfinity),
         .objective = object.number_or("objective", 0)});
  }
  read_rows(top, places, model);
  read_quadratic(top, places, model);
  validate(model, where);
  return model;
}

Json to_json(const Model& model) {
  Json columns = Json::array(), rows = Json::array(), quadratic = Json::array();
  for (const Column& column : model.columns) {
    columns.push_back({{"name", column.name},
                       {"domain", domain_word(column.domain)},
                       {"lower", bound_json(column.lower)},
                       {"upper", bound_json(column.upper)},
                       {"objective", column.objective}});
  }
  for (const Row& row : model.rows) {
    rows.push_back({{"name", row.name},
                    {"lower", bound_json(row.lower)},
                    {"upper", bound_json(row.upper)},
                    {"terms", Json::array()}});
  }
  for (const Entry& entry : model.matrix) {
    rows[static_cast<size_t>(entry.row)]["terms"].push_back(
        Json::array({model.columns[static_cast<size_t>(entry.column)].name, entry.value}));
  }
  for (const QuadraticEntry& entry : model.quadratic) {
    quadratic.push_back(
        Json::array({model.columns[static_cast<size_t>(entry.column)].name,
                     model.columns[static_cast<size_t>(entry.other)].name, entry.value}));
  }
  Json json = {{"format", "trex-model-1"},
               {"name", model.name},
               {"sense", model.sense == Sense::Minimize ? "minimize" : "maximize"},
               {"offset", model.offset},
               {"columns", columns},
               {"rows", rows}};
  if (!quadratic.empty()) json["quadratic"] = quadratic;
  return json;
}

Model read_model(const Path& path) {
  const Path plain = path.extension() == ".zst" ? path.stem() : path.filename();
  if (plain.extension() == ".mps") return read_mps(path);
  if (plain.extension() != ".json") {
    throw input_error(path.string(), "", "a file name that ends in .mps or .json",
                      in_quotes(plain.extension().string()));
  }
  const std::string where = path.filename().string();
  return model_from_json(parse_json(read_file(path), where), where);
}

}  // namespace trex::solve
